import Foundation
import OkaeriTestSupport
import Testing

/// `okaeri record` and the kinds of files it writes to, with a capture in place of an adapter.
@Suite(.blocks, .timeLimit(.minutes(5))) struct RecordTests {
    private let binary: Binary

    init() throws {
        binary = try Binary()
        // At the capture's own speed: its first records, which are of two seconds.
        let demo = try Data(contentsOf: URL(filePath: Binary.capture))
        var end = 16
        for _ in 0..<4 { end += 24 + Int(demo[end + 7]) }
        _ = try binary.file("source", demo.prefix(end))
    }

    private func recording(to file: String) -> [String] { ["record", "--capture", "source", file] }

    private func bytes(of name: String) throws -> Data {
        try Data(contentsOf: URL(filePath: "\(binary.folder)/\(name)"))
    }

    /// Returns the content of a regular file.
    private func expected() throws -> Data {
        let outcome = try binary.run(recording(to: "expected.btsnoop"))
        #expect(outcome.status == 0 && outcome.output.isEmpty, "\(outcome)")
        let capture = try bytes(of: "expected.btsnoop")
        #expect(capture.count > 150 && capture.starts(with: "btsnoop\0".utf8))
        return capture
    }

    @Test(arguments: ["-", "/dev/stdout", "/proc/self/fd/1"])
    func `standard output receives the capture and nothing else`(name: String) throws {
        let file = try binary.file("redirected.btsnoop", [])
        let outcome = try binary.run(recording(to: name), output: file)
        #expect(outcome.status == 0 && outcome.errors.contains("events recorded in standard output"), "\(outcome)")
        #expect(try bytes(of: "redirected.btsnoop") == expected())
        let piped = try binary.run(recording(to: name))
        #expect(piped.status == 0 && piped.output.hasPrefix("btsnoop\0"), "\(piped.errors)")
        let files = try FileManager.default.contentsOfDirectory(atPath: binary.folder)
        #expect(
            files.sorted() == ["expected.btsnoop", "redirected.btsnoop", "source"],
            "no file has the name of the argument")
    }

    @Test func `a named pipe and a character device receive the capture`() throws {
        let pipe = "\(binary.folder)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        let reader = ChildProcess()
        reader.executableURL = URL(filePath: "/bin/cat")
        reader.arguments = [pipe]
        let received = Pipe()
        reader.standardOutput = received
        try reader.run()
        let outcome = try binary.run(recording(to: "pipe"))
        #expect(outcome.status == 0, "\(outcome)")
        // A recording that never opens the pipe leaves its reader waiting.
        if outcome.status != 0 { reader.terminate() }
        #expect(received.fileHandleForReading.readDataToEndOfFile() == (try expected()))
        reader.waitUntilExit()
        #expect(try binary.run(recording(to: "/dev/null")).status == 0)
    }

    @Test(arguments: ["-", "/dev/stdout", "/dev/tty"])
    func `a terminal is refused`(name: String) throws {
        let terminal = try Pseudoterminal()
        let process = try binary.start(recording(to: name), on: terminal)
        terminal.end(of: process)
        // The process has no controlling terminal, so /dev/tty cannot be opened at all.
        #expect(process.terminationStatus == (name == "/dev/tty" ? 74 : 64), "\(terminal.text)")
        #expect(!terminal.text.contains("btsnoop\0"))
        #expect(name == "/dev/tty" || terminal.text.contains("terminal"), "\(terminal.text)")
    }

    @Test func `a file that exists is not touched`() throws {
        let file = try binary.file("kept.btsnoop", "kept".utf8)
        let outcome = try binary.run(recording(to: file))
        #expect(outcome.status == 74 && outcome.errors.contains("name another file, or remove it first"), "\(outcome)")
        #expect(try bytes(of: "kept.btsnoop") == Data("kept".utf8))
        let folder = try binary.run(recording(to: binary.folder))
        #expect(folder.status == 74, "\(folder)")
    }

    @Test func `a pipe that stays empty does not hide why nothing was recorded`() throws {
        let outcome = try binary.run(["record", "--capture", "absent.btsnoop", "-"])
        #expect(outcome.status == 65 && outcome.errors.contains("absent.btsnoop"), "\(outcome)")
        #expect(outcome.output.isEmpty)
    }
}
