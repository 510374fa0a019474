import Testing
import Server

@testable import Events

/// The names of the program for which the page has texts.
@Suite struct PageTextsTests {
    private func script(_ path: String) throws -> String {
        String(decoding: try #require(PageFile.at(path)).content, as: UTF8.self)
    }

    @Test func `each finding that is a notice of the page has its text, in both languages`() throws {
        // Now shows them in their places, or the page leaves them to the doctor.
        let others: Set<Finding.Code> = [
            .notPoweredOn, .notScanned, .brokerAway, .brokerUnsuitable, .brokerWasAway, .lowBattery, .notAnnounced,
            .noneDelivered, .longSilence,
        ]
        for path in ["/en.js", "/ja.js"] {
            let words = try script(path)
            for code in Finding.Code.allCases {
                #expect(words.contains("\n  \(code): '") != others.contains(code), "\(path): \(code)")
            }
        }
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
