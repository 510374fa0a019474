import OkaeriPlumbing

/// The broker and the client's login, will and limits.
package struct MQTTSettings: Sendable, Equatable {
    /// The broker's address, encryption and login.
    package struct Broker: Sendable, Equatable {
        /// The ports without and with TLS (IANA: mqtt, secure-mqtt).
        package static let (plainPort, encryptedPort): (UInt16, UInt16) = (1883, 8883)

        /// Returns the port of a broker that is named without one.
        package static func usualPort(with tls: TLS?) -> UInt16 { tls == nil ? plainPort : encryptedPort }

        package var host: String
        package var port: UInt16
        /// Nil: without encryption.
        package var tls: TLS?
        /// Whether the user has decided that the password may cross the network without encryption.
        package var allowsClearPassword: Bool
        package var login: Login?
        /// Whether the broker is named on a command line and not in `beacons.json`, for the remedies of problems.
        package var isOfCommandLine = false

        package init(
            host: String, port: UInt16, tls: TLS? = nil, allowsClearPassword: Bool = false, login: Login? = nil
        ) {
            self.host = host
            self.port = port
            self.tls = tls
            self.allowsClearPassword = allowsClearPassword
            self.login = login
        }

        /// Whether other hosts can read what is sent: the broker is on another machine, and the connection is not encrypted.
        package var isInClear: Bool { tls == nil && !ServerAddress.isLoopback(host: host) }

        /// Whether other hosts could read the password, and the user has not decided that they may. No connection is made then.
        package var exposesPassword: Bool {
            isInClear && !allowsClearPassword && (login?.passwordFile != nil || login?.typed != nil)
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

/// A password of the broker that a user typed. It is never printed: its description has nothing of it.
package struct TypedPassword: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// The maximum length of a password, in bytes.
    package static let limit = 1024

    /// The password, for the connection and for its file.
    package let text: String

    /// - Returns: `nil` for an empty text, a longer one, and one with control characters.
    package init?(_ text: String) {
        guard 1...Self.limit ~= text.utf8.count, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.text = text
    }

    package var description: String { "(not shown)" }

    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A message to publish.
package struct MQTTPublication: Sendable, Equatable {
    /// The quality of service (MQTT 5.0, 4.3).
    package enum QualityOfService: Int32, Sendable {
        case atMostOnce = 0
        case atLeastOnce = 1
    }

    package let topic: String
    package let payload: [UInt8]
    package let isRetained: Bool
    package let quality: QualityOfService

    /// After how many seconds the broker forgets it; nil: never.
    package let expiry: UInt32?

    /// Whether a retained value is published again from time to time, changed or not.
    package let isRefreshed: Bool

    /// Creates a message that the broker retains for later subscribers. Only the latest one of a topic is ever sent.
    package static func value(
        _ topic: String, _ payload: some Sequence<UInt8>, expiry: UInt32? = nil,
        isRefreshed: Bool = false
    ) -> MQTTPublication {
        MQTTPublication(
            topic: topic, payload: Array(payload), isRetained: true, quality: .atLeastOnce, expiry: expiry,
            isRefreshed: isRefreshed)
    }

    /// The end of a value: the broker forgets it, and so does the session once the broker has answered.
    package static func clearing(_ topic: String) -> MQTTPublication { .value(topic, []) }

    /// Something that happens. At least once: kept for a minute while there is no connection. At most once: not kept.
    package static func event(
        _ topic: String, _ payload: some Sequence<UInt8>, quality: QualityOfService = .atLeastOnce,
        expiry: UInt32? = nil
    ) -> MQTTPublication {
        MQTTPublication(
            topic: topic, payload: Array(payload), isRetained: false, quality: quality, expiry: expiry,
            isRefreshed: false)
    }
}

/// A message that the broker has delivered.
package struct MQTTMessage: Sendable, Equatable {
    package let topic: String
    package let payload: [UInt8]

    /// Whether it is a retained value, sent because of a new subscription.
    package let isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
