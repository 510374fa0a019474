import Foundation

/// A private session bus with a notification server, see desktop.py. One for each test; all of it ends with the test.
final class DesktopBench {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// What the mock was asked to show.
    struct Shown: Equatable {
        let summary: String
        let body: String
        /// Keys and labels by turns.
        let actions: [String]
        let expiry: Int
    }

    /// The bus.
    private(set) var address = ""

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var pending = Data()

    init() throws {
        // The distribution's interpreter: its package holds the mock.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "desktop.py").path
        ]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        address = try answer() as? String ?? ""
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// A mock of a server appears.
    func mock(_ capabilities: [String] = ["body", "body-markup", "actions"]) throws {
        try send(["do": "mock", "capabilities": capabilities])
    }

    /// dunst appears.
    func dunst() throws { try send(["do": "dunst"]) }

    /// The server is killed.
    func stop() throws { try send(["do": "stop"]) }

    /// A button of the mock's notification is pressed.
    func press(_ notification: Int, _ key: String) throws { try send(["do": "press", "id": notification, "key": key]) }

    /// Somebody closes the mock's notification.
    func dismiss(_ notification: Int) throws { try send(["do": "dismiss", "id": notification]) }

    @discardableResult
    func dunstctl(_ arguments: String...) throws -> String {
        try send(["do": "dunstctl", "arguments": arguments]) as? String ?? ""
    }

    var shown: [Shown] {
        get throws {
            let calls = try send(["do": "notifications"]) as? [[Any]] ?? []
            return calls.map { call in
                Shown(
                    summary: call[0] as? String ?? "", body: call[1] as? String ?? "",
                    actions: call[2] as? [String] ?? [], expiry: call[3] as? Int ?? 0)
            }
        }
    }

    var closed: [Int] {
        get throws { try send(["do": "closed"]) as? [Int] ?? [] }
    }

    /// Looks until it is so; the test's time limit ends a wait in vain.
    func wait(until isSo: (DesktopBench) throws -> Bool) async throws {
        while try !isSo(self) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @discardableResult
    private func send(_ command: [String: Any]) throws -> Any? {
        let line = try JSONSerialization.data(withJSONObject: command) + Data("\n".utf8)
        try input.fileHandleForWriting.write(contentsOf: line)
        return try answer()
    }

    private func answer() throws -> Any? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let answer = try JSONSerialization.jsonObject(with: pending[..<end]) as? [String: Any]
                pending = Data(pending[(end + 1)...])
                if let error = answer?["error"] { throw Failure(description: "\(error)") }
                return answer?["value"]
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Failure(description: "no private bus: `scripts/setup` installs what it takes")
            }
            pending += more
        }
    }
}
