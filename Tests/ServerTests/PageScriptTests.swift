import Foundation
import OkaeriChecksum
import OkaeriEvents
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriServer

/// The scripts of the page, and their modules.
@Suite struct PageScriptTests {
    private func text(_ module: PageScript.Module) -> String { String(decoding: module.source, as: UTF8.self) }

    @Test(arguments: Language.allCases)
    func `each module imports names that modules before it export`(language: Language) throws {
        var exports: [String: Set<String>] = [:]
        for module in PageScript.all(in: language).flatMap(\.modules) {
            let text = text(module)
            let imports = text.matches(of: #/(?m)^import \{([^}]+)\} from '\./(\w+)\.js'$/#)
            #expect(imports.count == text.matches(of: #/(?m)^import\b/#).count, "\(module.name)")
            for statement in imports {
                let known = try #require(exports[String(statement.2)], "\(module.name) imports \(statement.2)")
                for name in statement.1.split(whereSeparator: { ", \n".contains($0) }) {
                    #expect(known.contains(String(name)), "\(module.name) imports \(name) from \(statement.2)")
                }
            }
            let names = text.matches(of: #/(?m)^export (?:const|class) (\w+) /#).map { String($0.1) }
            #expect(names.count == text.matches(of: #/(?m)^export\b/#).count, "\(module.name)")
            #expect(exports.updateValue(Set(names), forKey: module.name) == nil)
        }
        #expect(exports["zone"]?.contains("midnight") == true && exports["setup"] == ["setupView"])
    }

    @Test func `every file of the page is served`() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/Daemon/Server/Web/Page")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let scripts = Language.allCases.flatMap { PageScript.all(in: $0) }
        let others = files.filter { !$0.hasSuffix(".js") }.map { $0 == "index.html" ? "/" : "/\($0)" }
        #expect(PageFile.paths == (others + scripts.map { "/\($0.name)" }).sorted())
        for name in files where name.hasSuffix(".js") {
            let source = Array(try Data(contentsOf: folder.appending(path: name)))
            let language = Language.allCases.first { name.hasPrefix("\($0.code).") }
            let served = language?.instructed(source) ?? source
            let count = scripts.flatMap(\.modules).count { $0.source.starts(with: served) }
            // A module without texts is in the scripts of both languages.
            #expect(count == (language == nil ? 2 : 1), "\(name)")
        }
    }

    @Test(arguments: Installation.allCases)
    func `a text has the commands of the installation and stays within its quotation marks`(installation: Installation)
        throws
    {
        func marks(_ line: Substring) -> Int { line.count { $0 == "'" || $0 == "\\" } }
        func lines(_ installation: Installation, _ language: Language) -> [Substring] {
            Installation.local.withValue(installation) {
                PageScript.all(in: language).flatMap {
                    String(decoding: $0.content, as: UTF8.self).split(separator: "\n")
                }
            }
        }
        for language in Language.allCases {
            let served = lines(installation, language)
            #expect(served.map(marks) == lines(.machine, language).map(marks))
            for line in served {
                #expect(!line.contains(#/[^$]\{(?:sudo|state|reload|reloading)\}/#), "\(line)")
                #expect(installation == .machine || !line.contains(foreignCommand), "\(line)")
            }
            let fixed = try #require(served.first { $0.hasPrefix("isFixed:") })
            let words = [
                "`sudo systemctl reload okaeri`", "the container", "コンテナー", "the app in Home Assistant",
                "Home Assistant のアプリ",
            ]
            #expect(words.contains { fixed.contains($0) } && fixed.contains("systemctl") == (installation == .machine))
        }
    }

    @Test func `only the first script requests another one`() {
        for module in PageScript.all(in: .english).flatMap(\.modules) {
            #expect(text(module).contains("import(") == (module.name == "app"), "\(module.name)")
        }
    }

    @Test func `a text in several lines would lose its indentation, and no module has one`() {
        for module in PageScript.all(in: .japanese).flatMap(\.modules) {
            for line in text(module).split(separator: "\n") where !line.contains("'`'") {
                #expect(line.count { $0 == "`" }.isMultiple(of: 2), "\(module.name): \(line)")
            }
        }
    }

    @Test(arguments: Language.allCases)
    func `a script has its modules as functions, without comments`(language: Language) throws {
        let scripts = PageScript.all(in: language)
        let (first, further) = (scripts[0], scripts[1])
        let texts = scripts.map { String(decoding: $0.content, as: UTF8.self) }
        for (script, text) in zip(scripts, texts) {
            let names = text.matches(of: #/(?m)^modules\.(\w+) = \(\(\) => \{$/#).map { String($0.1) }
            #expect(names == script.modules.map(\.name))
            #expect(text.matches(of: #/(?m)^(?: |//|/\*|\*)/#).isEmpty)
            #expect(text.matches(of: #/(?m)^export\b/#).count == 1)
        }
        #expect(texts[0].contains("\nconst { dayOf, local } = modules.zone\n"))
        #expect(texts[0].contains("\nconst {bluetoothReason,"))
        #expect(texts[0].contains("\nreturn { share, signalBar, path, sparkline }\n})()\n"))
        #expect(texts[1].hasPrefix("import { modules as first } from './\(first.name)'\n"))
        #expect(further.name == "more.\(language.code).js")
    }

    /// The bound of the first page over the wire, without data.
    @Test(arguments: Language.allCases)
    func `the files that the page begins with have fewer than 32 kB, packed`(language: Language) throws {
        let copies = try ["/", "/app.css", "/app.\(language.code).js", "/icon.svg", "/manifest.webmanifest"].map {
            try #require(PageFile.at($0, in: language)).copy(packed: true)
        }
        #expect(copies.map(\.isPacked) == [false, true, true, false, false])
        #expect(copies.map(\.content.count).reduce(0, +) < 32_000)
        let plain = try #require(PageFile.at("/app.css")).copy(packed: false)
        #expect(!plain.isPacked && plain.tag == copies[1].tag)
        #expect(try Gzip.pack(plain.content) == copies[1].content)
    }
}
