import IBeacon
import OkaeriConfiguration
import Testing
import WiFi

@testable import Events
@testable import Setup

private let uuidText = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// The thresholds of a region that is inside only while its beacon is near.
@Suite struct SetupThresholdsTests {
    private static let minute = 60

    private func beacon(_ minor: UInt16 = 7, signal: Double?, count: UInt64, rssi: Int8 = -60) -> BeaconReport {
        var beacon = BeaconReport(
            uuid: uuidText, major: 100, minor: minor, measuredPower: -59, rssi: rssi, accuracy: 1, proximity: "near",
            age: 0.2, count: count, regions: [])
        beacon.signal = signal
        return beacon
    }

    /// A set-up that asks whether the region is inside only while its beacon is near.
    private func atQuestion(_ beacons: String = "/100/7", text: String? = nil) throws -> SetupDialogue {
        let regions = try text.map { try Configuration(json: Array($0.utf8), file: "b.json").regions } ?? []
        var setup = SetupDialogue(
            .init(beacons: BeaconConstraint(uuidText + beacons)), text: text, regions: regions, file: "b.json")
        _ = setup.beginFirst()
        _ = setup.handle(.line("home"))
        if setup.question == nil { _ = setup.handle(.networks(.success([]))) }
        if setup.question == .network { _ = setup.handle(.line("")) }
        #expect(setup.question == .calibration)
        _ = setup.handle(.line("n"))
        #expect(setup.question == .near)
        return setup
    }

    /// A set-up that measures the filtered signal.
    private func measuring(_ beacons: String = "/100/7") throws -> SetupDialogue {
        var setup = try atQuestion(beacons)
        let place = setup.handle(.line("y"))
        guard case .ask(let words)? = place.last, words.hasPrefix("Put it down") else {
            Issue.record("\(place)")
            return setup
        }
        #expect(setup.handle(.line("")) == [.measureSignal])
        return setup
    }

    /// Ends the measurement; the text that is written.
    private func written(_ setup: inout SetupDialogue) throws -> String {
        _ = setup.handle(.measuring(left: .zero, trouble: nil))
        #expect(setup.question == .consent)
        let actions = setup.handle(.line(""))
        guard case .write(let text)? = actions.last else { throw NothingWritten(actions: actions) }
        // The daemon accepts what is proposed.
        _ = try Configuration(json: Array(text.utf8), file: "b.json")
        return text
    }

    private struct NothingWritten: Error { var actions: [SetupDialogue.Action] }

    private func said(_ actions: [SetupDialogue.Action]) -> String {
        actions.compactMap { if case .say(let words) = $0 { words } else { nil } }.joined(separator: "\n")
    }

    @Test(arguments: [(0, -68, -75), (0.5, -68, -75), (2, -66, -81), (3, -65, -87), (5, -63, -99)])
    func `the distance between the thresholds follows the noise of the signal`(
        noise: Double, enter: Int, exit: Int
    ) throws {
        var setup = try measuring()
        for second in 0..<Self.minute {
            let signal = -60 + (second.isMultiple(of: 2) ? noise : -noise)
            #expect(setup.handle(.beacons([beacon(signal: signal, count: UInt64(second))])) == [])
        }
        let text = try written(&setup)
        #expect(text.contains("\"enterRSSI\": \(enter),") && text.contains("\"exitRSSI\": \(exit)"), "\(text)")
    }

    @Test func `the measured noise and the thresholds are shown before they are written`() throws {
        var setup = try measuring()
        for second in 0..<Self.minute {
            _ = setup.handle(.beacons([beacon(signal: second.isMultiple(of: 2) ? -58 : -62, count: UInt64(second))]))
        }
        #expect(
            setup.handle(.measuring(left: .seconds(1), trouble: nil)) == [.progress(left: .seconds(1), readings: 60)])
        let end = setup.handle(.measuring(left: .zero, trouble: nil))
        #expect(end.starts(with: [.progress(left: .zero, readings: 60), .stopListening]))
        #expect(said(end).contains("is -58 dBm; it varies by 2 dB, so the thresholds are 15 dB apart."), "\(end)")
        #expect(said(end).contains("; inside from -66 dBm, outside below -81 dBm"), "\(end)")
    }

    @Test func `without an answer no threshold is written`() throws {
        var setup = try atQuestion()
        _ = setup.handle(.line(""))
        let text = try written(&setup)
        #expect(!text.contains("RSSI"))
    }

    @Test func `without an answer a region keeps its thresholds`() throws {
        let present = """
            {"regions": [{"identifier": "home", "uuid": "\(uuidText)", "major": 100, "minor": 7, "enterRSSI": -65}]}
            """
        let regions = try Configuration(json: Array(present.utf8), file: "b.json").regions
        var setup = SetupDialogue(
            .init(beacons: BeaconConstraint("\(uuidText)/100/7"), network: try .init(ssid: "HomeNet")), text: present,
            regions: regions, file: "b.json")
        _ = setup.beginFirst()
        _ = setup.handle(.line("home"))
        let asked = setup.handle(.line("n"))
        #expect(said(asked) == "It is inside from -65 dBm so far, which n leaves as it is.")
        _ = setup.handle(.line(""))
        let text = try written(&setup)
        #expect(text.contains("\"enterRSSI\": -65") && !text.contains("exitRSSI"), "\(text)")
    }

    @Test(arguments: [(14, -89), (15, -75)])
    func `too few readings leave 21 dB between the thresholds`(readings: Int, exit: Int) throws {
        var setup = try measuring()
        for count in 0..<readings {
            // The list has it twice, as it does of a beacon that was not received since.
            for _ in 0..<2 { _ = setup.handle(.beacons([beacon(signal: -60, count: UInt64(count))])) }
        }
        let text = try written(&setup)
        #expect(text.contains("\"enterRSSI\": -68,") && text.contains("\"exitRSSI\": \(exit)"), "\(text)")
    }

    @Test(arguments: ["/100", ""])
    func `of several beacons the nearest one is measured`(rest: String) throws {
        var setup = try measuring(rest)
        for second in 0..<Self.minute {
            let near = beacon(1, signal: -50, count: UInt64(second), rssi: second == 0 ? -50 : -90)
            _ = setup.handle(.beacons([beacon(2, signal: -80, count: UInt64(second), rssi: -80), near]))
        }
        let text = try written(&setup)
        #expect(text.contains("\"enterRSSI\": -58,") && text.contains("\"exitRSSI\": -65"), "\(text)")
    }

    @Test(arguments: [nil, "hci0 is off."])
    func `a beacon that is not received is measured again, or not`(trouble: String?) throws {
        var setup = try measuring()
        _ = setup.handle(.beacons([beacon(9, signal: -60, count: 1), beacon(signal: nil, count: 1)]))
        let end = setup.handle(.measuring(left: .zero, trouble: trouble))
        #expect(said(end) == trouble ?? "The beacon was not received there.")
        #expect(end.last == .ask("Measure again? [y/N] "))
        #expect(setup.handle(.measuring(left: .zero, trouble: nil)) == [], "it has ended")
        var again = setup
        _ = again.handle(.line("y"))
        #expect(again.handle(.line("")) == [.measureSignal])
        _ = setup.handle(.line("n"))
        #expect(try !written(&setup).contains("RSSI"))
    }

    @Test func `signals that no receiver has are left out, and thresholds are what a configuration accepts`() throws {
        var setup = try measuring()
        for (count, signal) in [1e300, -1e300, .nan, .infinity, -128, -127, 21].enumerated() {
            _ = setup.handle(.beacons([beacon(signal: signal, count: UInt64(count))]))
        }
        let text = try written(&setup)
        #expect(text.contains("\"enterRSSI\": -127,") && text.contains("\"exitRSSI\": -127"), "\(text)")
    }
}
