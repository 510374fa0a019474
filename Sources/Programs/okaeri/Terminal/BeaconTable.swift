import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup

/// The beacons in the air as a table that fits a terminal.
enum BeaconTable {
    /// The lines, the nearest beacon first.
    ///
    /// - Parameters:
    ///   - beacons: The received beacons.
    ///   - columns: the terminal's width; longer lines are cut.
    ///   - rows: the terminal's height; what does not fit is counted.
    ///   - isColored: Whether the signals have colours, by escape sequences.
    static func lines(_ beacons: [BeaconReport], columns: Int, rows: Int, isColored: Bool = false) -> [String] {
        let sorted = beacons.nearestFirst
        let room = max(1, rows - 3)
        let cut = { (line: String) in line.cut(to: columns) }
        var lines = [cut(heading)]
        var shown = 0
        var notes: Set<String> = []
        for beacon in sorted {
            let new = Self.notes(beacon, after: &notes)
            guard lines.count + new.count < room + 1 || shown == 0 else { break }
            let line = cut(line(beacon))
            lines.append(isColored ? colored(line, by: beacon.rssi, from: 0) : line)
            lines += new.map(cut)
            shown += 1
        }
        if sorted.count > shown { lines.append(cut("… and \(sorted.count - shown) more")) }
        if sorted.isEmpty { lines.append(cut(nothing)) }
        return lines
    }

    /// The lines of a choice: each beacon with its number, in the order that they are given.
    static func lines(_ candidates: [CandidateList.Candidate], isColored: Bool = false) -> [String] {
        var notes: Set<String> = []
        let rows = candidates.flatMap { candidate in
            let line = "\(candidate.number)".leftPadding(to: 3) + "  " + line(candidate.beacon)
            return [isColored ? colored(line, by: candidate.beacon.rssi, from: 5) : line]
                + Self.notes(candidate.beacon, after: &notes).map { "     " + $0 }
        }
        return ["     " + heading] + (rows.isEmpty ? ["     " + nothing] : rows)
    }

    /// Returns the notes about a beacon's identity, each once: all identities of a beacon that changes it have the same note.
    private static func notes(_ beacon: BeaconReport, after shown: inout Set<String>) -> [String] {
        beacon.identityNotes.map { "  └ \($0.line)" }.filter { line in
            guard beacon.proposedMask != nil else { return true }
            return shown.insert("\(beacon.uuid.prefix(34)) \(line)").inserted
        }
    }

    private static let heading =
        "UUID".padding(to: 37) + "major".padding(to: 6) + "minor".padding(to: 6) + " dBm  "
        + "signal".padding(to: 11) + "distance".padding(to: 10) + "age"
    private static let nothing = "no iBeacon received yet"

    /// The column of the signal's bar.
    private static let barColumn = 55

    /// Returns the line with its bar in green from -70 dBm, in yellow from -85 dBm, otherwise in red.
    private static func colored(_ line: String, by rssi: Int8?, from margin: Int) -> String {
        guard let rssi else { return line }
        let color = rssi >= -70 ? 32 : rssi >= -85 ? 33 : 31
        let (start, length) = (margin + barColumn, bar(rssi).count)
        let characters = Array(line)
        guard characters.count > start else { return line }
        let end = min(characters.count, start + length)
        return String(characters[..<start]) + "\u{1B}[\(color)m" + String(characters[start..<end]) + "\u{1B}[0m"
            + String(characters[end...])
    }

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
