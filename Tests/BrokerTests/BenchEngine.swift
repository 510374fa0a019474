import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriEvents
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Synchronization

@testable import OkaeriHouse

/// The engine of a node of the bench. Each input returns the events that it causes.
protocol BenchEngine: Sendable {
    mutating func announced(_ states: [String: RegionState], at now: Int64) -> [Event.Kind]
    mutating func received(_ report: RadioReport, by radio: String, at now: Int64) -> [Event.Kind]
    mutating func radioLost(_ radio: String, at now: Int64) -> [Event.Kind]
    mutating func radioRemoved(_ radio: String, at now: Int64) -> [Event.Kind]
    mutating func radiosRemoved(where isRemoved: (String) -> Bool, at now: Int64) -> [Event.Kind]
}

/// An engine whose states a test determines.
struct ScriptedEngine: BenchEngine {
    var state = RegionState.unknown
    var lastKnown = RegionState.unknown

    mutating func became(_ state: RegionState) -> [Event.Kind] {
        self.state = state
        var kinds: [Event.Kind] = []
        if state == .inside, lastKnown != .inside { kinds = [.didEnterRegion(region: "keys", Self.beacon)] }
        if state == .outside, lastKnown == .inside { kinds = [.didExitRegion(region: "keys")] }
        if state != .unknown { lastKnown = state }
        return kinds + [.didDetermineState(region: "keys", state)]
    }

    mutating func announced(_ states: [String: RegionState], at now: Int64) -> [Event.Kind] {
        guard let announced = states["keys"] else { return [] }
        lastKnown = announced
        return became(state)
    }

    func received(_ report: RadioReport, by radio: String, at now: Int64) -> [Event.Kind] { [] }
    func radioLost(_ radio: String, at now: Int64) -> [Event.Kind] { [] }
    func radioRemoved(_ radio: String, at now: Int64) -> [Event.Kind] { [] }
    func radiosRemoved(where isRemoved: (String) -> Bool, at now: Int64) -> [Event.Kind] { [] }

    private static let beacon = RangedBeacon(
        identity: BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 1, minor: 1), rssi: -60, accuracy: 1)
}

/// The engine of the daemon, with the receptions of its own radio and the reports of others.
struct LiveEngine: BenchEngine {
    struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    private final class Collected: Sendable {
        let kinds = Mutex<[Event.Kind]>([])
    }

    private static let beacon = Reception.Sender.beacon(HouseBench.beacon("keys"), measuredPower: -59)

    private let driver: PresenceDriver
    private let collected = Collected()
    /// The time of the last reception by each radio that this engine knows; the own one's name is empty.
    private(set) var receptions: [String: Int64] = [:]

    init(_ region: MonitoredRegion, knowing memory: RegionMonitor.Memory, at now: Int64) {
        driver = PresenceDriver(regions: [region], clock: Clock()) { [collected] event, _ in
            guard case .action(let action, _) = event, let kind = Event.Kind(action) else { return }
            collected.kinds.withLock { $0.append(kind) }
        }
        driver.restore(memory)
        driver.scannerWillStart(at: now)
        driver.scannerDidUpdate(.init(state: .poweredOn, adapter: "hci0", reason: ""), at: now)
        driver.scannerDidChangeListening(.continuous, at: now)
    }

    func memory(at now: Int64) -> RegionMonitor.Memory { driver.memory(at: Instant(nanoseconds: now)) }

    private func events(_ input: () -> Void) -> [Event.Kind] {
        input()
        return collected.kinds.withLock { kinds in
            defer { kinds = [] }
            return kinds
        }
    }

    /// The own radio received the beacon, or nothing, until now.
    mutating func listened(_ reception: Reception?, at now: Int64) -> [Event.Kind] {
        if reception != nil { receptions[""] = now }
        return events {
            if let reception { driver.received(reception, by: .own) }
            _ = driver.scannerDidFinishTurn(at: now)
        }
    }

    mutating func announced(_ states: [String: RegionState], at now: Int64) -> [Event.Kind] {
        events { driver.announced(states, at: Instant(nanoseconds: now)) {} }
    }

    mutating func received(_ report: RadioReport, by radio: String, at now: Int64) -> [Event.Kind] {
        if let last = report.receptions.last(where: { $0.sender == Self.beacon }) {
            receptions[radio] = last.time.nanoseconds
        }
        return events { driver.received(report, byRadioNamed: radio, at: Instant(nanoseconds: now)) }
    }

    mutating func radioLost(_ radio: String, at now: Int64) -> [Event.Kind] {
        events { driver.radioLost(named: radio, at: Instant(nanoseconds: now)) }
    }

    mutating func radioRemoved(_ radio: String, at now: Int64) -> [Event.Kind] {
        events { driver.radioRemoved(named: radio, at: Instant(nanoseconds: now)) }
    }

    mutating func radiosRemoved(where isRemoved: (String) -> Bool, at now: Int64) -> [Event.Kind] {
        events { driver.radiosRemoved(where: isRemoved, at: Instant(nanoseconds: now)) }
    }
}

extension Event.Kind {
    fileprivate init?(_ action: RegionMonitor.Action) {
        switch action {
        case .didDetermineState(let region, let state): self = .didDetermineState(region: region, state)
        case .didEnterRegion(let region, let beacon): self = .didEnterRegion(region: region, beacon)
        case .didExitRegion(let region): self = .didExitRegion(region: region)
        case .didStartMonitoring, .didRangeBeacons, .rangingBeaconsDidFail, .silenceDidEnd: return nil
        }
    }
}
