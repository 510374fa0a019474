import Foundation
import IBeacon
import OkaeriEvents
import OkaeriPlumbing
import Testing

@testable import BlueZ
@testable import okaeri

/// Tables fit the terminal, whatever is in the air.
@Suite struct TableTests {
    private func beacon(_ minor: Int, rssi: Int?, accuracy: Double = 1.26, age: Double = 0.44) throws -> BeaconReport {
        let fields: [String: Any] = [
            "uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 100, "minor": minor, "measuredPower": -59,
            "rssi": rssi ?? NSNull(), "accuracy": accuracy, "proximity": "near", "age": age, "count": 3,
            "regions": [String](),
        ]
        return try JSONDecoder().decode(BeaconReport.self, from: JSONSerialization.data(withJSONObject: fields))
    }

    @Test func `the nearest beacon is first, and one without a signal last`() throws {
        let beacons = try [beacon(1, rssi: nil, accuracy: -1), beacon(2, rssi: -90), beacon(3, rssi: -40)]
        let lines = BeaconTable.lines(beacons, columns: 120, rows: 24)
        #expect(lines.count == 4 && lines[0].hasPrefix("UUID"))
        #expect(lines[1].contains(" 3      -40  ██████████ 1.3 m     0.4 s"))
        #expect(lines[2].contains(" 2      -90  █▋"))
        #expect(lines[3].contains(" 1        ?             ?"))
    }

    @Test func `what does not fit is cut or counted`() throws {
        let beacons = try (0..<50).map { try beacon($0, rssi: -60) }
        for rows in [0, 1, 3, 4, 10, 53, 100] {
            let lines = BeaconTable.lines(beacons, columns: 40, rows: rows)
            let shown = min(50, max(1, rows - 3))
            #expect(lines.count == 1 + shown + (shown < 50 ? 1 : 0))
            #expect(lines.allSatisfy { $0.count <= 40 })
            if shown < 50 { #expect(lines.last == "… and \(50 - shown) more") }
        }
        #expect(BeaconTable.lines([], columns: 80, rows: 24).last == "no iBeacon received yet")
    }

    @Test func `names of any script are aligned, and cut at the edge`() throws {
        var table = PeripheralTable()
        for (index, name) in ["リビング", "Küche", "Ku\u{308}che", "Lamp"].enumerated() {
            #expect(table.take(discovery(index, name: name, rssi: -40), at: .now) == true)
        }
        let lines = table.lines(columns: 80, rows: 24).dropFirst()
        let columns = lines.compactMap { line in
            line.range(of: " -40").map { String(line[..<$0.lowerBound]).displayWidth }
        }
        #expect(columns.count == 4 && Set(columns).count == 1, "\(lines)")
        for width in 20...30 { #expect(table.lines(columns: width, rows: 24).allSatisfy { $0.displayWidth <= width }) }
    }

    @Test func `an identity of several devices, and one that changes, has a note below it`() throws {
        var beacons = try [beacon(57, rssi: -50), beacon(56, rssi: -60), beacon(1, rssi: -70)]
        for index in 0...1 { beacons[index].proposedMask = MaskReport(try #require(BeaconMask(minor: 0xFF00))) }
        beacons[2].transmitters = 2
        let lines = BeaconTable.lines(beacons, columns: 120, rows: 24)
        #expect(lines.count == 6)
        #expect(lines[2] == #"  └ its minor changes; the region needs "mask": {"minor":"FF00"}"#)
        #expect(lines[5] == "  └ 2 devices send this identity; give yours another one")
        for rows in 0..<10 { #expect(BeaconTable.lines(beacons, columns: 120, rows: rows).count <= max(4, rows)) }
    }

    @Test func `a bar grows with the signal, from one eighth to ten cells`() {
        let lengths = (Int8.min...Int8.max).map { rssi -> Double in
            let bar = BeaconTable.bar(rssi)
            return Double(bar.count { $0 == "█" }) + (bar.last == "█" ? 0 : 0.5)
        }
        #expect(lengths == lengths.sorted() && lengths.first == 0.5 && lengths.last == 10)
        #expect(BeaconTable.bar(nil).isEmpty && BeaconTable.bar(-100) == "▏")
    }

    private func discovery(
        _ number: Int, name: String? = nil, rssi: Int16? = -60, isConnected: Bool = false, isInSight: Bool = true
    ) -> Discovery {
        Discovery(
            address: "DC:A6:32:01:02:0\(number)", name: name, rssi: rssi, services: [], isConnected: isConnected,
            isInSight: isInSight)
    }

    @Test func `peripherals are listed loudest first, until they are out of range`() {
        var table = PeripheralTable()
        let now = ContinuousClock.now
        #expect(table.lines(columns: 80, rows: 24).last == "no peripheral received yet")
        #expect(table.take(discovery(1, name: "lamp", rssi: -80), at: now) == true)
        #expect(table.take(discovery(2, rssi: nil), at: now) == true)
        #expect(table.take(discovery(3, rssi: -50, isConnected: true), at: now) == true)
        let lines = table.lines(columns: 80, rows: 24)
        #expect(lines.dropFirst().map { $0.prefix(17).suffix(1) } == ["3", "1", "2"])
        #expect(lines[1].contains("-50  connected") && lines[2].contains("lamp") && lines[3].contains("   ?"))
        #expect(table.take(discovery(1, isInSight: false), at: now) == true)
        #expect(table.take(discovery(1, isInSight: false), at: now) == false, "it was not there")
        #expect(table.lines(columns: 80, rows: 24).count == 3)
        #expect(table.lines(columns: 9, rows: 1) == ["address  ", "DC:A6:32:", "… and 1 m"])
    }

    @Test func `a signal alone is shown once a second, all else at once`() {
        var table = PeripheralTable()
        let now = ContinuousClock.now
        #expect(table.take(discovery(1), at: now) == true)
        #expect(table.take(discovery(1, rssi: -61), at: now + .milliseconds(900)) == false)
        #expect(table.lines(columns: 80, rows: 24)[1].contains("-61"), "it is known all the same")
        #expect(table.take(discovery(1, rssi: -62), at: now + .seconds(1)) == true)
        #expect(table.take(discovery(1, rssi: -63), at: now + .milliseconds(1999)) == false)
        #expect(table.take(discovery(1, name: "lamp", rssi: -63), at: now + .milliseconds(1999)) == true)
    }
}
