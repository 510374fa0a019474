import Foundation
import OkaeriTestSupport
import Testing

@Suite(.computes) struct HouseModelTests {
    /// More of them by OKAERI_INTERLEAVINGS.
    private static let count = ProcessInfo.processInfo.environment["OKAERI_INTERLEAVINGS"].flatMap { UInt64($0) } ?? 25
    private static let first = ProcessInfo.processInfo.environment["OKAERI_FIRST"].flatMap { UInt64($0) } ?? 1

    @Test func `A house with standbys, receivers and a broker with faults announces the truth, each transition once`() {
        var (events, takeovers, decisions) = (0, UInt64(0), 0)
        for seed in Self.first..<(Self.first + Self.count) {
            var model = HouseModel(seed: seed)
            let faults = model.play()
            #expect(faults.isEmpty, "interleaving \(seed)")
            events += model.events.count
            takeovers += UInt64(model.takeovers)
            decisions += model.judged
        }
        // The faults reach what they are for.
        #expect(takeovers > Self.count / 10, "\(events) events, \(takeovers) of them by a standby")
        #expect(decisions > events / 2)
    }

    /// A late event of a hub whose connection was dead, its arrival that a standby had announced, and an event that is delivered again
    /// because the hub ended before its acknowledgement.
    @Test(arguments: [100_042, 401_916, 500_187] as [UInt64])
    func `An interleaving that failed once is right`(seed: UInt64) {
        var model = HouseModel(seed: seed)
        #expect(model.play().isEmpty)
    }
}
