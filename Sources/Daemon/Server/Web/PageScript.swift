package import OkaeriEvents

/// A script of the page: its modules in one file, so that a browser sends one request for all of them.
///
/// Each module is a function that returns its exports, and `modules` has the results by name. The texts of the script are those of one
/// language.
package struct PageScript: Sendable {
    package struct Module: Sendable {
        package let name: String
        /// The source. It imports with `import { a, b } from './name.js'` alone, from modules before it, and exports with `export const` and
        /// `export class` alone.
        package let source: [UInt8]
    }

    /// The path of the file, without the slash.
    package let name: String
    package let modules: [Module]
    /// The name of the script whose modules these import as well.
    private let base: String?

    private init(_ name: String, after base: String? = nil, _ modules: [(name: String, source: [UInt8])]) {
        (self.name, self.base) = (name, base)
        self.modules = modules.map { Module(name: $0.name, source: $0.source) }
    }

    /// The scripts in a language: the one that the page begins with, and the one with the views that are shown later.
    package static func all(in language: Language) -> [PageScript] {
        let (first, further) = ("app.\(language.code).js", "more.\(language.code).js")
        return [
            PageScript(first, firstModules(in: language)),
            PageScript(further, after: first, furtherModules(in: language)),
        ]
    }

    private static func firstModules(in language: Language) -> [(String, [UInt8])] {
        [
            ("zone", PageSource.zone_js),
            ("texts", language.instructed(language == .japanese ? PageSource.ja_js : PageSource.en_js)),
            ("served", language.pageScript), ("words", PageSource.words_js), ("base", PageSource.base_js),
            ("chart", PageSource.chart_js), ("live", PageSource.live_js),
            ("outage", PageSource.outage_js), ("qr", PageSource.qr_js),
            ("guests", PageSource.guests_js), ("radios", PageSource.radios_js),
            ("findings", PageSource.findings_js), ("login", PageSource.login_js),
            ("now", PageSource.now_js), ("app", PageSource.app_js),
        ]
    }

    private static func furtherModules(in language: Language) -> [(String, [UInt8])] {
        let texts = language == .japanese ? PageSource.ja_more_js : PageSource.en_more_js
        return [
            ("further", language.instructed(texts) + language.furtherScript), ("explain", PageSource.explain_js),
            ("picture", PageSource.picture_js), ("happened", PageSource.happened_js),
            ("days", PageSource.days_js), ("calibration", PageSource.calibration_js),
            ("livechart", PageSource.livechart_js), ("network", PageSource.network_js),
            ("outcome", PageSource.outcome_js), ("remove", PageSource.remove_js),
            ("sensitivity", PageSource.sensitivity_js), ("thresholds", PageSource.thresholds_js),
            ("editor", PageSource.editor_js), ("backup", PageSource.backup_js),
            ("devices", PageSource.devices_js), ("enroll", PageSource.enroll_js),
            ("room", PageSource.room_js), ("receivers", PageSource.receivers_js),
            ("setup", PageSource.setup_js),
        ]
    }

    /// The text of the file.
    package var content: [UInt8] {
        var text =
            base.map { "import { modules as first } from './\($0)'\nexport const modules = { ...first }\n" }
            ?? "export const modules = {}\n"
        for module in modules { module.write(to: &text) }
        return Array(text.utf8)
    }
}

extension PageScript.Module {
    /// Writes the module as a function, without its comments and its indentation.
    fileprivate func write(to text: inout String) {
        var exports: [Substring] = []
        var isComment = false
        var statement = ""
        text += "modules.\(name) = (() => {\n"
        for line in String(decoding: source, as: UTF8.self).split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if isComment || line.hasPrefix("/**") {
                isComment = !line.hasSuffix("*/")
            } else if !statement.isEmpty || line.hasPrefix("import {") {
                statement += line
                guard let names = Self.imported(by: statement) else { continue }
                text += "\(names)\n"
                statement = ""
            } else if !line.hasPrefix("//") {
                let (declaration, name) = Self.exported(by: line)
                if let name { exports.append(name) }
                text += "\(declaration)\n"
            }
        }
        text += "return { \(exports.joined(separator: ", ")) }\n})()\n"
    }

    /// Returns the declaration of the names that an import statement has, or `nil` if it goes on in the next line.
    private static func imported(by statement: String) -> String? {
        let parts = statement.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].hasPrefix("./"), parts[1].hasSuffix(".js") else { return nil }
        let names = parts[0].dropFirst("import".count).dropLast(" from ".count)
        return "const\(names) = modules.\(parts[1].dropFirst(2).dropLast(3))"
    }

    /// Returns a line without `export`, and the name that it exports.
    private static func exported(by line: Substring) -> (declaration: Substring, name: Substring?) {
        let words = line.split(separator: " ", maxSplits: 3)
        guard words.count == 4, words[0] == "export", ["const", "class"].contains(words[1]) else { return (line, nil) }
        return (line.dropFirst("export ".count), words[2])
    }
}
