import IBeacon
import OkaeriPlumbing
import RegionMonitoring

extension RegionSign {
    /// The name by which a person chooses the sign of a region: the beacons as ``BeaconConstraint/description``, or the phone.
    package var name: String { phoneName ?? identity.description }

    /// Whether the sign is meant by a name, by its beacons, or by the path of its key file.
    func isNamed(_ text: String) -> Bool {
        switch identity {
        case .beacon(let constraint): BeaconConstraint(text) == constraint
        case .phone(let file): text == phoneName || text == file
        }
    }
}

/// The signs of a region: the region's own keys, or the elements of `anyOf`.
extension Configuration {
    static let signKeys = ["phone"] + beaconKeys + [maskKey] + receptionKeys
    /// The keys that determine the beacons.
    static let beaconKeys = ["uuid", "major", "minor"]
    /// The key of the bits of ``beaconKeys`` that count, each by its own key.
    static let maskKey = "mask"
    /// The keys that determine how the sign is received.
    static let receptionKeys = [
        "enterRSSI", "exitRSSI", "exitAfter", "sensitivity", "measuredPower", "pathLossExponent",
    ]

    /// RSSI as HCI sends it, in dBm (Core Specification, Vol 4, Part E, 7.7.65.2).
    private static let rssiRange = -127...20

    /// At one metre, where no beacon is heard at zero dBm.
    private static let measuredPowerRange = -127...(-1)

    /// Up to a day: longer than that is not presence.
    private static let exitAfterRange = 1.0...86_400

    /// Reads the signs of a region; none if one of them is malformed.
    ///
    /// - Parameter sensitivity: The sensitivity of signs without their own.
    static func signs(_ reader: ObjectReader, sensitivity: Sensitivity) -> [RegionSign] {
        guard reader.node("anyOf") != nil else { return sign(reader, sensitivity: sensitivity).map { [$0] } ?? [] }
        for key in signKeys where reader.node(key) != nil {
            reader.report(key, found: "a key beside anyOf", expected: "this key in the elements of anyOf")
        }
        let nodes = reader.value("anyOf", expected: "an array of 1 to \(RegionSign.limit) signs") { value in
            if case .array(let nodes) = value, 1...RegionSign.limit ~= nodes.count { nodes } else { nil }
        }
        var first: [RegionSign.Identity: Int] = [:]
        let signs = (nodes ?? []).enumerated().compactMap { index, node -> RegionSign? in
            let path = "\(reader.place(of: "anyOf"))[\(index)]"
            guard let element = ObjectReader(node, path: path, keys: signKeys, problems: reader.problems),
                let sign = sign(element, sensitivity: sensitivity)
            else { return nil }
            if let same = first.updateValue(index, forKey: sign.identity) {
                let (key, kind) = sign.phoneFile == nil ? ("uuid", "beacons") : ("phone", "phone")
                element.report(key, found: "the \(kind) of anyOf[\(same)]", expected: "other signs")
            }
            return sign
        }
        return signs.count == nodes?.count ? signs : []
    }

    private static func sign(_ reader: ObjectReader, sensitivity: Sensitivity) -> RegionSign? {
        let identity = reader.node("phone") == nil ? beacons(reader) : phone(reader)
        let enterRSSI = reader.integer("enterRSSI", in: rssiRange, unit: " dBm")
        let exitRSSI = reader.integer("exitRSSI", in: rssiRange, unit: " dBm")
        if let enterRSSI, let exitRSSI, exitRSSI > enterRSSI {
            reader.report("exitRSSI", found: "\(exitRSSI)", expected: "at most enterRSSI, \(enterRSSI) dBm")
        }
        let exitAfter = reader.number("exitAfter", in: exitAfterRange, unit: " seconds")
        let own = self.sensitivity(reader)
        let measuredPower = reader.integer("measuredPower", in: measuredPowerRange, unit: " dBm")
        let exponent = reader.number("pathLossExponent", in: Calibration.exponents, unit: "")
        guard let identity else { return nil }
        return RegionSign(
            identity, enterRSSI: enterRSSI, exitRSSI: exitRSSI, exitAfter: exitAfter.map { .seconds($0) },
            sensitivity: own ?? sensitivity, measuredPower: measuredPower.map { Int8($0) }, pathLossExponent: exponent)
    }

    private static func beacons(_ reader: ObjectReader) -> RegionSign.Identity? {
        let uuid = reader.required("uuid", expected: "a UUID such as 5F1C2A8E-93B4-4D07-A6E1-7C0D52B98F34") {
            $0.string.flatMap(BeaconUUID.init)
        }
        return uuid.flatMap { constraint(reader, uuid: $0) }.map { .beacon($0) }
    }

    private static func phone(_ reader: ObjectReader) -> RegionSign.Identity? {
        for key in beaconKeys + [maskKey] where reader.node(key) != nil {
            reader.report(key, found: "a key beside phone", expected: "a beacon or a phone")
        }
        return reader.string("phone", expected: SecretFile.expected, where: SecretFile.isPath).map { .phone(file: $0) }
    }

    private static func constraint(_ reader: ObjectReader, uuid: BeaconUUID) -> BeaconConstraint {
        let numbers = Int(UInt16.min)...Int(UInt16.max)
        let major = reader.integer("major", in: numbers).map(UInt16.init)
        let minor = reader.integer("minor", in: numbers).map(UInt16.init)
        if minor != nil, reader.node("major") == nil {
            reader.report("major", found: "nothing", expected: "a major beside the minor")
        }
        let mask = mask(reader)
        let group = BeaconConstraint(uuid: uuid, major: major)
        guard let major, let minor else { return group.masked(by: mask) }
        return BeaconConstraint(uuid: uuid, major: major, minor: minor).masked(by: mask)
    }

    /// Returns the beacons of a region in JSON; `nil` if it has none, or has mistakes.
    static func beacons(of region: JSONNode.Value) -> BeaconConstraint? {
        let problems = ObjectReader.Problems()
        let node = JSONNode(value: region)
        guard let reader = ObjectReader(node, path: "", keys: regionKeys, problems: problems),
            case .beacon(let constraint)? = beacons(reader), problems.list.isEmpty
        else { return nil }
        return constraint
    }

    /// Reads the bits that count; without the key, and after a mistake, all of them.
    private static func mask(_ reader: ObjectReader) -> BeaconMask {
        guard let node = reader.node(maskKey),
            let mask = ObjectReader(
                node, path: reader.place(of: maskKey), keys: beaconKeys, problems: reader.problems)
        else { return .all }
        func bits(_ key: String) -> UInt16? {
            mask.value(key, expected: "four hexadecimal digits in quotation marks, such as \"FF00\"") {
                $0.string.flatMap { MaskText.bits($0) }
            }
        }
        let uuid = mask.value("uuid", expected: "a UUID with the digits F and 0, such as \(uuidMaskExample)") {
            $0.string.flatMap(BeaconUUID.init)
        }
        let (all, major, minor) = (BeaconMask.all, bits("major"), bits("minor"))
        if let found = BeaconMask(uuid: uuid ?? all.uuid, major: major ?? all.major, minor: minor ?? all.minor) {
            return found
        }
        mask.report(
            "uuid", found: uuid.map { "\($0)" } ?? "nothing",
            expected: "at least \(BeaconMask.leastOwnerBits) bits that count, because the beacons of others would match"
        )
        return .all
    }

    private static let uuidMaskExample = "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFF00"
}
