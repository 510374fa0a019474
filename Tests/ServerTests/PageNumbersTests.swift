import Testing
import Server

@testable import Events

/// Numbers that the page and the program have both.
@Suite struct PageNumbersTests {
    private func script(_ path: String) throws -> String {
        String(decoding: try #require(PageFile.at(path)).content, as: UTF8.self)
    }

    @Test func `the page proposes thresholds by the numbers of the set-up`() throws {
        let (least, factor) = (ThresholdProposal.leastDistance, ThresholdProposal.distancePerDecibel)
        let hysteresis = try script("/hysteresis.js")
        #expect(hysteresis.contains("\nconst unmeasured = \(ThresholdProposal.unmeasuredDistance)\n"))
        #expect(hysteresis.contains("\nconst [least, factor] = [\(least), \(factor)]\n"))
        #expect(hysteresis.contains("\nconst needed = \(ThresholdProposal.neededReadings)\n"))
        #expect(try script("/thresholds.js").contains("\nconst slack = \(ThresholdProposal.slack)\n"))
    }

    @Test func `the page names each kind of a node, in both languages`() throws {
        for path in ["/en.more.js", "/ja.more.js"] {
            let words = try script(path)
            for kind in NodeKind.allCases.map(\.rawValue) + ["standby"] {
                #expect(words.contains("\n  node_\(kind): '"), "\(path): \(kind)")
            }
        }
    }
}
