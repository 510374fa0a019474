import IBeacon
import OkaeriListening
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import ServiceLifecycle
import Testing

@testable import OkaeriEvents

/// The output of `okaeri monitor`, which may block.
@Suite(.timeLimit(.minutes(5))) struct EventOutputTests {
    private let hub = EventHub(node: "pi")
    private let output = BlockedOutput()
    private let identity = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 3, minor: 4)

    private func happened(_ count: Int, beacons: Int = 0) {
        let crowd = [RangedBeacon](repeating: .init(identity: identity, rssi: -60, accuracy: 1), count: beacons)
        for _ in 0..<count {
            hub.happened(beacons > 0 ? .didRangeBeacons(region: "h", crowd) : .didExitRegion(region: "h"), at: evening)
        }
    }

    /// Runs the service while `body` runs, closes the hub, and returns when the service has ended.
    private func run(gracePeriod: Duration = .seconds(60), _ body: () async throws -> Void) async throws {
        let service = EventOutput(
            hub: hub, gracePeriod: gracePeriod, reportMissing: { [output] in output.reported($0) },
            write: { [output] in output.write($0) })
        let group = ServiceGroup(services: [service, HubService(hub: hub)], logger: quiet)
        let running = Task { try await group.run() }
        try await body()
        await group.triggerGracefulShutdown()
        try await running.value
    }

    private func written(_ count: Int) async throws {
        try await output.state.wait(until: "\(count) events are written") { $0.written.count >= count }
    }

    @Test func `every event is written in order, from before the start to the end`() async throws {
        hub.resume(after: 40)
        happened(2)
        output.unblock()
        try await run {
            happened(3)
            try await written(5)
            happened(1)
        }
        #expect(output.written == Array(41...46))
        #expect(output.missing == [])
    }

    @Test func `an output that blocks misses what the hub does not keep, and the loss is reported`() async throws {
        try await run {
            happened(1)
            try await written(1)
            // Ranging is lost first: the exit stays.
            happened(1)
            happened(1000, beacons: EventHub.backlog)
            output.unblock()
            try await output.state.wait(until: "the last event is written") { $0.written.last == 1002 }
        }
        #expect(output.written.prefix(2) == [1, 2] && output.written.count < 10)
        #expect(output.missing == [UInt64(1002 - output.written.count)])
    }

    @Test func `an output that is never read does not hold up the end`() async throws {
        try await run(gracePeriod: .milliseconds(50)) {
            happened(3)
            try await written(1)
        }
        #expect(output.written == [1])
        #expect(output.missing == [3])
        output.unblock()
    }

    @Test func `nothing is written after a failure`() async throws {
        output.unblock()
        output.fail()
        try await run {
            happened(1)
            try await written(1)
            happened(1)
        }
        #expect(output.written == [1] && output.missing == [])
    }

    /// Takes one event, then blocks until it is read.
    private final class BlockedOutput: Sendable {
        struct State {
            var written: [UInt64] = []
            var missing: [UInt64] = []
            var isBlocked = true
            var isBroken = false
        }

        let state = Watched(State())
        private let unblocked = BinarySemaphore()

        var written: [UInt64] { state.value.written }
        var missing: [UInt64] { state.value.missing }

        func write(_ event: Event) -> Bool {
            state.change { $0.written.append(event.sequence) }
            if state.value.isBlocked { unblocked.wait() }
            return !state.value.isBroken
        }

        func reported(_ count: UInt64) { state.change { $0.missing.append(count) } }

        func unblock() {
            state.change { $0.isBlocked = false }
            unblocked.signal()
        }

        func fail() { state.change { $0.isBroken = true } }
    }
}
