import Foundation
import OkaeriTestSupport
import Testing

/// The output of `okaeri connect` with a simulated bluetoothd on a bus of the test's own.
@Suite(.blocks, .timeLimit(.minutes(5))) struct PeripheralPrinterTests {
    private let binary: Binary
    private let bench: BlueZBench
    private let address = "DC:A6:32:01:02:03"
    private let battery = "0000180f-0000-1000-8000-00805f9b34fb"
    private let level = "00002a19-0000-1000-8000-00805f9b34fb"

    init() async throws {
        binary = try Binary()
        bench = try await BlueZBench()
        try bench.start()
        try lamp()
    }

    /// It is in the air.
    private func lamp() throws {
        // "d" is 100 as well: a value that can be shown as text.
        let characteristic: [String: Any] = ["uuid": level, "flags": ["notify", "write", "read"], "value": "64"]
        try bench.perform(
            "air",
            [
                "address": address, "name": "lamp", "uuids": [battery],
                "services": [["uuid": battery, "characteristics": [characteristic]]],
            ])
    }

    private func connect(_ arguments: String...) throws -> Binary.Outcome {
        try binary.run(
            ["connect", address] + arguments, environment: ["DBUS_SYSTEM_BUS_ADDRESS": bench.address])
    }

    private func objects(_ outcome: Binary.Outcome) throws -> [[String: Any]] {
        try outcome.lines.map { try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    @Test func `a person reads names, and the properties in the specification's order`() throws {
        let outcome = try connect()
        #expect(outcome.status == 0)
        #expect(outcome.lines == ["Battery (180F)", "  Battery Level (2A19)  read write notify"])
        #expect(outcome.errors == "okaeri: \(address) (lamp) is connected\n")
    }

    @Test func `a program reads one object a line`() throws {
        let outcome = try connect("--json")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let objects = try objects(outcome)
        #expect(objects.map { $0["event"] as? String } == ["didConnectPeripheral", "didDiscoverService"])
        #expect(objects.allSatisfy { $0["address"] as? String == address })
        #expect(objects.first?["name"] as? String == "lamp")
        #expect(objects.last?["service"] as? String == "180F")
        let member = (objects.last?["characteristics"] as? [[String: Any]])?.first
        #expect(member?["characteristic"] as? String == "2A19" && member?["name"] as? String == "Battery Level")
        #expect(member?["properties"] as? [String] == ["read", "write", "notify"])
    }

    @Test(arguments: [
        ("64", #"64  "d""#), ("410A42", #"410A42  "A\nB""#), ("1B5B", "1B5B"), ("FF", "FF"), ("", ""),
    ]) func `a value is shown as text where it is some, and nothing that steers the terminal`(
        value: String, shown: String
    ) throws {
        let outcome = try connect("--write", "2A19=\(value)", "--read", "2A19")
        #expect(outcome.status == 0)
        #expect(outcome.lines == Array(repeating: "Battery Level (2A19)  \(shown)", count: 2))
        let printed = try objects(connect("--json", "--write", "2A19=\(value)", "--read", "2A19"))
        #expect(printed.map { $0["event"] as? String } == ["didConnectPeripheral", "didWriteValue", "didReadValue"])
        #expect(printed.last?["value"] as? String == value)
        #expect(printed.last?["characteristic"] as? String == "2A19")
    }

    @Test func `a value that is notified is printed, and so are the loss and the return`() throws {
        let terminal = try Pseudoterminal()
        let process = try binary.start(
            ["connect", address, "--subscribe", "2A19"], on: terminal,
            environment: ["DBUS_SYSTEM_BUS_ADDRESS": bench.address])
        func hasSubscribed() -> Bool {
            let calls = (try? bench.perform("calls")) as? [[Any]] ?? []
            return calls.contains { $0.first as? String == "StartNotify" }
        }
        #expect(terminal.read { _ in hasSubscribed() })
        try bench.perform("notify", ["uuid": level, "value": "2A"])
        #expect(terminal.read { $0.contains("Battery Level (2A19)  2A  \"*\"\r\n") }, "\(terminal.text)")
        try bench.perform("silence", ["address": address])
        #expect(
            terminal.read {
                $0.contains("\(address) (lamp) is disconnected; okaeri connects it again when it is in range")
            }, "\(terminal.text)")
        try lamp()
        let connected = "okaeri: \(address) (lamp) is connected\r\n"
        #expect(terminal.read { $0.components(separatedBy: connected).count == 3 }, "\(terminal.text)")
        kill(process.processIdentifier, SIGINT)
        terminal.end(of: process, within: 30)
        #expect(process.terminationReason == .exit)
    }

    @Test func `of two characteristics with one UUID the right one is used, or the choices are printed`() throws {
        let alert = "00002a06-0000-1000-8000-00805f9b34fb"
        let services: [[String: Any]] = [("00001802", ["write-without-response"]), ("00001803", ["read", "write"])].map
        {
            [
                "uuid": $0 + "-0000-1000-8000-00805f9b34fb",
                "characteristics": [["uuid": alert, "flags": $1, "value": "01"], ["uuid": level, "flags": ["read"]]],
            ]
        }
        try bench.perform("air", ["address": address, "name": "lamp", "services": services])
        #expect(try connect("--read", "2A06").lines == ["Alert Level (2A06)  01"])
        #expect(try connect("--read", "1803/2A06").status == 0)
        #expect(try connect("--read", "1803/2A19").status == 0)
        #expect(try connect("--read", "2A06#2", "--write-without-response", "1802/2A06=02").status == 0)
        let ambiguous = try connect("--read", "2A19")
        #expect(ambiguous.status == 1 && ambiguous.errors.contains("use one of 1802/2A19, 1803/2A19"))
        let wrong = try connect("--read", "2A06#0")
        #expect(wrong.status == 64 && wrong.errors.contains("does not select a characteristic"))
    }
}
