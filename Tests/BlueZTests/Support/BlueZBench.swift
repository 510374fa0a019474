import BlueZ
import Foundation
import Synchronization

/// A private bus with a make-believe bluetoothd, see bluez.py. One for each test; all of it ends with the test.
///
/// Sendable: what it says and hears goes through ``pending``'s lock; the rest is set once, in the initializer.
final class BlueZBench: @unchecked Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The bus.
    private(set) var address = ""

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let pending = Mutex(Data())

    init() throws {
        // The distribution's interpreter: its packages hold the bindings.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            "-B", URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "bluez.py").path,
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        address = try pending.withLock { try answer(&$0) } as? String ?? ""
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// bluetoothd appears, with an adapter unless it is to have none.
    func start(adapter: String? = "hci0") throws {
        try tell("start")
        if let adapter { try tell("adapter", ["name": adapter]) }
    }

    /// bluetoothd is told something, or something happens to it: see bluez.py.
    @discardableResult
    func tell(_ command: String, _ arguments: [String: Any] = [:]) throws -> Any? {
        let object = arguments.merging(["do": command]) { _, new in new }
        let line = try JSONSerialization.data(withJSONObject: object) + Data("\n".utf8)
        return try pending.withLock { pending in
            try input.fileHandleForWriting.write(contentsOf: line)
            return try answer(&pending)
        }
    }

    /// The methods that were called so far, each with its arguments.
    var calls: [[String]] {
        get throws {
            let calls = try tell("calls") as? [[Any]] ?? []
            return calls.map { $0.map { "\($0)" } }
        }
    }

    /// How often a method was called.
    func count(of method: String) throws -> Int { try calls.count { $0.first == method } }

    /// Looks until it is so; the test's time limit ends a wait in vain.
    func wait(until isSo: (BlueZBench) throws -> Bool) async throws {
        while try !isSo(self) {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private func answer(_ pending: inout Data) throws -> Any? {
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
