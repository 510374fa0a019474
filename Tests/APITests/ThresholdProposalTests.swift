import Testing

@testable import OkaeriEvents

/// The thresholds that the page requests; the set-up's are those of `SetupThresholdsTests`.
@Suite struct ThresholdProposalTests {
    private func proposal(_ signals: [Double]) -> ThresholdProposal? {
        ThresholdProposal(query: signals.map(\.description).joined(separator: ","))
    }

    @Test func `the distance follows the noise, and is longer while the noise is unknown`() {
        #expect(proposal(Array(repeating: -70, count: 14))?.distance == 21)
        #expect(proposal(Array(repeating: -70, count: 60))?.distance == 7)
        let alternating = (0..<60).map { $0.isMultiple(of: 2) ? -68.0 : -72 }
        // The standard deviation is 2.017 dB.
        #expect(proposal(alternating)?.distance == 15)
        #expect(proposal(alternating)?.noise.map { ($0 * 1000).rounded() } == 2017)
    }

    @Test func `both thresholds lie below the median`() throws {
        let found = try #require(proposal([-80, -60, -61, -62, -59]))
        #expect((found.signal, found.enterRSSI, found.exitRSSI) == (-61, -69, -90))
    }

    @Test func `without a reading a signal is assumed, and values that no receiver has are not a reading`() {
        let assumed = ThresholdProposal(query: "")
        #expect(assumed?.enterRSSI == -70 && assumed?.exitRSSI == -91 && assumed?.noise == nil)
        for text in ["nan", "1e300,-inf", "-128,21"] { #expect(ThresholdProposal(query: text) == assumed) }
    }

    @Test func `a request with another text, or with more than a minute has, is refused`() {
        for text in ["x", "-60,x", "-60 -61"] { #expect(ThresholdProposal(query: text) == nil) }
        #expect(proposal(Array(repeating: -60, count: 300)) != nil)
        #expect(proposal(Array(repeating: -60, count: 301)) == nil)
        #expect(ThresholdProposal(query: String(repeating: ",", count: 100_000)) != nil)
    }
}
