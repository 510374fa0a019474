import HCI
package import IBeacon
import OkaeriEvents
import OkaeriPlumbing

/// One advertisement, taken apart for a person.
package struct DecodedAdvertisement: Sendable {
    /// The iBeacons found.
    package private(set) var frames: [IBeaconFrame] = []

    /// The form as which the bytes were read.
    package let form: Form

    /// Whether the bytes are of this form to their end.
    private var isComplete = true

    private var lines: [String] = []

    /// Reads the bytes as the form that fits. If several do, an iBeacon decides, then the order of the forms: the length that
    /// hcitool takes could be that of an AD structure, too.
    package init(_ bytes: [UInt8]) {
        let readings = Form.allCases.compactMap { Self(bytes, as: $0) }
        let complete = readings.filter(\.isComplete)
        self =
            complete.first { !$0.frames.isEmpty } ?? complete.first ?? readings.first { !$0.frames.isEmpty } ?? readings
            .first
            ?? Self(advertisingData: bytes, as: .advertisingData)
    }

    /// - Returns: nil if the bytes do not begin as those of the form do.
    private init?(_ bytes: [UInt8], as form: Form) {
        guard let content = form.content(of: bytes) else { return nil }
        switch content {
        case .event(let event): self.init(event: event, as: form)
        case .advertisingData(let data): self.init(advertisingData: data, as: form)
        case .manufacturerData(let data):
            self.init(form)
            explain(manufacturerData: data, named: "manufacturer specific data")
            isComplete = !frames.isEmpty
        }
    }

    private init(_ form: Form) { self.form = form }

    private init(advertisingData: some Sequence<UInt8>, as form: Form) {
        self.init(form)
        let data = Array(advertisingData)
        explain(data.span.bytes)
    }

    private init?(event: ArraySlice<UInt8>, as form: Form) {
        self.init(form)
        let bytes = Array(event)
        guard var reports = LEAdvertisingReports(event: bytes.span.bytes) else { return nil }
        isComplete = bytes.count == 2 + Int(bytes[1])
        do {
            while let report = try reports.next() {
                let signal = report.rssi.map { "\($0) dBm" } ?? "not available"
                lines.append("report from \(report.address), RSSI \(signal)")
                explain(report.data)
            }
        } catch {
            isComplete = false
            lines.append("the event is \(error)")
        }
    }

    private mutating func explain(_ advertisingData: RawSpan) {
        var structures = ADStructures(advertisingData)
        var end = 0
        while let structure = structures.next() {
            let data = structure.data.withUnsafeBytes { Array($0) }
            var line = "byte \(structure.offset): \(Self.name(of: structure.type))"
            end = structure.offset + 2 + data.count
            if structure.type == ADType.manufacturerSpecificData {
                explain(manufacturerData: data, named: line)
                continue
            } else if [ADType.completeLocalName, ADType.shortenedLocalName].contains(structure.type) {
                line += " \"\(String(decoding: data, as: UTF8.self).plain())\""
            } else {
                line += " " + data.map { hexadecimal($0, prefix: "") }.joined(separator: " ")
            }
            lines.append(line)
        }
        if structures.overran { lines.append("the last structure announces more bytes than there are") }
        // What follows a length of 0 is padding.
        let rest = advertisingData.extracting(end...).withUnsafeBytes { Array($0) }
        if structures.overran || end == 0 || rest.contains(where: { $0 != 0 }) { isComplete = false }
    }

    private mutating func explain(manufacturerData data: [UInt8], named name: String) {
        let frame = IBeaconFrame(manufacturerSpecificData: data.span.bytes)
        lines.append(name + Self.company(data) + (frame == nil ? "" : ": an iBeacon"))
        if let frame { frames.append(frame) }
    }

    /// The iBeacons, a line each; without one, the reason.
    package var verdict: String {
        guard !frames.isEmpty else {
            return "no iBeacon: an iBeacon has manufacturer specific data (FF) that begins with 4C 00 02 15 and has "
                + "24 bytes or more"
        }
        return frames.map(Self.sentence).joined(separator: "\n")
    }

    private static func sentence(_ frame: IBeaconFrame) -> String {
        let power =
            frame.measuredPower.map { power in
                "\(power) dBm" + (power < 0 ? "" : " (junk: a signal at one metre is below zero)")
            } ?? "unknown: the frame ends before it"
        return "iBeacon  uuid \(frame.identity.uuid)  major \(frame.identity.major)  minor \(frame.identity.minor)  "
            + "measured power \(power)"
    }

    /// For a person.
    package var text: String { (["read as \(form)"] + lines + [verdict]).joined(separator: "\n") }

    /// uuid, major, minor, measuredPower of each iBeacon, a line each; `nil` without one.
    package var json: String? {
        let objects = frames.map { frame in
            (frame.identity.fields + [
                EventField("measuredPower", frame.measuredPower.map { .integer(Int($0)) } ?? .null)
            ])
            .json
        }
        return objects.isEmpty ? nil : objects.joined(separator: "\n")
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
