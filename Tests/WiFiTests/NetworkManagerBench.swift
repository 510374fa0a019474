import Foundation
import WiFi

/// A private bus with a scripted NetworkManager, see Support/bench.py. One for each test; all of it ends with the test.
final class NetworkManagerBench {
    /// The radio every test starts with, unless it asks for none.
    static let radio = "/org/freedesktop/NetworkManager/Devices/wlan0"

    /// What an access point announces, as NM80211ApSecurityFlags.
    enum Air {
        static let psk: UInt32 = 0x100 | 0x80 | 0x8
        static let sae: UInt32 = 0x400 | 0x80 | 0x8
        static let enterprise: UInt32 = 0x200 | 0x80 | 0x8
        static let tkip: UInt32 = 0x100 | 0x40 | 0x4
    }

    /// What NetworkManager was asked for.
    struct Report: Decodable {
        struct Activation: Decodable {
            let profile: String
            let accessPoint: String
        }
        struct Added: Decodable {
            struct Connection: Decodable {
                let id: String
                let type: String
            }
            struct Wireless: Decodable {
                let ssid: String
                let hidden: Bool?
            }
            struct Security: Decodable {
                let keyManagement: String
                let psk: String
                let proto: [String]
                let pairwise: [String]

                enum CodingKeys: String, CodingKey {
                    case keyManagement = "key-mgmt"
                    case psk, proto, pairwise
                }
            }
            let connection: Connection
            let wireless: Wireless
            let security: Security

            enum CodingKeys: String, CodingKey {
                case connection
                case wireless = "802-11-wireless"
                case security = "802-11-wireless-security"
            }
        }
        let scans: [[String]]
        let activated: [Activation]
        let added: [Added]
        let profiles: [String]
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Answer: Decodable {
        let address: String?
        let value: String?
        let error: String?
    }

    /// The bus.
    let address: String

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var pending = Data()

    /// - Parameters:
    ///   - radio: whether NetworkManager is there, with `wlan0`, disconnected.
    ///   - path: where the bus is; nil for a directory of its own.
    init(radio: Bool = true, path: String? = nil) throws {
        // The distribution's interpreter: its package holds the mock.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments =
            [
                URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Support/bench.py").path
            ] + (path.map { [$0] } ?? [])
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var pending = Data()
        address = try Self.read(output, &pending).address ?? ""
        self.pending = pending
        if radio {
            try start()
            try call("AddRadio", "wlan0", 30)
        }
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// NetworkManager appears.
    func start(_ parameters: [String: Any] = [:]) throws {
        _ = try send(["do": "start", "parameters": parameters])
    }

    /// NetworkManager is killed.
    func stop() throws {
        _ = try send(["do": "stop"])
    }

    /// The bus is killed, and NetworkManager with it.
    func end() throws {
        _ = try send(["do": "end"])
    }

    /// Calls a method of the mock, see Support/networkmanager.py.
    @discardableResult
    func call(_ name: String, _ arguments: Any...) throws -> String {
        try send(["do": "call", "name": name, "arguments": arguments])
    }

    /// An access point that `wlan0` hears; with WPA2 unless something else is said.
    @discardableResult
    func hear(
        _ ssid: String, flags: UInt32 = 1, wpa: UInt32 = 0, rsn: UInt32 = Air.psk, strength: Int = 50
    ) throws -> String {
        try call("Hear", Self.radio, ssid, flags, wpa, rsn, strength)
    }

    /// A profile; `security` is its 802-11-wireless-security setting in JSON.
    @discardableResult
    func save(_ ssid: String, security: String = #"{"key-mgmt": "wpa-psk"}"#) throws -> String {
        try call("Save", Self.radio, ssid, security)
    }

    func report() throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(call("Report").utf8))
    }

    private func send(_ command: [String: Any]) throws -> String {
        let line = try JSONSerialization.data(withJSONObject: command) + Data("\n".utf8)
        try input.fileHandleForWriting.write(contentsOf: line)
        return try Self.read(output, &pending).value ?? ""
    }

    private static func read(_ output: Pipe, _ pending: inout Data) throws -> Answer {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = pending[..<end]
                pending = Data(pending[(end + 1)...])
                let answer = try JSONDecoder().decode(Answer.self, from: line)
                if let error = answer.error { throw Failure(description: error) }
                return answer
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else {
                throw Failure(
                    description: "no private bus: this needs `sudo apt-get install python3-dbusmock dbus`")
            }
            pending += more
        }
    }
}

/// Runs the service on a thread of its own as long as `body` takes, and sees to it that it ends.
func withRunning<Value>(
    _ service: any WiFiService, _ body: () async throws -> Value
) async throws -> Value {
    let (ended, continuation) = AsyncStream<Void>.makeStream()
    Thread.detachNewThread {
        service.run()
        continuation.finish()
    }
    do {
        let value = try await body()
        service.stop()
        for await _ in ended {}
        return value
    } catch {
        service.stop()
        for await _ in ended {}
        throw error
    }
}

extension WiFiService {
    /// Waits until the state is so; the test's time limit ends a wait in vain.
    func state(where isSo: (WiFiState) -> Bool) async -> WiFiState? {
        for await state in states() where isSo(state) { return state }
        return nil
    }
}
