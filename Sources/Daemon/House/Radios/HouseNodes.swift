import OkaeriEvents
import OkaeriPlumbing

/// The nodes of a house, by their retained topics and their messages.
///
/// Any client of the broker can publish under any node's name, so the number of nodes is bounded, and the size of what is stored of each.
struct HouseNodes: Sendable {
    /// The maximum number of nodes.
    static let limit = 1024

    /// The time for which a retained `online` is valid without a refresh: an interval of 300 s, and a tenth for the delay; and for one
    /// that was refreshed.
    private static let (foundValidity, validity) = (330 * Nanoseconds.second, 900 * Nanoseconds.second)

    /// The time that a present node has to publish its topics again after another client emptied them.
    private static let repetition = 10 * Nanoseconds.second

    /// Whether a node is online.
    ///
    ///     offline → online     `online`; a retained one is valid for a shorter time
    ///     online → offline     its own message, its last will, or the hub's on its behalf
    ///     online → silent      it has not refreshed its status in time
    ///     silent → online      the next `online`
    enum Status: Sendable, Equatable {
        case offline
        case online(until: Int64)
        case silent
    }

    struct Node: Sendable {
        var status: Status?
        var card: NodeCard?
        var scanner: Scanner?
        /// The time at which the node is deleted unless it publishes its status: another client emptied its topics.
        var deletedAt: Int64?

        var isOnline: Bool { if case .online = status { true } else { false } }

        /// The time at which the node is silent or deleted.
        var deadline: Int64? {
            guard case .online(let until) = status else { return deletedAt }
            return min(until, deletedAt ?? until)
        }
    }

    private(set) var all: [String: Node] = [:]

    subscript(name: String) -> Node? { all[name] }

    var online: [String] { all.filter(\.value.isOnline).keys.sorted() }

    /// The next time at which a node is silent or deleted. May be early, is never late: each message needs it.
    private(set) var nextDeadline: Int64?

    mutating func statusReceived(_ name: String, isOnline: Bool, isRetained: Bool, at now: Int64) {
        change(name) { node in
            guard isOnline else {
                node.status = .offline
                return
            }
            let until = now.addingClamped(isRetained ? Self.foundValidity : Self.validity)
            if case .online(let known) = node.status, isRetained {
                node.status = .online(until: known)
            } else {
                node.status = .online(until: until)
            }
            if !isRetained { node.deletedAt = nil }
        }
    }

    mutating func described(_ name: String, _ card: NodeCard?) { change(name) { $0.card = card } }

    mutating func scannerReceived(_ name: String, _ scanner: Scanner) { change(name) { $0.scanner = scanner } }

    /// Handles that a node's topics were emptied. Returns whether it is deleted: one that is online publishes them again.
    mutating func emptied(_ name: String, at now: Int64) -> Bool {
        guard let node = all[name] else { return false }
        guard node.isOnline else {
            all[name] = nil
            return true
        }
        change(name) { $0.deletedAt = node.deletedAt ?? now.addingClamped(Self.repetition) }
        return false
    }

    mutating func remove(_ name: String) { all[name] = nil }

    /// Returns the nodes that are silent from now on, and those that are deleted.
    mutating func advance(to now: Int64) -> (silent: [String], deleted: [String]) {
        guard let nextDeadline, nextDeadline <= now else { return ([], []) }
        let deleted = all.filter { $0.value.deletedAt.map { $0 <= now } ?? false }.keys.sorted()
        for name in deleted { all[name] = nil }
        let silent = all.filter {
            if case .online(let until) = $0.value.status { until <= now } else { false }
        }.keys.sorted()
        for name in silent { all[name]?.status = .silent }
        self.nextDeadline = all.values.lazy.compactMap(\.deadline).min()
        return (silent, deleted)
    }

    private mutating func change(_ name: String, _ change: (inout Node) -> Void) {
        guard all[name] != nil || all.count < Self.limit else { return }
        change(&all[name, default: Node()])
        guard let deadline = all[name]?.deadline else { return }
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }
}

/// The description of a node, retained.
struct NodeCard: Hashable, Sendable {
    var kind: NodeKind
    var room: String?
    /// The correction that is added to the node's signals, in dB.
    var offset = 0.0
    var version: String
    /// The start of the node's daemon by its own wall clock, RFC 3339. For people.
    var since: String

    /// The largest correction that is believed, in dB.
    private static let largestOffset = 40.0

    init(kind: NodeKind, room: String?, offset: Double = 0, version: String, since: String) {
        (self.kind, self.room, self.offset) = (kind, room, offset)
        (self.version, self.since) = (version, since)
    }

    /// The card as JSON.
    var payload: String {
        [
            Wire.text("kind", kind.rawValue), Wire.text("room", room), EventField("offset", .number(offset)),
            Wire.text("version", version), Wire.text("since", since),
        ].json
    }

    /// Returns `nil` for a payload that no node publishes.
    init?(_ payload: [UInt8]) {
        struct Members: Decodable {
            var kind: String?
            var room: String?
            var offset: Double?
            var version: String?
            var since: String?
        }
        guard payload.count <= Self.largest, let members = Wire.decode(Members.self, payload) else { return nil }
        // An earlier version names no kind.
        kind = members.kind.flatMap(NodeKind.init) ?? .receiver
        room = members.room.flatMap(Wire.name)
        let offset = members.offset ?? 0
        self.offset = offset.isFinite ? min(max(offset, -Self.largestOffset), Self.largestOffset) : 0
        version = members.version.flatMap(Wire.name) ?? ""
        since = members.since.flatMap(Wire.name) ?? ""
    }

    /// The size from which on a description is not read. Those of earlier versions have a list of regions.
    private static let largest = 1 << 18
}

/// The state of a node's Bluetooth adapter, retained.
struct Scanner: Hashable, Sendable, Decodable {
    /// Whether the scan runs.
    var ok: Bool
    /// Such as `hci0`.
    var adapter: String?
    /// The reason why the scan does not run.
    var reason: String?

    /// The maximum length of a reason in scalars: one character can have any number of them.
    private static let longestReason = 300

    var payload: String {
        [EventField("ok", .flag(ok)), Wire.text("adapter", adapter), Wire.text("reason", reason)].json
    }
}

extension Scanner {
    /// Returns `nil` for a payload that no node publishes.
    init?(_ payload: [UInt8]) {
        guard let read = Wire.decode(Self.self, payload) else { return nil }
        self.init(
            ok: read.ok, adapter: read.adapter.flatMap(Wire.name),
            reason: read.reason.map { String($0.unicodeScalars.prefix(Self.longestReason)).escapedName })
    }
}
