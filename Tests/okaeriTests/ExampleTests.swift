import ArgumentParser
import Foundation
import OkaeriConfiguration
import OkaeriTestSupport
import Testing

@testable import okaeri

/// The examples of README.md and docs/*.md: each command line is parsed, each configuration is read, each script is checked by the
/// shell.
@Suite(.blocks) struct ExampleTests {
    /// A block of an example: lines of code without an empty one.
    struct Block: Sendable, CustomStringConvertible {
        let page: String
        let lines: [String]

        var text: String { lines.joined(separator: "\n") }
        var description: String { "\(page): \(lines[0])" }
    }

    private static let pages: [(name: String, text: String)] = {
        let paths = ["docs", "docs/ja"].flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(Binary.top)/\(folder)")) ?? []
            return names.filter { $0.hasSuffix(".md") && $0 != "api.md" }.map { "\(Binary.top)/\(folder)/\($0)" }
        }
        return ([("\(Binary.top)/README.md")] + paths.sorted()).map { path in
            (URL(filePath: path).lastPathComponent, (try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
        }
    }()

    /// The blocks of all pages. Code is indented by four spaces, after an empty line.
    static let blocks: [Block] = pages.flatMap { page in
        var blocks: [Block] = []
        var lines: [String] = []
        var mayBegin = false
        for line in page.text.components(separatedBy: "\n") + [""] {
            if line.hasPrefix("    "), mayBegin || !lines.isEmpty {
                lines.append(String(line.dropFirst(4)))
            } else if !lines.isEmpty {
                blocks.append(Block(page: page.name, lines: lines))
                lines = []
            }
            mayBegin = line.isEmpty
        }
        return blocks
    }

    // MARK: Configurations

    static let configurations = blocks.filter { block in
        let text = block.text.drop { $0 == " " }
        return text.hasPrefix("{ \"regions\"") || text.hasPrefix("\"")
    }

    @Test(arguments: configurations) func `a configuration in a page loads`(block: Block) throws {
        let text = block.text.drop { $0 == " " }
        let whole = text.hasPrefix("{") ? String(text) : #"{"regions": [], "# + text + "}"
        #expect(throws: Never.self) { try Configuration(json: Array(whole.utf8), file: block.page) }
    }

    // MARK: Command lines

    /// A command line of a page. In a sentence it may be without the arguments that the command needs.
    private struct CommandLine {
        let page: String
        let words: [String]
        let isWhole: Bool
    }

    private var commandLines: [CommandLine] {
        let blocks = Self.blocks.flatMap { block in block.lines.map { (block.page, $0, true) } }
        let inline = Self.pages.flatMap { page in
            page.text.matches(of: /`((?:sudo )?okaeri(?: [^`\n]+)?)`/).map { (page.name, String($0.1), false) }
        }
        let pattern = /(?:^|[;"$(] ?|sudo |\/usr\/bin\/|=)okaeri((?: [^;|&>"#)\n]*)?)(?=$|[;|&>"#)\n])/
        return (blocks + inline).flatMap { page, line, isWhole in
            line.matches(of: pattern).map { match in
                let words = match.1.split(separator: " ").map { Self.filled(String($0)) }
                return CommandLine(page: page, words: words, isWhole: isWhole)
            }
        }
    }

    /// The word with a value in place of what a page leaves open.
    private static func filled(_ word: String) -> String {
        let values = [
            "UUID": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "MAJOR": "1", "MINOR": "2", "ANSWER": "join", "ID": "1",
            "HEX": "0201",
        ]
        return word.replacing(/\b(UUID|MAJOR|MINOR|ANSWER|ID|HEX)\b/) { values[String($0.1)] ?? "" }
    }

    @Test func `a command line in a page is valid`() throws {
        let lines = commandLines.filter { !$0.words.contains("COMMAND") && !$0.words.contains("…") }
        for line in lines {
            let text = "\(line.page): okaeri \(line.words.joined(separator: " "))"
            do {
                _ = try Okaeri.parseAsRoot(line.words)
            } catch {
                let message = Okaeri.message(for: error)
                let isIncomplete = message.hasPrefix("Missing ") || line.words.count == 1
                #expect(Okaeri.exitCode(for: error).isSuccess || !line.isWhole && isIncomplete, "\(text): \(message)")
            }
        }
        #expect(lines.count > 60)
    }

    // MARK: Scripts

    private static let shellWords: Set<String> = [
        "sudo", "okaeri", "if", "echo", "openssl", "curl", "git", "scp", "ssh", "systemctl", "journalctl",
    ]

    static let scripts = blocks.filter { block in
        let first = block.lines.first { !$0.hasPrefix("#") }?.split(separator: " ").first
        return first.map { shellWords.contains(String($0)) } == true || block.lines[0].hasPrefix("#!/bin/sh")
    }

    @Test(arguments: scripts) func `a script in a page has the shell's syntax`(block: Block) throws {
        let process = ChildProcess()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-n", "-c", block.text]
        process.standardError = Pipe()
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(block.text)")
    }

    /// The lines for cron, executed with programs in place of okaeri and of the heating.
    @Test(arguments: [0, 1, 2, 3]) func `the cron line lowers the heating only while outside`(status: Int) throws {
        let lines = Self.blocks.flatMap(\.lines).filter { $0.hasPrefix("*/5 * * * * ") }
        #expect(lines.count >= 2)
        for line in lines {
            let folder = try TemporaryFolder()
            let okaeri = try folder.script("okaeri", "exit \(status)")
            let heating = try folder.script("heating", "echo \"$1\" >'\(folder.path)/mode'")
            let command = line.dropFirst("*/5 * * * * ".count)
                .replacing("/usr/bin/okaeri", with: okaeri).replacing("/usr/local/bin/heating", with: heating)
            let process = ChildProcess()
            process.executableURL = URL(filePath: "/bin/sh")
            process.arguments = ["-c", String(command)]
            try process.run()
            process.waitUntilExit()
            #expect(FileManager.default.fileExists(atPath: "\(folder.path)/mode") == (status == 1), "\(line)")
        }
    }
}
