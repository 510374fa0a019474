import Testing
import Server

@testable import Events

/// Numbers that the page and the program have both.
@Suite struct PageNumbersTests {
    private func script(_ path: String) throws -> String {
        String(decoding: try #require(PageFile.at(path)).content, as: UTF8.self)
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
