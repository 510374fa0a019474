import Foundation
import Synchronization

/// A Python program that simulates other programs for one test: it reads one JSON command a line and answers each with one
/// line. It ends with the test.
///
/// Sendable: input and output go through ``pending``'s lock; the rest is set once, in the initializer.
public final class Bench: @unchecked Sendable {
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// The first line of its output: the address of its bus.
    public private(set) var address = ""

    private let process = ChildProcess()
    private let input = Pipe()
    private let output = Pipe()
    private let pending = Mutex(Data())

    /// - Parameters:
    ///   - program: its name, `bluez.py`.
    ///   - arguments: The arguments of its start.
    ///   - file: the source that it lies beside.
    public init(_ program: String, _ arguments: [String] = [], beside file: StaticString = #filePath) async throws {
        // The distribution's interpreter: its packages hold the bindings.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let path = URL(fileURLWithPath: "\(file)").deletingLastPathComponent().appending(path: program).path
        process.arguments = ["-B", path] + arguments
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        address = try await onThread { [self] in try pending.withLock { try answer(&$0) } as? String ?? "" }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        Thread.detachNewThread { [process] in process.waitUntilExit() }
    }

    /// Sends a command that takes long, and returns when it is answered.
    public func performLong(_ command: String, _ arguments: [String: any Sendable] = [:]) async throws {
        try await onThread { [self] in _ = try perform(command, arguments) }
    }

    /// Sends a command, and returns the answer.
    @discardableResult
    public func perform(_ command: String, _ arguments: [String: Any] = [:]) throws -> Any? {
        let object = arguments.merging(["do": command]) { _, new in new }
        let line = try JSONSerialization.data(withJSONObject: object) + Data("\n".utf8)
        return try pending.withLock { pending in
            try input.fileHandleForWriting.write(contentsOf: line)
            return try answer(&pending)
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

/// Calls on a thread of its own: a call that blocks takes none of the few threads that the tests' tasks share.
private func onThread<Success: Sendable>(_ call: @escaping @Sendable () throws -> Success) async throws -> Success {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: call)) }
    }
}

/// A condition that a test waits for.
public protocol Waited {}

extension Waited {
    /// Waits until another process is in a state.
    public func wait(
        file: String = #fileID, line: Int = #line, until isSo: (Self) throws -> Bool
    ) async throws {
        try await eventually("the process is in the expected state", file: file, line: line) { try isSo(self) }
    }
}
