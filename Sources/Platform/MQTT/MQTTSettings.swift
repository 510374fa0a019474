/// The broker and who comes to it.
package struct MQTTSettings: Sendable, Equatable {
    /// Where the broker is, and how it is spoken to.
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
        /// Who signs the broker's certificate; nil: whom this machine trusts (`/etc/ssl/certs`).
        package var authorities: String?
        /// What the broker knows this client by.
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

        package init(username: String, passwordFile: String? = nil) {
            self.username = username
            self.passwordFile = passwordFile
        }
    }

    /// A retained value that the broker publishes when this client is gone, and the client when it stops.
    package struct LastWord: Sendable, Equatable {
        package var topic: String
        package var payload: [UInt8]
        /// How long the broker waits for this client to come back.
        package var delay: Duration

        package init(topic: String, payload: [UInt8], delay: Duration = .seconds(10)) {
            self.topic = topic
            self.payload = payload
            self.delay = delay
        }

        var publication: MQTTPublication { .value(topic, payload) }
    }

    package var broker: Broker

    /// What the broker knows this client by; a second one of the same name throws the first one out.
    package var clientID: String
    package var lastWord: LastWord?
    /// The topic whose value says that the others hold, such as `online`. It is sent behind them, and events behind it; `nil` to
    /// send events at once.
    package var gate: String?
    package var limits = Limits()

    package init(broker: Broker, clientID: String, lastWord: LastWord? = nil) {
        self.broker = broker
        self.clientID = clientID
        self.lastWord = lastWord
    }

    /// What keeps memory, time and the broker's load bounded.
    package struct Limits: Sendable, Equatable {
        /// After so long without a word each side asks whether the other is there; whole seconds, five at least.
        package var keepAlive = Duration.seconds(15)
        /// How many messages may wait for the broker's answer.
        package var inFlight = 16
        /// How many topics may have a value. A site's largest node has some eight thousand.
        package var topics = 32_768
        /// How many events are kept while they cannot be sent, and for how long.
        package var events = 1024
        package var eventAge = Duration.seconds(60)
        /// How long the broker may take to answer.
        package var answer = Duration.seconds(20)
        /// How long a stop may take.
        package var stop = Duration.seconds(2)
        /// How long to wait before another attempt: doubled with each, and shortened by up to a half at random.
        package var firstDelay = Duration.seconds(1)
        package var longestDelay = Duration.seconds(60)
        /// How long to stay away when a client of the same name has come.
        package var twinDelay = Duration.seconds(900)
        /// How often values that are to be refreshed are.
        package var refresh = Duration.seconds(300)
        /// Messages with more bytes than this are dropped.
        package var payload = 128 << 10
        /// And those with longer topics.
        package var topicLength = 1024

        package init() {}
    }
}
