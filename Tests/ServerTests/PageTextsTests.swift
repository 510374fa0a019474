import Foundation
import HCI
import OkaeriServer
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriEvents

/// The names of the program for which the page has texts.
@Suite struct PageTextsTests {
    /// The modules with the texts, which are those of one language.
    private static let tables: Set = ["texts", "served", "further"]

    private func script(_ name: String, _ language: Language = .english) throws -> String {
        let module = PageScript.all(in: language).flatMap(\.modules).first { $0.name == name }
        return String(decoding: try #require(module).source, as: UTF8.self)
    }

    /// The modules without texts, by script.
    private var scripts: [[String]] {
        PageScript.all(in: .english).map { script in
            script.modules.filter { !Self.tables.contains($0.name) }.map { String(decoding: $0.source, as: UTF8.self) }
        }
    }

    @Test(arguments: Finding.Code.allCases)
    func `the Japanese page has the sentence of the command line for each finding, or that of its reason`(
        code: Finding.Code
    ) throws {
        // The texts of the first two follow from the codes of Bluetooth and of the broker. The page explains a simulation.
        let others: Set<Finding.Code> = [.notPoweredOn, .brokerAway, .brokerUnsuitable, .notReal]
        let texts = try texts(.japanese)
        #expect((texts["f_\(code)"] != nil) != others.contains(code))
        var finding = Finding("state", .wrong, code, "the daemon's own", values: (0...9).map { "{\($0)}" })
        if !others.contains(code) {
            #expect(
                texts["f_\(code)"] == finding.translation?.sentence
                    && texts["fix_\(code)"] == finding.translation?.remedy)
        }
        finding.code = nil
        // The daemon's own sentences are English.
        #expect(try self.texts(.english).keys.allSatisfy { !$0.hasPrefix("f_") && !$0.hasPrefix("fix_") })
    }

    @Test(arguments: [Language.english, .japanese])
    func `the page has the texts of the command line for states and reasons, and none of its own`(
        language: Language
    ) throws {
        let first = try texts(language)
        let reasons: [String: String] = try table("further", language, "reasons")
        #expect(first["s_radioOff"]?.dropFirst() == language(StatusPhrase.radioOff).dropFirst())
        #expect(first["x_keepsRegion"] == language(ExplanationPhrase.keepsRegion) && reasons["x_keepsRegion"] == nil)
        for phrase in ExplanationPhrase.allCases {
            #expect((first["x_\(phrase)"] ?? reasons["x_\(phrase)"]) == language(phrase))
        }
        let own = try script("texts", language) + script("further", language)
        #expect(own.matches(of: /\n  (?:s|x|c|f|fix|part)_/).isEmpty)
        #expect(reasons["c_unsteady"] == language(CalibrationPhrase.unsteady))
    }

    @Test func `each state, reason and part that a script names has a text, and each state that is served is named`()
        throws
    {
        let names = Set(scripts.joined().flatMap { $0.matches(of: /'((?:s|x|c)_\w+)'/).map { String($0.1) } })
        let first = try texts(.english)
        let reasons: [String: String] = try table("further", .english, "reasons")
        #expect(names.count > 60)
        #expect(names.filter { first[$0] == nil && reasons[$0] == nil } == [])
        // The names of these contain a state or a limitation of the status.
        let formed: Set = ["s_inside", "s_outside", "s_unknown", "s_captivePortal", "s_noInternet"]
        #expect(first.keys.filter { $0.hasPrefix("s_") && !names.contains($0) && !formed.contains($0) } == [])
    }

    @Test func `each text of the page has a script that shows it`() throws {
        let page = String(decoding: try #require(PageFile.at("/")).copy(packed: false).content, as: UTF8.self)
        let scripts = scripts.joined().joined() + page
        let words = Set(scripts.matches(of: /['"]([\w-]+)['"]/).map { String($0.1) })
        let formed = Set(scripts.matches(of: /`(\w+_)\$\{/).map { String($0.1) })
        // The list of choices is given the beginning of their names.
        let choices: Set = ["kind_", "as_"]
        #expect(choices.allSatisfy { words.contains(String($0.dropLast())) } && words.contains("skip"))
        let names = try ["texts", "further"].flatMap { name in
            try script(name).matches(of: /\n  '?([\w-]+)'?: ['"]/).map { String($0.1) }
        }
        #expect(names.count > 300)
        let unused = names.filter { name in
            !words.contains(name) && Proximity(rawValue: name) == nil
                && !formed.union(choices).contains { name.hasPrefix($0) }
        }
        #expect(unused == [])
    }

    @Test func `both languages have texts of the same names`() throws {
        for name in ["texts", "further"] { #expect(try names(name) == names(name, .japanese)) }
    }

    private func names(_ module: String, _ language: Language = .english) throws -> [String] {
        try script(module, language).matches(of: /\n  '?([\w-]+)'?: ['"]/).map { String($0.1) }
    }

    @Test func `the first script has each text that its modules name`() throws {
        let words = Set(scripts[0].joined().matches(of: /\b(?:t|has)\('([\w-]+)'/).map { String($0.1) })
        let first = try Set(names("texts")).union(texts(.english).keys)
        #expect(words.count > 60 && words.filter { !first.contains($0) } == [])
        // The name contains the kind of an event, and Days alone shows this one.
        #expect(try names("further").contains("unavailable"))
    }

    /// Decodes a table of the texts that the program has made: on a line, after its name.
    private func table<Table: Decodable>(_ module: String, _ language: Language, _ name: String) throws -> Table {
        let lines = try script(module, language).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix("export const \(name) ") })
        return try JSONDecoder().decode(Table.self, from: Data(line.drop { $0 != "{" }.utf8))
    }

    private func texts(_ language: Language) throws -> [String: String] { try table("served", language, "served") }

    @Test(
        arguments: JoinFailure.Code.allCases.map(\.rawValue) + InternetAccess.Limitation.allCases.map(\.rawValue))
    func `the page has the Japanese sentence of notifications for each failure`(code: String) throws {
        let sentence = try #require(try texts(.japanese)["why_\(code)"])
        #expect(sentence == Language.japanese.reason(code, "{0}"))
        #expect(sentence.unicodeScalars.contains { ("\u{3041}"..."\u{30FF}").contains($0) }, "\(sentence)")
        // The daemon's sentence is in English.
        #expect(try texts(.english)["why_\(code)"] == nil)
    }

    @Test(arguments: ScanMode.Reason.allCases)
    func `the page has the reasons of a scan as the command line has them`(reason: ScanMode.Reason) throws {
        #expect(try texts(.english)["scan_\(reason.rawValue)"] == reason.description)
        #expect(try texts(.japanese)["scan_\(reason.rawValue)"] == Language.japanese(reason))
    }

    @Test func `the page has the Japanese sentences of Bluetooth and of the broker by their codes`() throws {
        let texts = try texts(.japanese)
        for cause in AdapterUpdate.Cause.allCases where cause != .other {
            let text = try #require(texts["bluetooth_\(cause.rawValue)"])
            #expect(Language.japanese.bluetooth(code: cause.rawValue, adapter: "{0}", reason: "") == text)
        }
        for code in BrokerCode.allCases { #expect(texts["mqtt_\(code.rawValue)"]?.isEmpty == false) }
        #expect(try self.texts(.english).keys.allSatisfy { !$0.hasPrefix("bluetooth_") && !$0.hasPrefix("mqtt_") })
    }

    @Test(arguments: PromptSituation.allCases)
    func `the page asks the questions of notifications, in both languages`(situation: PromptSituation) throws {
        for language in Language.allCases {
            let texts = try texts(language)
            let prompts: [String: [String: String]] = try table("served", language, "prompts")
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
        for language in Language.allCases {
            let words = try script("texts", language)
            for kind in NodeKind.allCases.map(\.rawValue) + ["standby"] {
                #expect(words.contains("\n  node_\(kind): '"), "\(language): \(kind)")
            }
        }
    }
}
