import Foundation
import OkaeriTestSupport
import OkaeriWiFi

/// A private bus with a scripted NetworkManager, see Support/bench.py. One for each test.
struct NetworkManagerBench {
    /// The radio every test starts with, unless it is made without one.
    static let radio = "/org/freedesktop/NetworkManager/Devices/wlan0"

    /// The announcements of access points, as NM80211ApSecurityFlags.
    enum Air {
        static let psk: UInt32 = 0x100 | 0x80 | 0x8
        static let sae: UInt32 = 0x400 | 0x80 | 0x8
        static let enterprise: UInt32 = 0x200 | 0x80 | 0x8
        static let tkip: UInt32 = 0x100 | 0x40 | 0x4
    }

    /// The requests to NetworkManager.
    struct Report: Decodable {
        struct Activation: Decodable {
            let profile: String
            let device: String
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
        struct Updated: Decodable {
            let security: Added.Security

            enum CodingKeys: String, CodingKey {
                case security = "802-11-wireless-security"
            }
        }
        let scans: [[String]]
        let activated: [Activation]
        let deactivated: [String]
        let added: [Added]
        let updated: [Updated]
        let profiles: [String]
    }

    private let bench: Bench

    /// The bus.
    var address: String { bench.address }

    /// - Parameters:
    ///   - radio: whether NetworkManager is there, with `wlan0`, disconnected.
    ///   - path: The path of the bus; `nil` for a directory of its own.
    init(radio: Bool = true, path: String? = nil) async throws {
        bench = try await Bench("Support/bench.py", path.map { [$0] } ?? [])
        if radio {
            try await start()
            try call("AddRadio", "wlan0", 30)
        }
    }

    /// NetworkManager appears.
    func start(_ parameters: [String: any Sendable] = [:]) async throws {
        try await bench.performLong("start", ["parameters": parameters])
    }

    /// NetworkManager is killed.
    func stop() throws {
        try bench.perform("stop")
    }

    /// The bus is killed, and NetworkManager with it.
    func end() throws {
        try bench.perform("end")
    }

    /// Calls a method of the mock, see Support/networkmanager.py.
    @discardableResult
    func call(_ name: String, _ arguments: Any...) throws -> String {
        try bench.perform("call", ["name": name, "arguments": arguments]) as? String ?? ""
    }

    /// An access point that `device` receives; with WPA2 by default.
    @discardableResult
    func hear(
        _ ssid: String, flags: UInt32 = 1, wpa: UInt32 = 0, rsn: UInt32 = Air.psk, strength: Int = 50,
        on device: String = Self.radio
    ) throws -> String {
        try call("Hear", device, ssid, flags, wpa, rsn, strength)
    }

    /// A profile with an `ipv4.dhcp-timeout` of one second.
    ///
    /// - Parameters:
    ///   - security: its 802-11-wireless-security setting in JSON.
    ///   - lastUse: The time of its last connection, in seconds since 1970; 0 for never.
    @discardableResult
    func save(
        _ ssid: String, security: String = #"{"key-mgmt": "wpa-psk"}"#, lastUse: Int = 1
    ) throws -> String {
        try call("Save", Self.radio, ssid, security, lastUse)
    }

    func report() throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(call("Report").utf8))
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
    /// The code of the failure with which a join ends, or nil if it succeeds.
    func failureCode(joining network: HomeNetwork) async -> String? {
        switch await join(network) {
        case .success: nil
        case .failure(let failure): failure.code.rawValue
        }
    }

    /// The code of the failure that makes `network` unavailable, or nil if it is not.
    func failureCode(of network: HomeNetwork) async -> String? {
        guard case .unavailable(let failure) = await condition(of: network) else { return nil }
        return failure.code.rawValue
    }

    /// Waits until the state is so; the test's time limit ends a wait in vain.
    func state(where isSo: (WiFiState) -> Bool) async -> WiFiState? {
        for await state in states() where isSo(state) { return state }
        return nil
    }

    /// The condition without the strength of the signal, for tests that are not about it.
    func conditionAtFullSignal(of network: HomeNetwork) async -> NetworkCondition {
        let condition = await condition(of: network)
        guard case .ready(var readiness) = condition else { return condition }
        readiness.strength = 100
        return .ready(readiness)
    }
}
