import Testing
import WiFi

@testable import Homecoming

@Suite struct AntennaTests {
    @Test(.timeLimit(.minutes(5)))
    func `the scan is held while a Wi-Fi is being joined, and no longer`() async throws {
        let wifi = SimulatedWiFi(inSight: [])
        let (holds, continuation) = AsyncStream.makeStream(of: Bool.self)
        wifi.change { $0.activating = true }
        let service = Task { try await AntennaService(wifi: wifi) { continuation.yield($0) }.run() }
        var held = holds.makeAsyncIterator()
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
