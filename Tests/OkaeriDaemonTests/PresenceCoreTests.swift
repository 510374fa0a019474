import BeaconLocation
import Bluetooth
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriDaemon

@Suite struct PresenceCoreTests {
    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds }
        var now: Int64 { 0 }
    }

    private final class Log: Sendable {
        let names = Mutex<[String]>([])
    }

    private let log = Log()

    private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }

    /// A core that listens from 0 s on, to an adapter whose controller is asked after `patience`.
    private func core(exitAfter: Double?, patience: Duration?) -> PresenceCore {
        var region = monitored()
        region.exitAfter = exitAfter.map { .seconds($0) }
        let core = PresenceCore(
            regions: [region], wallClock: Clock(), patience: patience,
            publish: { [log] event in log.names.withLock { $0.append(event.kind.name) } })
        core.begin(at: at(0))
        core.adapterUpdated(AdapterUpdate(state: .poweredOn, adapter: "hci0", reason: ""), at: at(0))
        core.listeningChanged(true, at: at(0))
        return core
    }

    private var exits: Int { log.names.withLock { names in names.filter { $0 == "didExitRegion" }.count } }

    @Test func `a radio that fell silent sends nobody away before it has proved that it lives`() {
        let core = core(exitAfter: 5, patience: .seconds(2.5))
        core.received(event: event().span.bytes, at: at(1))
        // Dead from here on: the exit is due, and not decided.
        #expect(core.turnFinished(at: at(6)) == nil)
        #expect(core.turnFinished(at: at(7)) == nil)
        #expect(exits == 0)
        core.adapterUpdated(AdapterUpdate(state: .resetting, adapter: "hci0", reason: ""), at: at(7.5))
        _ = core.turnFinished(at: at(60))
        #expect(exits == 0)
    }

    @Test func `an answer of the controller is enough to believe the silence`() {
        let core = core(exitAfter: 5, patience: .seconds(2.5))
        core.received(event: event().span.bytes, at: at(1))
        core.controllerHeard(at: at(3.5))
        _ = core.turnFinished(at: at(6))
        #expect(exits == 1, "at its time, not later")
    }

    @Test func `an exit that had to wait is decided with the answer`() {
        let core = core(exitAfter: 5, patience: .seconds(2.5))
        core.received(event: event().span.bytes, at: at(1))
        #expect(core.turnFinished(at: at(6)) == nil)
        core.controllerHeard(at: at(8))
        _ = core.turnFinished(at: at(8))
        #expect(exits == 1)
    }

    @Test func `while the scan is stolen or a Wi-Fi is joined nothing is silent, and nothing is learned`() {
        let core = core(exitAfter: nil, patience: nil)
        for second in 0...300 { core.received(event: event().span.bytes, at: at(Double(second))) }
        let time = core.snapshot(at: at(300)).regions[0].exitTime / .seconds(1)
        #expect(time < 15)
        core.listeningChanged(false, at: at(301))
        for second in stride(from: 301.0, to: 3600, by: 10) { _ = core.turnFinished(at: at(second)) }
        #expect(core.snapshot(at: at(3600)).judgements[0][0].silence == .seconds(1))
        core.listeningChanged(true, at: at(3600))
        _ = core.turnFinished(at: at(3600 + time - 1.1))
        #expect(exits == 0)
        #expect(core.snapshot(at: at(3600)).regions[0].exitTime == .seconds(time))
        _ = core.turnFinished(at: at(3600 + time - 0.9))
        #expect(exits == 1)
    }

    @Test func `other beacons prove that the radio lives`() {
        let core = core(exitAfter: 5, patience: .seconds(2.5))
        core.received(event: event().span.bytes, at: at(1))
        for second in 2...6 { core.received(event: event(neighbour).span.bytes, at: at(Double(second))) }
        _ = core.turnFinished(at: at(6))
        #expect(exits == 1)
    }

    @Test func `the answers a scanner gets are enough in a silence of any length`() {
        var vitality = Vitality(patience: .seconds(10))
        vitality.reportReceived(at: at(0))
        var probe = 10.0
        var interval = 10.0
        for second in 1...5000 {
            if Double(second) >= probe {
                vitality.controllerHeard(at: at(Double(second)))
                interval *= 2
                probe += interval
            }
            #expect(vitality.isCertain(at: at(Double(second))), "\(second) s")
        }
        vitality.reportReceived(at: at(6000))
        #expect(vitality.isCertain(at: at(6010)))
        #expect(!vitality.isCertain(at: at(6011)))
    }

    @Test func `the patience is well below the shortest exit time`() {
        #expect(Vitality.patience(for: []) == .seconds(10))
        #expect(Vitality.patience(for: [monitored(30)]) == .seconds(10))
        #expect(Vitality.patience(for: [monitored(30), monitored(5)]) == .seconds(2.5))
    }
}
