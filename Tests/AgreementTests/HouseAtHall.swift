import Plumbing
import RegionMonitoring
import Agreement

/// A house at one node whose broker is played by hand.
protocol PlayedHouse {
    var house: HouseReplica { get set }
    var actions: [HouseAction] { get set }
    /// Whether the broker delivers the node's own messages.
    var isDelivering: Bool { get }

    static func moment(_ seconds: Double) -> Moment
}

extension PlayedHouse {
    /// Carries out actions: the broker delivers the node's own messages at once.
    mutating func act(at moment: Moment, _ change: (inout HouseReplica, Moment) -> [HouseAction]) {
        let new = change(&house, moment)
        actions += new
        for case .publishState(let region, let state) in new where isDelivering {
            act(at: moment) { $0.stateReceived(region: region, state, isRetained: false, at: $1) }
        }
    }

    mutating func act(at seconds: Double, _ change: (inout HouseReplica, Moment) -> [HouseAction]) {
        act(at: Self.moment(seconds), change)
    }
}

/// The house at one node, which receives only its own messages and those about the one region.
struct HouseAtHall: PlayedHouse {
    var house = HouseReplica(node: "hall", incarnation: "hall-1", regions: ["keys"])
    var actions: [HouseAction] = []
    var isDelivering = true
    var sequence: UInt64 = 0
    private var subscriptions = 0

    /// A wall clock that was set.
    static let epoch: Int64 = 1_800_000_000_000_000_000

    static func moment(_ seconds: Double) -> Moment {
        Moment(instant: Int64(seconds * 1e9), wall: epoch + Int64(seconds * 1e9))
    }

    /// A state as an owner of another node wrote it.
    ///
    /// - Parameter change: the number of events so far.
    static func message(
        _ state: RegionState, of writer: UInt64, _ sequence: UInt64, change: UInt64 = 0, hearing: [String] = []
    ) -> HouseState {
        HouseState(
            state: state, since: Int64(sequence % 1_000_000) * 1_000_000_000, hearing: hearing.map { .init(node: $0) },
            change: change, stamp: .init(sequence: sequence, writer: writer))
    }

    mutating func connect(at seconds: Double, keeping states: [HouseState] = []) {
        act(at: seconds) { $0.connected(at: $1) }
        for state in states { hear(state, found: true, at: seconds) }
        act(at: seconds) {
            $0.nodeDescribed(
                node: "hall", room: nil, regions: nil, isRetained: false, at: $1)
        }
        act(at: seconds) {
            $0.statusReceived(
                node: "hall", isOnline: true, isRetained: false, at: $1)
        }
    }

    /// Another node's status.
    mutating func status(of name: String, isOnline: Bool = true, found: Bool = false, at seconds: Double) {
        pass(to: seconds)
        act(at: seconds) { $0.statusReceived(node: name, isOnline: isOnline, isRetained: found, at: $1) }
    }

    /// A node that owns the region beside hall, and one beside which hall does.
    static let stronger = ["attic", "shed", "barn", "yard"].first { isOwner($0) } ?? ""
    static let weaker = ["attic", "shed", "barn", "yard"].first { !isOwner($0) } ?? ""

    private static func isOwner(_ name: String) -> Bool {
        Ownership.owner(of: "keys", among: ["hall", name]) == name
    }

    mutating func disconnect(at seconds: Double) {
        act(at: seconds) { $0.disconnected(at: $1) }
    }

    mutating func hear(_ state: HouseState, found: Bool = false, at seconds: Double) {
        pass(to: seconds)
        act(at: seconds) { $0.stateReceived(region: "keys", state, isRetained: found, at: $1) }
    }

    mutating func hear(_ event: HouseEvent, at seconds: Double) {
        pass(to: seconds)
        act(at: seconds) { $0.eventReceived(region: "keys", event, at: $1) }
    }

    mutating func say(_ state: RegionState, of name: String = "hall", age: Double? = 1, at seconds: Double) {
        pass(to: seconds)
        sequence += 1
        let observation = Observation(state: state, age: age, incarnation: "\(name)-1", sequence: sequence)
        for isRetained in name == "hall" && isNewlySubscribed() ? [true, false] : [false] {
            act(at: seconds) {
                $0.observationReceived(
                    node: name, region: "keys", observation, isRetained: isRetained, at: $1)
            }
        }
    }

    /// Whether the broker has to deliver what it retains of a region, behind a subscription.
    private mutating func isNewlySubscribed() -> Bool {
        let count = actions.count { if case .subscribe = $0 { true } else { false } }
        defer { subscriptions = count }
        return count > subscriptions
    }

    mutating func pass(to seconds: Double) {
        while let due = house.nextDeadline, due <= Self.moment(seconds).instant {
            act(at: Moment(instant: due, wall: Self.epoch + due)) { $0.advanced(to: $1) }
        }
    }

    var written: [HouseState] {
        actions.compactMap { if case .publishState("keys", let state) = $0 { state } else { nil } }
    }

    var news: [HouseNews] {
        actions.compactMap { if case .happened("keys", let news) = $0 { news } else { nil } }
    }

    var sent: [HouseEvent] {
        actions.compactMap { if case .publishEvent("keys", let event) = $0 { event } else { nil } }
    }

    var events: [HouseEvent.Kind] { sent.map(\.kind) }
}
