package import HCI
package import IBeacon
import OkaeriPlumbing

/// A reception that a receiver reports.
package struct ReceiverReport: Hashable, Sendable {
    package enum Sender: Hashable, Sendable {
        case beacon(BeaconIdentity, measuredPower: Int8?)
        /// A device with a private address, maybe a phone.
        case phone(BluetoothAddress)
        /// Another device, by a number that distinguishes it.
        case other(UInt64)
    }

    package var sender: Sender
    /// In dBm; `nil` without a measured one.
    package var rssi: Int8?
    /// The time between the reception and the message, in seconds.
    package var age: Double
    /// The battery level of the device, in percent.
    package var battery: UInt8?

    package init(_ sender: Sender, rssi: Int8?, age: Double = 0, battery: UInt8? = nil) {
        (self.sender, self.rssi, self.age, self.battery) = (sender, rssi, age, battery)
    }
}

/// The reason why a payload of a receiver is not used.
package enum ReceiverRejection: String, CaseIterable, Hashable, Sendable, Error {
    /// It is larger than any that such a receiver publishes.
    case tooLarge = "too large"
    /// It is not JSON, or not an object or array.
    case malformed
    /// A value that is needed is missing, or out of its range.
    case incomplete
    /// More messages come than such a receiver publishes.
    case tooMany = "too many messages"
    /// The configuration names the receivers that are used, and this one is not among them.
    case notNamed = "receiver not in `rooms`"
    /// There are as many receivers as are accepted.
    case tooManyReceivers = "too many receivers"
    /// A node of this program has the name of the receiver.
    case nameTaken = "name of a node"
    /// There are too many aliases, or it is another beacon's own identifier.
    case aliasNotAccepted = "alias not accepted"
    /// Its device is one of several, and nothing shows which.
    case ambiguous = "name of several beacons"
    /// Another receiver publishes under the same name.
    case duplicate = "name of two receivers"
}

/// Reads the payloads of receivers.
package enum ReceiverPayload {
    /// The largest payload that is read, in bytes: a batch of sixteen extended advertisements.
    package static let largest = 16_384

    /// The number of receptions of a payload that are read, and the longest age that is believed, in seconds.
    private static let (receptionLimit, longestAge) = (64, 60.0)

    /// The largest advertisement that is read, in bytes: that of an extended report.
    private static let largestAdvertisement = 1650

    /// The UUID of the iBeacons that ESPresense nodes send themselves: the first eight bytes are theirs.
    private static let ownOfESPresense: UInt64 = 0xE5CA_1ADE_F007_BA11

    /// The figures of a receiver about itself.
    package struct Telemetry: Hashable, Sendable {
        /// The number of advertisements that it received since its last figures.
        package var adverts: Int?
        /// The seconds since its start.
        package var uptime: Double?
        /// The part of the time in which it scans, from 0 to 1.
        package var share: Double?
        /// A number that distinguishes the address of the receiver in the network.
        package var host: UInt64?
        /// Whether its scan runs.
        package var scans: Bool?
        /// The number of times since its start that it has processed advertisements.
        package var processed: Int?

        package init(
            adverts: Int? = nil, uptime: Double? = nil, share: Double? = nil, host: UInt64? = nil, scans: Bool? = nil,
            processed: Int? = nil
        ) {
            (self.adverts, self.uptime, self.share, self.host) = (adverts, uptime, share, host)
            (self.scans, self.processed) = (scans, processed)
        }
    }

    /// Returns the receptions of a report.
    ///
    /// - Parameters:
    ///   - device: The identifier in the topic, with ESPresense.
    ///   - isWanted: Returns whether a beacon is wanted, so that the payload of another one is not read.
    package static func reports(
        _ make: ReceiverMake, device: String?, _ payload: [UInt8], wantsPhones: Bool = true,
        isWanted: (ReceiverReport.Sender) -> Bool = { _ in true }
    ) throws(ReceiverRejection) -> [ReceiverReport] {
        guard payload.count <= largest else { throw .tooLarge }
        if make == .espresense {
            return [try espresense(device ?? "", payload, wantsPhones: wantsPhones, isWanted)]
        }
        let text = FlatJSON(payload)
        guard let root = text.root else { throw .malformed }
        return switch make {
        case .shelly: try shelly(text, root)
        case .openmqttgateway, .theengs: [try gateway(text, root)]
        case .espresense, .esphome: [try esphome(text, root)]
        }
    }

    // MARK: ESPresense

    /// Returns the sender that an identifier of ESPresense names; `nil` for a node of ESPresense.
    package static func sender(ofESPresense device: String) -> ReceiverReport.Sender? {
        let bytes = device.utf8
        guard device.hasPrefix("iBeacon:") else {
            if device.hasPrefix("node:") { return nil }
            return .other(bytes.fnv1a)
        }
        // `iBeacon:UUID-major-minor`; the UUID has hyphens itself.
        let letters = Array(bytes)
        let (start, end) = ("iBeacon:".utf8.count, "iBeacon:".utf8.count + 36)
        guard letters.count > end, letters[end] == UInt8(ascii: "-"),
            let hyphen = letters[(end + 1)...].firstIndex(of: UInt8(ascii: "-")),
            let (high, low) = UUIDText.halves(letters[start..<end]),
            let major = UInt16(decimal: letters[(end + 1)..<hyphen]),
            let minor = UInt16(decimal: letters[(hyphen + 1)...])
        else { return .other(letters.fnv1a) }
        let uuid = BeaconUUID(high: high, low: low)
        if uuid.high == ownOfESPresense { return nil }
        return .beacon(BeaconIdentity(uuid: uuid, major: major, minor: minor), measuredPower: nil)
    }

    private static func espresense(
        _ device: String, _ payload: [UInt8], wantsPhones: Bool, _ isWanted: (ReceiverReport.Sender) -> Bool
    ) throws(ReceiverRejection) -> ReceiverReport {
        // A node of ESPresense is received as any other device is.
        guard var sender = sender(ofESPresense: device) else {
            return ReceiverReport(.other(device.utf8.fnv1a), rssi: nil)
        }
        // The payload is not read: most messages are about devices that no region wants.
        let isOther = if case .other = sender { true } else { false }
        if !(isOther && wantsPhones), !isWanted(sender) { return ReceiverReport(.other(device.utf8.fnv1a), rssi: nil) }
        let text = FlatJSON(payload)
        var (rssi, power, battery) = (Int8?.none, Int8?.none, UInt8?.none)
        var address: BluetoothAddress?
        let isObject = text.members { key, value in
            switch key {
            case "rssi": rssi = signal(text.number(value))
            case "rssi@1m": power = signal(text.number(value))
            case "batt": battery = percent(text.number(value))
            case "mac" where isOther: address = text.letters(value).flatMap(plainAddress)
            default: break
            }
        }
        guard isObject else { throw .malformed }
        guard let rssi else { throw .incomplete }
        // The address of any device but a beacon may be a phone's, of which its owner has the key.
        if let address, address.isResolvable { sender = .phone(address) }
        if case .beacon(let identity, _) = sender { sender = .beacon(identity, measuredPower: power) }
        return ReceiverReport(sender, rssi: rssi, battery: battery)
    }

    /// Returns the identifier that replaces another one, by the settings of a device; `nil` for settings without one.
    package static func alias(_ payload: [UInt8]) -> String? {
        let text = FlatJSON(payload)
        guard payload.count <= 1024, let root = text.root else { return nil }
        var alias: String?
        text.members(of: root) { key, value in
            if "id" ~= key { alias = text.string(value, longest: 64) }
            return true
        }
        return alias.flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Telemetry

    /// Returns whether a status or a last will shows that its receiver is online; `nil` for another payload.
    package static func isOnline(_ payload: [UInt8]) -> Bool? {
        switch String(decoding: payload.prefix(16), as: UTF8.self) {
        case "online", "true": true
        case "offline", "false": false
        default: nil
        }
    }

    /// Returns the figures of a receiver about itself; `nil` for a payload without any.
    package static func telemetry(_ payload: [UInt8]) -> Telemetry? {
        let text = FlatJSON(payload)
        guard payload.count <= largest, let root = text.root else { return nil }
        var telemetry = Telemetry()
        var (interval, duration) = (Double?.none, Double?.none)
        let isObject = text.members(of: root) { key, value in
            switch key {
            case "adverts": telemetry.adverts = text.integer(value)
            case "uptime": telemetry.uptime = text.number(value).flatMap { 0...1e10 ~= $0 ? $0 : nil }
            case "interval": interval = text.number(value)
            case "scanduration": duration = text.number(value)
            case "scan": telemetry.scans = text.bool(value)
            // The queue of OpenMQTTGateway has advertisements alone.
            case "btqsnd": telemetry.processed = text.integer(value)
            case "ip": telemetry.host = text.string(value, longest: 64)?.utf8.fnv1a
            default: break
            }
            return true
        }
        if let interval, let duration, interval >= 0, duration > 0 {
            telemetry.share = min(1, max(0, duration / (interval + duration)))
        }
        return isObject ? telemetry : nil
    }

    // MARK: Shelly

    private static func shelly(_ text: FlatJSON, _ root: FlatJSON.Value) throws(ReceiverRejection) -> [ReceiverReport] {
        var lists: [FlatJSON.Value] = []
        var params: FlatJSON.Value?
        guard
            text.members(
                of: root,
                { key, value in
                    switch key {
                    case "adverts": lists.append(value)
                    case "params": params = value
                    default: break
                    }
                    return true
                })
        else { throw .malformed }
        var single: [[FlatJSON.Value]] = []
        if let params { scanResults(text, params, &lists, &single) }
        // Another notification of the device: it is alive, and whether it scans is not known.
        guard !lists.isEmpty || !single.isEmpty else { return [] }
        var reports: [ReceiverReport] = []
        for list in lists {
            guard let entries = text.elements(of: list, limit: receptionLimit) else { throw .malformed }
            single += entries.compactMap { text.elements(of: $0, limit: 5) }
        }
        for entry in single.prefix(receptionLimit) { reports += advertisement(text, entry) ?? [] }
        // A batch without an advertisement shows whether the scan runs: see ``telemetry(_:)``.
        if reports.isEmpty, !single.isEmpty { throw .incomplete }
        return reports
    }

    /// Finds the entries of the events `ble.scan_result`, of both versions.
    private static func scanResults(
        _ text: FlatJSON, _ params: FlatJSON.Value, _ lists: inout [FlatJSON.Value], _ single: inout [[FlatJSON.Value]]
    ) {
        var events: [FlatJSON.Value] = []
        text.members(of: params) { key, value in
            if "events" ~= key { events = text.elements(of: value, limit: receptionLimit) ?? [] }
            return true
        }
        for event in events {
            var (isScan, data) = (false, [FlatJSON.Value]())
            text.members(of: event) { key, value in
                switch key {
                case "event": isScan = text.string(value) == "ble.scan_result"
                case "data": data = text.elements(of: value, limit: 6) ?? []
                default: break
                }
                return true
            }
            guard isScan, let version: Int = data.first.flatMap({ text.integer($0) }) else { continue }
            if version == 1 { single.append(Array(data.dropFirst())) } else if data.count > 1 { lists.append(data[1]) }
        }
    }

    /// Reads `[address, RSSI, advertisement, scan response, age in ms]`, the last two optional; the bytes are in base64.
    private static func advertisement(_ text: FlatJSON, _ entry: [FlatJSON.Value]) -> [ReceiverReport]? {
        guard entry.count >= 3, let address = text.string(entry[0]).flatMap({ BluetoothAddress($0) }),
            let signal = text.number(entry[1]), let letters = text.letters(entry[2]),
            let data = [UInt8](base64: letters, longest: largestAdvertisement)
        else { return nil }
        let age = entry.count > 4 ? text.number(entry[4]).map { min(max($0 / 1000, 0), longestAge) } ?? 0 : 0
        return reports(address, self.signal(signal), data, age: age)
    }

    /// Returns the iBeacons in an advertisement, or its sender.
    private static func reports(
        _ address: BluetoothAddress, _ rssi: Int8?, _ data: [UInt8], age: Double
    ) -> [ReceiverReport] {
        var frames = IBeaconFrames(data.rawSpan)
        var reports: [ReceiverReport] = []
        while let frame = frames.next() {
            reports.append(
                ReceiverReport(.beacon(frame.identity, measuredPower: frame.measuredPower), rssi: rssi, age: age))
        }
        if !reports.isEmpty { return reports }
        return [ReceiverReport(sender(at: address), rssi: rssi, age: age)]
    }

    /// The upper two bits tell a private address, where no type of the address is known (Vol 6, Part B, 1.3.2.2).
    private static func sender(at address: BluetoothAddress) -> ReceiverReport.Sender {
        address.isResolvable ? .phone(address) : .other(address.rawValue)
    }

    // MARK: OpenMQTTGateway, Theengs

    private static func gateway(_ text: FlatJSON, _ root: FlatJSON.Value) throws(ReceiverRejection) -> ReceiverReport {
        var (rssi, power, battery) = (Int8?.none, Int8?.none, UInt8?.none)
        var (address, type) = (BluetoothAddress?.none, Int?.none)
        var (uuid, major, minor) = (BeaconUUID?.none, UInt16?.none, UInt16?.none)
        var frame: IBeaconFrame?
        let isObject = text.members(of: root) { key, value in
            switch key {
            case "id", "mac", "address":
                if let found = text.string(value).flatMap({ BluetoothAddress($0) }) { address = found }
            case "mac_type": type = text.integer(value)
            case "rssi": rssi = signal(text.number(value))
            case "txpower", "power": power = signal(text.number(value))
            case "batt": battery = percent(text.number(value))
            case "uuid": uuid = text.string(value).flatMap { BeaconUUID($0) }
            case "major": major = text.integer(value)
            case "minor": minor = text.integer(value)
            case "manufacturerdata":
                let data = text.string(value, longest: 512).flatMap { [UInt8](hexadecimal: $0) }
                frame = data.flatMap { IBeaconFrame(manufacturerSpecificData: $0.rawSpan) }
            default: break
            }
            return true
        }
        guard isObject else { throw .malformed }
        if let frame {
            return ReceiverReport(
                .beacon(frame.identity, measuredPower: frame.measuredPower), rssi: rssi, battery: battery)
        }
        if let uuid, let major, let minor {
            let identity = BeaconIdentity(uuid: uuid, major: major, minor: minor)
            return ReceiverReport(.beacon(identity, measuredPower: power), rssi: rssi, battery: battery)
        }
        guard let address else { throw .incomplete }
        // A public address may look like a private one.
        return ReceiverReport(type == 0 ? .other(address.rawValue) : sender(at: address), rssi: rssi, battery: battery)
    }

    // MARK: ESPHome

    /// Reads `{"address":…, "rssi":…, "uuid":…, "major":…, "minor":…, "power":…}`, all but the first two optional, or
    /// `{"address":…, "rssi":…, "data":…}` with an advertisement in base64.
    private static func esphome(_ text: FlatJSON, _ root: FlatJSON.Value) throws(ReceiverRejection) -> ReceiverReport {
        var data: [UInt8]?
        var rssi: Int8?
        text.members(of: root) { key, value in
            switch key {
            case "data": data = text.letters(value).flatMap { [UInt8](base64: $0, longest: largestAdvertisement) }
            case "rssi": rssi = signal(text.number(value))
            default: break
            }
            return true
        }
        if let data, let frame = IBeaconFrame(advertisingData: data.rawSpan) {
            return ReceiverReport(.beacon(frame.identity, measuredPower: frame.measuredPower), rssi: rssi)
        }
        return try gateway(text, root)
    }

    // MARK: Values

    /// Returns a signal in dBm; `nil` if it is out of range, such as 127 for one that was not measured.
    private static func signal(_ number: Double?) -> Int8? {
        number.flatMap { -127...20 ~= $0.rounded() ? RSSI.measured(Int8($0.rounded())) : nil }
    }

    private static func percent(_ number: Double?) -> UInt8? {
        number.flatMap { 0...100 ~= $0 ? UInt8($0.rounded()) : nil }
    }

    /// Reads an address of twelve digits without colons.
    private static func plainAddress(_ letters: ArraySlice<UInt8>) -> BluetoothAddress? {
        guard letters.count == 12 else { return nil }
        var value: UInt64 = 0
        for letter in letters {
            guard let digit = letter.hexadecimalValue else { return nil }
            value = value << 4 | UInt64(digit)
        }
        return BluetoothAddress(rawValue: value)
    }
}
