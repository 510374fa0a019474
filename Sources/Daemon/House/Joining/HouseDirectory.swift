package import HCI
package import OkaeriEvents
package import OkaeriMQTT
import OkaeriPlumbing
package import OkaeriReceivers
import Synchronization

/// The houses at a broker by their retained messages, for a machine that joins one.
///
/// Any client of the broker can publish these messages, so the number of everything is bounded, and names that are not safe to
/// show are ignored.
package struct HouseDirectory: Sendable {
    /// A node of a house.
    package struct Node: Hashable, Sendable {
        package var room: String?
        package var isOnline: Bool?
    }

    /// A house.
    package struct Site: Hashable, Sendable {
        package fileprivate(set) var nodes: [String: Node] = [:]
        /// The node that last claimed to decide for the house.
        package fileprivate(set) var hub: String?

        /// The rooms of the nodes, in order, each once.
        package var rooms: [String] { Set(nodes.values.compactMap(\.room)).sorted() }
    }

    private static let siteLimit = 16
    private static let nodeLimit = 1000
    /// The maximum size of all payloads that are parsed.
    private static let byteLimit = 16 << 20

    /// The houses by name.
    package private(set) var sites: [String: Site] = [:]
    /// Whether a message was ignored because of a limit.
    package private(set) var isCut = false
    private var bytes = 0

    package init() {}

    /// The filters of the messages.
    ///
    /// - Parameter site: one house; `nil`: all houses that the broker lets this client read.
    package static func filters(site: String?) -> [String] {
        let topics = Topics(site: site ?? "+")
        return [topics.hub, topics.everyAbout, topics.everyStatus]
    }

    /// Receives a message.
    package mutating func receive(topic: String, payload: [UInt8]) {
        let levels = topic.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard levels.count == 3, levels[0] == "okaeri", TopicName.isName(levels[1]) else { return }
        let name = String(levels[1])
        guard let subject = Topics(site: name).subject(of: topic) else { return }
        bytes += payload.count
        guard bytes <= Self.byteLimit, sites[name] != nil || sites.count < Self.siteLimit else {
            isCut = true
            return
        }
        var site = sites[name] ?? Site()
        switch subject {
        case .hub: site.hub = HubClaim(payload)?.name
        case .about(let node):
            change(node, in: &site) { $0.room = NodeCard(payload)?.room }
        case .status(let node):
            change(node, in: &site) { $0.isOnline = payload == Array(Wire.online.utf8) }
        case .scanner, .observation, .promptAnswer, .event, .battery, .region, .heard, .wanted, .regions, .restart:
            return
        }
        // An empty message makes no house.
        sites[name] = site == Site() ? nil : site
    }

    private mutating func change(_ node: String, in site: inout Site, _ change: (inout Node) -> Void) {
        guard site.nodes[node] != nil || site.nodes.count < Self.nodeLimit else {
            isCut = true
            return
        }
        change(&site.nodes[node, default: Node()])
    }
}

/// Reads the retained messages of the houses at a broker, once.
package struct HouseReader: Sendable {
    /// The reason why nothing was read: a sentence with the remedy.
    package struct Failure: Error, Sendable, CustomStringConvertible, LocalizedFailure {
        fileprivate let text: LocalizedText

        package var description: String { text.english }

        package func sentence(in language: Language) -> String { text.sentence(in: language) }

        fileprivate init(_ text: LocalizedText) { self.text = text }

        /// The failure of a connection to the broker of the command line.
        fileprivate init(_ state: BrokerState) {
            let (code, broker) = (BrokerCode(state), "\(state.broker)")
            let japanese =
                switch code {
                // The texts of these name a key of beacons.json, and the broker is an argument here.
                case .unknownHost: Language.japanese(JoinPhrase.unknownHost, broker)
                case .refused: Language.japanese(JoinPhrase.refused, broker)
                case .login, .loginNeeded: Language.japanese(JoinPhrase.login, broker)
                case .certificate, .clientCertificate, .noTLS: Language.japanese(JoinPhrase.encryption, broker)
                default: Language.japanese.broker(code: code.rawValue, address: broker, reason: state.description)
                }
            self.init(LocalizedText(state.description, japanese: japanese))
        }
    }

    /// The time for the connection.
    private static let connectLimit = Duration.seconds(20)
    /// The time in which the broker delivers its retained messages.
    private static let readingTime = Duration.seconds(2)
    /// The time in which receivers publish that have no retained status: the script for Shelly sends a sign of life every five seconds.
    private static let receiverTime = Duration.seconds(7)

    private let settings: MQTTSettings
    private let site: String?

    /// - Parameter site: one house; `nil`: all houses that the broker lets this client read.
    package init(_ broker: MQTTSettings.Broker, site: String? = nil) {
        settings = MQTTSettings(
            broker: broker, clientID: "okaeri.join.\(String(UInt64.random(in: 0 ... .max), radix: 36))")
        self.site = site
    }

    /// Connects, reads for two seconds, and disconnects.
    package func read() async throws -> HouseDirectory {
        try await read(HouseDirectory.filters(site: site), into: HouseDirectory(), isEmpty: \.sites.isEmpty) {
            $0.receive(topic: $1.topic, payload: $1.payload)
        }
    }

    /// Reads the keys that ESPresense has published.
    package func readPhones() async throws -> PhoneDirectory {
        try await read([PhoneDirectory.filter], into: PhoneDirectory(), isEmpty: \.phones.isEmpty) {
            $0.receive(topic: $1.topic, payload: $1.payload)
        }
    }

    /// Reads which receivers of other makes publish.
    ///
    /// - Parameter time: The time in which they may publish.
    package func readReceivers(for time: Duration? = nil) async throws -> ReceiverDirectory {
        try await read(
            ReceiverDirectory.filters, into: ReceiverDirectory(), for: time ?? Self.receiverTime,
            isEmpty: \.receivers.isEmpty
        ) {
            $0.receive(topic: $1.topic, payload: $1.payload, isRetained: $1.isRetained)
        }
    }

    private func read<Contents: Sendable>(
        _ filters: [String], into contents: Contents, for time: Duration = readingTime,
        isEmpty: @escaping @Sendable (Contents) -> Bool,
        receive: @escaping @Sendable (inout Contents, MQTTMessage) -> Void
    ) async throws -> Contents {
        let collected = Collected(contents)
        let client = try MQTTClient(settings, onMessage: { message in collected.change { receive(&$0, message) } })
        for filter in filters { client.subscribe(filter) }
        let states = client.states.values(backlog: 16)
        let failure = try await withThrowingTaskGroup(of: Failure?.self) { group in
            group.addTask {
                try await client.run()
                return nil
            }
            group.addTask { await Self.connected(states) }
            group.addTask { [settings] in
                try? await Task.sleep(for: Self.connectLimit)
                let seconds = "\(Int(Self.connectLimit / .seconds(1)))"
                return Failure(LocalizedText(JoinPhrase.silent, "\(settings.broker)", seconds))
            }
            var failure = try await group.next() ?? nil
            if failure == nil {
                try await Task.sleep(for: time)
                if isEmpty(collected.contents), !client.state.refusals.isEmpty {
                    failure = Failure(client.state)
                }
            }
            client.stop()
            group.cancelAll()
            return failure
        }
        if let failure { throw failure }
        return collected.contents
    }

    /// Returns after the connection has begun, or the first problem.
    private static func connected(_ states: AsyncStream<BrokerState>) async -> Failure? {
        for await state in states {
            switch state.phase {
            case .connecting: continue
            case .connected: return nil
            case .failed, .stopped: return Failure(state)
            }
        }
        return nil
    }

    /// The messages so far, which the client's thread adds.
    private final class Collected<Contents: Sendable>: Sendable {
        private let state: Mutex<Contents>

        init(_ contents: Contents) { state = Mutex(contents) }

        var contents: Contents { state.withLock { $0 } }

        func change(_ change: @Sendable (inout Contents) -> Void) { state.withLock { change(&$0) } }
    }
}

/// The keys of phones that ESPresense publishes as retained messages, for `okaeri enroll --from-broker`.
///
/// Any client of the broker can publish these messages, so their number and size are bounded, and names are filtered.
package struct PhoneDirectory: Sendable {
    /// A phone and its key.
    package struct Phone: Sendable, Equatable {
        package var name: String
        package var key: IdentityResolvingKey
    }

    private static let limit = 64
    private static let payloadLimit = 4096
    private static let nameLimit = 64
    private static let prefix = ["espresense", "settings"]

    /// The filter of the messages.
    package static let filter = "espresense/settings/+/config"

    /// The phones, in the order of their messages.
    package private(set) var phones: [Phone] = []

    package init() {}

    private struct Settings: Decodable {
        var id: String?
        var name: String?
    }

    /// Receives a message: `espresense/settings/irk:<32 digits>/config` with `{"id": …, "name": …}`.
    package mutating func receive(topic: String, payload: [UInt8]) {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 4, levels[..<2].elementsEqual(Self.prefix, by: { $0 == $1 }), levels[3] == "config",
            levels[2].hasPrefix(IdentityResolvingKey.prefix), payload.count <= Self.payloadLimit,
            let key = IdentityResolvingKey(levels[2])
        else { return }
        phones.removeAll { $0.key == key }
        guard phones.count < Self.limit, let settings = Wire.decode(Settings.self, payload) else { return }
        let names = [settings.name, settings.id].compactMap { $0?.plain(replacesFormat: true) }
        let name = names.first { !$0.isEmpty && !Self.shows(key, in: $0) }
        phones.append(
            Phone(name: name.map { String($0.prefix(Self.nameLimit)) } ?? "phone \(phones.count + 1)", key: key))
    }

    /// Returns the phones of a name, without regard to case. Any client can publish a further key under a name that is in use.
    package func phones(named name: String) -> [Phone] {
        phones.filter { $0.name.lowercased() == name.lowercased() }
    }

    /// Whether a text is a key or contains this one. ESPresense names a phone `irk:<digits>` if the user gave it no name.
    private static func shows(_ key: IdentityResolvingKey, in text: String) -> Bool {
        let digits = text.lowercased()
        return IdentityResolvingKey(text) != nil
            || [key, key.reversed].contains { digits.contains($0.secretText.lowercased()) }
    }
}
