import OkaeriPlumbing
import OkaeriWiFi
import Testing

@testable import OkaeriAutomation

@Suite struct AntennaTests {
    private func antenna(
        _ wifi: any WiFiService, budget: TimeBudget = AntennaService.usualBudget,
        hold: @escaping @Sendable (Bool) -> Void
    ) -> AntennaService {
        AntennaService(wifi: wifi, budget: budget, hold: hold, wifiChanged: { _ in })
    }

    @Test(.timeLimit(.minutes(5)))
    func `whether 2.4 GHz Wi-Fi is in use is passed on`() async throws {
        let wifi = SimulatedWiFi(inSight: [])
        let (uses, continuation) = AsyncStream.makeStream(of: Bool?.self)
        let service = AntennaService(wifi: wifi, hold: { _ in }, wifiChanged: { continuation.yield($0) })
        let run = Task { try await service.run() }
        var seen = uses.makeAsyncIterator()
        #expect(await seen.next() == .some(nil))
        wifi.change { $0.uses24GHz = true }
        #expect(await seen.next() == .some(true))
        wifi.change { $0.uses24GHz = false }
        #expect(await seen.next() == .some(false))
        run.cancel()
        _ = await run.result
    }

    @Test(.timeLimit(.minutes(5)))
    func `the scan is held while a Wi-Fi is being joined, and no longer`() async throws {
        let wifi = SimulatedWiFi(inSight: [])
        let (holds, continuation) = AsyncStream.makeStream(of: Bool.self)
        wifi.change { $0.activating = true }
        let service = Task { try await antenna(wifi) { continuation.yield($0) }.run() }
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

    @Test(.timeLimit(.minutes(5)))
    func `the scan is held again when a retry of the activation has budget left, and not before`() async throws {
        let wifi = SimulatedWiFi(inSight: [])
        let (holds, continuation) = AsyncStream.makeStream(of: (Bool, ContinuousClock.Instant).self)
        wifi.change { $0.activating = true }
        let budget = TimeBudget(limit: .milliseconds(300), window: .milliseconds(900), useful: .milliseconds(100))
        let service = Task {
            try await antenna(wifi, budget: budget) { continuation.yield(($0, .now)) }.run()
        }
        var held = holds.makeAsyncIterator()
        let begin = try #require(await held.next())
        #expect(begin.0)
        // The limit ends the hold, though the activation goes on.
        let released = try #require(await held.next())
        #expect(!released.0)
        // NetworkManager retries.
        wifi.change { $0.activating = false }
        wifi.change { $0.activating = true }
        let again = try #require(await held.next())
        #expect(again.0)
        #expect(begin.1.duration(to: again.1) >= .milliseconds(990))
        service.cancel()
        _ = await service.result
    }
}
