import Plumbing
import RegionMonitoring
import Agreement
import Testing

/// A beacon does not move because the node beside it dies: whether its region's owner lives on or dies as well, the room stays
/// until what the others hear has spoken against it for long.
@Suite struct RoomOverDeathTests {
    private static let nodes = ["hall", "kitchen", "attic"]

    /// The owner is attic, beside hall that dies and kitchen that hears the beacon less well.
    private struct Attic {
        var house = HouseReplica(node: "attic", incarnation: "attic", regions: ["keys"])
        var room: String?
        private var sequence: UInt64 = 0

        static func moment(_ seconds: Double) -> Moment {
            Moment(instant: Int64(seconds * 1e9), wall: Int64(seconds * 1e9))
        }

        mutating func take(_ actions: [HouseAction]) {
            for case .publishState(_, let state) in actions where state.state == .inside { room = state.room }
        }

        mutating func pass(to seconds: Double) {
            while let due = house.nextDeadline, due <= Self.moment(seconds).instant {
                take(house.advanced(to: Moment(instant: due, wall: due)))
            }
        }

        mutating func connect(at seconds: Double) {
            take(house.connected(at: Self.moment(seconds)))
            for name in RoomOverDeathTests.nodes {
                let watched: Set<String>? = name == "attic" ? nil : []
                take(
                    house.nodeDescribed(
                        node: name, room: name, regions: watched, isRetained: name != "attic",
                        at: Self.moment(seconds)))
            }
        }

        mutating func status(of name: String, isOnline: Bool, found: Bool = false, at seconds: Double) {
            take(house.statusReceived(node: name, isOnline: isOnline, isRetained: found, at: Self.moment(seconds)))
        }

        mutating func hear(_ name: String, _ signal: Double?, found: Bool = false, at seconds: Double) {
            pass(to: seconds)
            sequence += 1
            let observation = Observation(
                state: signal == nil ? .outside : .inside, signal: signal, spread: 2, age: 0, incarnation: name,
                sequence: sequence)
            take(
                house.observationReceived(
                    node: name, region: "keys", observation, isRetained: found, at: Self.moment(seconds)))
        }

        /// Kitchen goes on hearing the beacon.
        mutating func live(from start: Int, to end: Int) {
            for seconds in start..<end {
                hear("kitchen", -74, at: Double(seconds))
                if seconds % 100 == 0 { status(of: "kitchen", isOnline: true, at: Double(seconds)) }
            }
        }
    }

    private func livingOwner() -> Attic {
        var attic = Attic()
        attic.connect(at: 0)
        for name in Self.nodes { attic.status(of: name, isOnline: true, at: 0) }
        attic.pass(to: 5)
        attic.hear("attic", nil, at: 5)
        for seconds in 5..<60 {
            attic.hear("hall", -58, at: Double(seconds))
            attic.hear("kitchen", -74, at: Double(seconds))
        }
        attic.status(of: "hall", isOnline: false, at: 60)
        return attic
    }

    private func newOwner() -> Attic {
        var attic = Attic()
        attic.connect(at: 50)
        attic.status(of: "hall", isOnline: false, found: true, at: 50)
        attic.status(of: "kitchen", isOnline: true, found: true, at: 50)
        attic.take(
            attic.house.stateReceived(
                region: "keys",
                HouseState(
                    state: .inside, room: "hall", since: 0, hearing: [.init(node: "hall")],
                    stamp: .init(sequence: 7, writer: 7)),
                isRetained: true, at: Attic.moment(50)))
        attic.status(of: "attic", isOnline: true, at: 50)
        attic.pass(to: 53)
        attic.hear("kitchen", -74, found: true, at: 53)
        attic.hear("hall", -58, found: true, at: 53)
        attic.hear("attic", nil, at: 53)
        attic.live(from: 54, to: 60)
        return attic
    }

    @Test(arguments: [true, false]) func `the room stays and is left at last`(isNew: Bool) {
        var attic = isNew ? newOwner() : livingOwner()
        attic.live(from: 60, to: 90)
        #expect(attic.room == "hall")
        attic.live(from: 90, to: 240)
        #expect(attic.room == "kitchen")
    }
}
