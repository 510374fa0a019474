import RegionMonitoring
import Testing
import WiFi

@testable import OkaeriDaemon

@Suite struct AntennaTests {
    /// A source that only tells when it is held.
    private final class Source: PresenceSource {
        let held: AsyncStream<Bool>
        private let continuation: AsyncStream<Bool>.Continuation

        init() {
            (held, continuation) = AsyncStream.makeStream()
        }

        var name: String { "a source" }
        var instant: Instant { Instant(nanoseconds: 0) }
        var now: Int64 { 0 }
        func wallTime(of instant: Instant) -> Int64 { 0 }
        func run(_ receiver: some PacketReceiver) throws -> Bool { true }
        func stop() {}
        func hold(_ isHeld: Bool) { continuation.yield(isHeld) }
        func wake() {}
        func perform(_ work: @escaping @Sendable () -> Void) { work() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `the scan is held while a Wi-Fi is being joined, and no longer`() async throws {
        let (wifi, source) = (SimulatedWiFi(inSight: []), Source())
        wifi.change { $0.activating = true }
        let service = Task { try await AntennaService(wifi: wifi, source: source).run() }
        var held = source.held.makeAsyncIterator()
        #expect(await held.next() == true)
        wifi.change { $0.connectedSSID = "HomeNet" }
        wifi.change { $0.activating = false }
        #expect(await held.next() == false)
        wifi.change { $0.activating = true }
        #expect(await held.next() == true)
        service.cancel()
        _ = await service.result
    }
}
