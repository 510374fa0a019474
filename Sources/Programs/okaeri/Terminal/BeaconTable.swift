import Events
import Plumbing
import Setup

/// The beacons in the air as a table that fits a terminal.
enum BeaconTable {
    /// The lines, the nearest beacon first.
    ///
    /// - Parameters:
    ///   - beacons: The received beacons.
    ///   - columns: the terminal's width; longer lines are cut.
    ///   - rows: the terminal's height; what does not fit is counted.
    static func lines(_ beacons: [BeaconReport], columns: Int, rows: Int) -> [String] {
        let sorted = beacons.nearestFirst
        let room = max(1, rows - 3)
        var lines = [heading] + sorted.prefix(room).map(line)
        if sorted.count > room { lines.append("… and \(sorted.count - room) more") }
        if sorted.isEmpty { lines.append(nothing) }
        return lines.map { String($0.prefix(columns)) }
    }

    /// The lines of a choice: each beacon with its number, in the order that they are given.
    static func lines(_ candidates: [SetupDialogue.Candidate]) -> [String] {
        let rows = candidates.map { "\($0.number)".leftPadding(to: 3) + "  " + line($0.beacon) }
        return ["     " + heading] + (rows.isEmpty ? ["     " + nothing] : rows)
    }

    private static let heading =
        "UUID".padding(to: 37) + "major".padding(to: 6) + "minor".padding(to: 6) + " dBm  "
        + "signal".padding(to: 11) + "distance".padding(to: 10) + "age"
    private static let nothing = "no iBeacon heard yet"

    private static func line(_ beacon: BeaconReport) -> String {
        let rssi = beacon.rssi.map { "\($0)" } ?? "?"
        let distance = beacon.accuracy < 0 ? "?" : "\((beacon.accuracy * 10).rounded() / 10) m"
        return beacon.uuid.padding(to: 37) + "\(beacon.major)".padding(to: 6) + "\(beacon.minor)".padding(to: 6)
            + rssi.leftPadding(to: 4) + "  " + bar(beacon.rssi).padding(to: 11) + distance.padding(to: 10)
            + "\((beacon.age * 10).rounded() / 10) s"
    }

    /// Ten cells from -100 dBm, where receivers end, to -40 dBm, within reach of the hand.
    static func bar(_ rssi: Int8?) -> String {
        guard let rssi else { return "" }
        let eighths = min(80, max(1, (Int(rssi) + 100) * 80 / 60))
        let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + part
    }
}

extension String {
    fileprivate func leftPadding(to width: Int) -> String {
        String(repeating: " ", count: max(0, width - count)) + self
    }
}
