import Foundation
import HCI
import OkaeriServer
import OkaeriWiFi
import Testing

@testable import OkaeriEvents

/// The names of the program for which the page has texts.
@Suite struct PageTextsTests {
    private func script(_ path: String) throws -> String {
        String(decoding: try #require(PageFile.at(path)).content, as: UTF8.self)
    }

    @Test func `each finding that is a notice of the page has its text, in both languages`() throws {
        // Now shows them in their places, or the page leaves them to the doctor.
        let others: Set<Finding.Code> = [
            .notPoweredOn, .notScanned, .brokerAway, .brokerUnsuitable, .brokerWasAway, .lowBattery, .notAnnounced,
            .noneDelivered, .longSilence, .sharedIdentity, .changingIdentity,
        ]
        for path in ["/en.js", "/ja.js"] {
            let words = try script(path)
            for code in Finding.Code.allCases {
                #expect(words.contains("\n  \(code): '") != others.contains(code), "\(path): \(code)")
            }
        }
    }

    /// Decodes a table of the texts that the program has made: on a line, after its name.
    private func table<Table: Decodable>(_ path: String, _ name: String) throws -> Table {
        let line = try #require(try script(path).split(separator: "\n").first { $0.hasPrefix("export \(name) ") })
        return try JSONDecoder().decode(Table.self, from: Data(line.drop { $0 != "{" }.utf8))
    }

    private func texts(_ path: String) throws -> [String: String] { try table(path, "default") }

    @Test(
        arguments: JoinFailure.Code.allCases.map(\.rawValue) + InternetAccess.Limitation.allCases.map(\.rawValue))
    func `the page has the Japanese sentence of notifications for each failure`(code: String) throws {
        let sentence = try #require(try texts("/wifi.ja.js")["why_\(code)"])
        #expect(sentence == Language.japanese.reason(code, "{0}"))
        #expect(sentence.unicodeScalars.contains { ("\u{3041}"..."\u{30FF}").contains($0) }, "\(sentence)")
        // The daemon's sentence is in English.
        #expect(try texts("/wifi.en.js")["why_\(code)"] == nil)
    }

    @Test(arguments: ScanMode.Reason.allCases)
    func `the page has the reasons of a scan as the command line has them`(reason: ScanMode.Reason) throws {
        #expect(try texts("/wifi.en.js")["scan_\(reason.rawValue)"] == reason.description)
        #expect(try texts("/wifi.ja.js")["scan_\(reason.rawValue)"] == Language.japanese(reason))
    }

    @Test func `the page has the Japanese sentences of Bluetooth and of the broker by their codes`() throws {
        let texts = try texts("/wifi.ja.js")
        for cause in AdapterUpdate.Cause.allCases where cause != .other {
            let text = try #require(texts["bluetooth_\(cause.rawValue)"])
            #expect(Language.japanese.bluetooth(code: cause.rawValue, adapter: "{0}", reason: "") == text)
        }
        for code in BrokerCode.allCases { #expect(texts["mqtt_\(code.rawValue)"]?.isEmpty == false) }
        #expect(try self.texts("/wifi.en.js").keys.allSatisfy { !$0.hasPrefix("bluetooth_") && !$0.hasPrefix("mqtt_") })
    }

    @Test(arguments: PromptSituation.allCases)
    func `the page asks the questions of notifications, in both languages`(situation: PromptSituation) throws {
        for (language, path) in [(Language.english, "/wifi.en.js"), (.japanese, "/wifi.ja.js")] {
            let texts = try texts(path)
            let prompts: [String: [String: String]] = try table(path, "const prompts")
            let own = try #require(prompts[situation.rawValue])
            func text(_ kind: String) -> String? { own[kind] ?? prompts["join"]?[kind] }
            #expect(text("ask") == language.question(ssid: "{0}", situation))
            #expect(text("note") == language.note(situation) ?? "")
            #expect(text("yes") == language.label(.join, situation))
            #expect(text("welcome") == (situation.action.isOfDeparture ? "" : language.welcome))
            #expect(texts["did_\(situation.action.rawValue)"] == language.completed(situation.action, ssid: "{0}"))
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
