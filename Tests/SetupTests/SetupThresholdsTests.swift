import IBeacon
import OkaeriConfiguration
import OkaeriWiFi
import Testing

@testable import OkaeriEvents
@testable import OkaeriSetup

private let uuidText = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// The thresholds of a region that is inside only while its beacon is near.
@Suite struct SetupThresholdsTests {
    private static let minute = 60
    /// The answers after the beacon: the name, no network, no measurement at one metre; then that of the filtered signal.
    private static let measuring = ["home", "", "n", "y", ""]

    private func beacon(_ minor: UInt16 = 7, signal: Double?, count: UInt64, rssi: Int8 = -60) -> BeaconReport {
        var beacon = BeaconReport(
            uuid: uuidText, major: 100, minor: minor, measuredPower: -59, rssi: rssi, accuracy: 1, proximity: "near",
            age: 0.2, count: count, regions: [])
        beacon.signal = signal
        return beacon
    }

    /// A set-up that measures the filtered signal by these lists, once each, and answers then.
    private func measured(
        _ measurements: [[SetupReception]], _ beacons: String = "/100/7", then answers: [String] = [""]
    ) async throws -> ScriptedRegion {
        try await ScriptedRegion(
            Self.measuring + answers, given: .init(beacons: BeaconConstraint(uuidText + beacons)),
            machine: .init(receptions: measurements.map { $0 + [.left(.zero)] }))
    }

    /// The text that is written.
    private func text(_ setup: ScriptedRegion) throws -> String {
        let text = try #require(setup.text)
        // The daemon accepts what is proposed.
        _ = try Configuration(json: Array(text.utf8), file: "b.json")
        return text
    }

    @Test(arguments: [(0, -68, -75), (0.5, -68, -75), (2, -66, -81), (3, -65, -87), (5, -63, -99)])
    func `the distance between the thresholds follows the noise of the signal`(
        noise: Double, enter: Int, exit: Int
    ) async throws {
        let setup = try await measured([
            (0..<Self.minute).map { second in
                .beacons([beacon(signal: -60 + (second.isMultiple(of: 2) ? noise : -noise), count: UInt64(second))])
            }
        ])
        let text = try text(setup)
        #expect(text.contains("\"enterRSSI\": \(enter),") && text.contains("\"exitRSSI\": \(exit)"), "\(text)")
    }

    @Test func `the measured noise and the thresholds are shown before they are written`() async throws {
        let readings = (0..<Self.minute).map { second in
            SetupReception.beacons([beacon(signal: second.isMultiple(of: 2) ? -58 : -62, count: UInt64(second))])
        }
        let setup = try await measured([readings + [.left(.seconds(1))]])
        let place = setup.turns[setup.turns.count - 3]
        #expect(place.question?.hasPrefix("Put the beacon at the farthest place") == true)
        let end = setup.turns[setup.turns.count - 2]
        #expect(end.steps == ["measure", "1 s left, 60 readings", "0 s left, 60 readings", "stop"])
        #expect(end.said.contains("is -58 dBm; it varies by 2 dB, so the thresholds are 15 dB apart."), "\(end)")
        #expect(end.said.contains("; inside from -66 dBm, outside below -81 dBm"), "\(end)")
        #expect(end.question?.hasPrefix("Write that") == true)
    }

    @Test func `without an answer no threshold is written`() async throws {
        let setup = try await ScriptedRegion(
            ["home", "", "n", "", ""], given: .init(beacons: BeaconConstraint(uuidText + "/100/7")))
        #expect(try !text(setup).contains("RSSI"))
    }

    @Test func `without an answer a region keeps its thresholds`() async throws {
        let present = """
            {"regions": [{"identifier": "home", "uuid": "\(uuidText)", "major": 100, "minor": 7, "enterRSSI": -65}]}
            """
        let setup = try await ScriptedRegion(
            ["home", "n", "", ""],
            given: .init(beacons: BeaconConstraint("\(uuidText)/100/7"), network: try .init(ssid: "HomeNet")),
            text: present)
        #expect(setup.turns[2].said == "The region is inside from -65 dBm at present. Answer n to keep that.")
        let text = try text(setup)
        #expect(text.contains("\"enterRSSI\": -65") && !text.contains("exitRSSI"), "\(text)")
    }

    @Test(arguments: [(14, -89), (15, -75)])
    func `too few readings leave 21 dB between the thresholds`(readings: Int, exit: Int) async throws {
        // The list has it twice, as it does of a beacon that was not received since.
        let lists = (0..<readings).flatMap { count in
            Array(repeating: SetupReception.beacons([beacon(signal: -60, count: UInt64(count))]), count: 2)
        }
        let text = try text(try await measured([lists]))
        #expect(text.contains("\"enterRSSI\": -68,") && text.contains("\"exitRSSI\": \(exit)"), "\(text)")
    }

    @Test(arguments: ["/100", ""])
    func `of several beacons the nearest one is measured`(rest: String) async throws {
        let lists = (0..<Self.minute).map { second in
            let near = beacon(1, signal: -50, count: UInt64(second), rssi: second == 0 ? -50 : -90)
            return SetupReception.beacons([beacon(2, signal: -80, count: UInt64(second), rssi: -80), near])
        }
        let text = try text(try await measured([lists], rest))
        #expect(text.contains("\"enterRSSI\": -58,") && text.contains("\"exitRSSI\": -65"), "\(text)")
    }

    @Test(arguments: [nil, "hci0 is off."])
    func `a beacon that is not received is measured again, or not`(trouble: String?) async throws {
        let none: [SetupReception] = [
            .trouble(trouble), .beacons([beacon(9, signal: -60, count: 1), beacon(signal: nil, count: 1)]),
        ]
        let setup = try await measured([none, none], then: ["y", "", "n", ""])
        let ends = setup.turns.filter { $0.question == "Measure again? [y/N] " }
        #expect(ends.count == 2)
        for end in ends { #expect(end.said == trouble ?? "The beacon was not received at that place.") }
        #expect(try !text(setup).contains("RSSI"))
    }

    @Test func `signals that no receiver has are left out, and thresholds are what a configuration accepts`()
        async throws
    {
        let signals = [1e300, -1e300, .nan, .infinity, -128, -127, 21].enumerated()
        let lists = signals.map { SetupReception.beacons([beacon(signal: $1, count: UInt64($0))]) }
        let text = try text(try await measured([lists]))
        #expect(text.contains("\"enterRSSI\": -127,") && text.contains("\"exitRSSI\": -127"), "\(text)")
    }
}
