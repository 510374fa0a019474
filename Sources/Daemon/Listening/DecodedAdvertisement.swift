import HCI
package import IBeacon
import OkaeriEvents
import OkaeriPlumbing

/// One advertisement, taken apart for a person.
package struct DecodedAdvertisement: Sendable {
    /// The iBeacons found: one for each report, at most.
    package private(set) var frames: [IBeaconFrame] = []

    private var lines: [String] = []

    /// Reads hexadecimal digits as people paste them: with spaces, colons, hyphens or `0x`.
    ///
    /// - Returns: nil for anything else, and for half a byte.
    package static func bytes(hex: String) -> [UInt8]? {
        let digits = hex.replacing("0x", with: "").replacing("0X", with: "")
            .filter { !$0.isWhitespace && $0 != ":" && $0 != "-" && $0 != "," }
        return digits.isEmpty ? nil : [UInt8](hexadecimal: digits)
    }

    /// - Parameter bytes: advertising data, or an HCI event packet with LE advertising reports.
    package init(_ bytes: [UInt8]) {
        guard bytes.first == HCIPacketType.event.rawValue, bytes.count > 1,
            var reports = LEAdvertisingReports(event: bytes.span.bytes.extracting(1...))
        else {
            explain(bytes.span.bytes)
            return
        }
        do {
            while let report = try reports.next() {
                let signal = report.rssi.map { "\($0) dBm" } ?? "not available"
                lines.append("report from \(report.address), RSSI \(signal)")
                explain(report.data)
            }
        } catch {
            lines.append("the event is \(error)")
        }
    }

    private mutating func explain(_ advertisingData: RawSpan) {
        var structures = ADStructures(advertisingData)
        while let structure = structures.next() {
            let data = structure.data.withUnsafeBytes { Array($0) }
            var line = "byte \(structure.offset): \(Self.name(of: structure.type))"
            if structure.type == ADType.manufacturerSpecificData {
                line += Self.company(data)
                if let frame = IBeaconFrame(manufacturerSpecificData: structure.data) {
                    frames.append(frame)
                    line += ": an iBeacon"
                }
            } else if [ADType.completeLocalName, ADType.shortenedLocalName].contains(structure.type) {
                line += " \"\(String(decoding: data, as: UTF8.self).plain())\""
            } else {
                line += " " + data.map { hexadecimal($0, prefix: "") }.joined(separator: " ")
            }
            lines.append(line)
        }
        if structures.overran { lines.append("the last structure announces more bytes than there are") }
    }

    /// The reason why it is an iBeacon, or is not.
    package var verdict: String {
        guard let frame = frames.first else {
            return "no iBeacon: an iBeacon has manufacturer specific data (FF) that begins with 4C 00 02 15 and has "
                + "24 bytes or more"
        }
        let power =
            frame.measuredPower.map { power in
                "\(power) dBm" + (power < 0 ? "" : " (junk: a signal at one metre is below zero)")
            } ?? "unknown: the frame ends before it"
        return "iBeacon  uuid \(frame.identity.uuid)  major \(frame.identity.major)  minor \(frame.identity.minor)  "
            + "measured power \(power)"
    }

    /// For a person.
    package var text: String { (lines + [verdict]).joined(separator: "\n") }

    /// uuid, major, minor, measuredPower; nil if it is not an iBeacon.
    package var json: String? {
        frames.first.map { frame in
            (frame.identity.fields + [EventField("measuredPower", frame.measuredPower.map { .integer(Int($0)) } ?? .null)])
                .json
        }
    }

    private static func company(_ data: [UInt8]) -> String {
        guard data.count >= 2 else { return ", too short to name a company" }
        let company = UInt16(data[1]) << 8 | UInt16(data[0])
        let name = company == 0x004C ? " (Apple)" : ""
        return " of company \(hexadecimal(company))\(name), \(quantity(data.count, "byte"))"
    }

    private static func name(of type: UInt8) -> String {
        switch type {
        case ADType.flags: "flags"
        case ADType.shortenedLocalName: "shortened local name"
        case ADType.completeLocalName: "complete local name"
        case ADType.txPowerLevel: "TX power level"
        case ADType.serviceData16: "service data"
        case ADType.manufacturerSpecificData: "manufacturer specific data"
        default: "AD type \(hexadecimal(type))"
        }
    }
}
