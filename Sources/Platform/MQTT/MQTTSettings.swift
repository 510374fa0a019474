/// The broker and the client's login, will and limits.
package struct MQTTSettings: Sendable, Equatable {
    /// The broker's address, encryption and login.
    package struct Broker: Sendable, Equatable {
        package var host: String
        package var port: UInt16
        /// Nil: without encryption.
        package var tls: TLS?
        package var login: Login?

        package init(host: String, port: UInt16, tls: TLS? = nil, login: Login? = nil) {
            self.host = host
            self.port = port
            self.tls = tls
            self.login = login
        }
    }

    /// Files in PEM. The broker's name is always verified, and the protocol is TLS 1.2 or newer.
    package struct TLS: Sendable, Equatable {
        /// The authorities for the broker's certificate; `nil`: those that this machine trusts (`/etc/ssl/certs`).
        package var authorities: String?
        /// The certificate that identifies this client to the broker.
        package var certificate: String?
        package var key: String?

        package init(authorities: String? = nil, certificate: String? = nil, key: String? = nil) {
            self.authorities = authorities
            self.certificate = certificate
            self.key = key
        }
    }

    package struct Login: Sendable, Equatable {
        package var username: String
        /// A file that holds the password (`SecretFile`), read anew for each connection; nil: there is none.
        package var passwordFile: String?
        /// A password without a file.
        package var typed: TypedPassword?

        package init(username: String, passwordFile: String? = nil, typed: TypedPassword? = nil) {
            self.username = username
            self.passwordFile = passwordFile
            self.typed = typed
        }
    }

    /// A retained value that the broker publishes when this client is gone, and the client when it stops.
    package struct LastWill: Sendable, Equatable {
        package var topic: String
        package var payload: [UInt8]
        /// The time that the broker waits for this client to return.
        package var delay: Duration

        package init(topic: String, payload: [UInt8], delay: Duration = .seconds(10)) {
            self.topic = topic
            self.payload = payload
            self.delay = delay
        }

        var publication: MQTTPublication { .value(topic, payload) }
    }

    package var broker: Broker

    /// The client's name at the broker; a second client of the same name ends the connection of the first one.
    package var clientID: String
    package var lastWill: LastWill?
    /// The topic whose value marks the others as valid, such as `online`. It is sent behind them, and events behind it; `nil` to
    /// send events at once.
    package var gate: String?
    package var limits = Limits()

    package init(broker: Broker, clientID: String, lastWill: LastWill? = nil) {
        self.broker = broker
        self.clientID = clientID
        self.lastWill = lastWill
    }

    /// The bounds of memory, time and the broker's load.
    package struct Limits: Sendable, Equatable {
        /// The keep-alive interval: whole seconds, five at least.
        package var keepAlive = Duration.seconds(15)
        /// The number of messages that may wait for the broker's answer.
        package var inFlight = 16
        /// The number of topics that may have a value. A site's largest node has some eight thousand.
        package var topics = 32_768
        /// The number of events that are stored while they cannot be sent, and the time for which.
        package var events = 1024
        package var eventAge = Duration.seconds(60)
        /// The number of messages with the quality of service 0 that are queued while there is a connection.
        package var measurements = 4096
        /// The size of their payloads together, in bytes.
        package var measurementBytes = 1 << 20
        /// The time limit of the broker's answer.
        package var answer = Duration.seconds(20)
        /// The time limit of a stop.
        package var stop = Duration.seconds(2)
        /// The delay before another attempt: doubled with each, and shortened by up to a half at random.
        package var firstDelay = Duration.seconds(1)
        package var longestDelay = Duration.seconds(15)
        /// The longest delay while the broker does not run: an attempt costs little then, and the house waits for its radios.
        package var outageDelay = Duration.seconds(5)
        /// The time without a connection after a client of the same name has connected.
        package var twinDelay = Duration.seconds(900)
        /// The interval at which refreshed values are published.
        package var refresh = Duration.seconds(300)
        /// Messages with more bytes than this are dropped.
        package var payload = 128 << 10
        /// And those with longer topics.
        package var topicLength = 1024

        package init() {}
    }
}
