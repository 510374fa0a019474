package import IBeacon
import OkaeriPlumbing

/// Phones are received under changing addresses, which the caller resolves. A phone's track is in the table of beacons, but not in its
/// index: an advertisement cannot stand in for it.
extension RegionMonitor {
    /// A phone of some sign.
    struct Phone: Sendable {
        let file: String
        let identity: BeaconIdentity
        /// Its place in the table, if that is still its own.
        var slot = 0

        init(_ file: String) { (self.file, identity) = (file, BeaconIdentity(phone: file)) }
    }

    /// The key files of the phones of all signs, each once. A phone is passed by its position here.
    public var phoneFiles: [String] { phones.map(\.file) }

    /// Handles the reception of a phone, whatever it advertises.
    ///
    /// - Parameters:
    ///   - phone: The position of its key file in ``phoneFiles``.
    ///   - radio: The radio that received it.
    public mutating func phoneSighted(
        _ phone: Int, rssi: Int8?, by radio: RadioID = .own, at now: Instant
    ) -> [Action] {
        guard !radios.isLost(radio.position), now >= startedAt else { return [] }
        let sighting = sighting(ofPhone: phone, rssi: rssi, by: radio)
        guard let slot = slot(ofPhone: phone, sighting, at: now) else { return [] }
        return sighted(sighting, in: slot, at: now)
    }

    /// Returns the reception of a phone as that of a beacon. A phone claims no power at one metre.
    public func sighting(ofPhone phone: Int, rssi: Int8?, by radio: RadioID = .own) -> BeaconSighting {
        BeaconSighting(identity: phones[phone].identity, measuredPower: nil, rssi: rssi, radio: radio)
    }

    /// Returns the positions of the regions of a phone that was received. Mutating as ``regions(of:)`` is.
    package mutating func regions(ofPhone phone: Int) -> [Int] {
        knownSlot(ofPhone: phone).map { beacons[$0].regions } ?? []
    }

    private func knownSlot(ofPhone phone: Int) -> Int? {
        let (slot, identity) = (phones[phone].slot, phones[phone].identity)
        guard slot < beacons.tracks.count, beacons[slot].isPhone, beacons[slot].identity == identity else { return nil }
        return slot
    }

    private mutating func slot(ofPhone phone: Int, _ sighting: BeaconSighting, at now: Instant) -> Int? {
        if let slot = knownSlot(ofPhone: phone) { return slot }
        let slot = inserted(sighting, signs: signs(ofPhone: sighting.identity), isPhone: true, at: now)
        phones[phone].slot = slot ?? phones[phone].slot
        return slot
    }

    /// Returns the positions of the signs that a phone is.
    func signs(ofPhone identity: BeaconIdentity) -> [Int] {
        signs.indices.filter { signs[$0].sign.phoneFile != nil && signs[$0].sign.matches(identity) }
    }

    /// Collects the phones of the signs. Their tracks stay in their places.
    mutating func collectPhones() {
        phones = []
        for file in signs.compactMap(\.sign.phoneFile) where !phones.contains(where: { $0.file == file }) {
            phones.append(Phone(file))
        }
        for slot in beacons.tracks.indices where beacons[slot].isPhone {
            guard let phone = phones.firstIndex(where: { $0.identity == beacons[slot].identity }) else { continue }
            phones[phone].slot = slot
        }
    }
}

extension RegionSign {
    /// The phone's key file; `nil` for beacons.
    public var phoneFile: String? {
        if case .phone(let file) = identity { file } else { nil }
    }

    /// The name of the phone, without the folder and the suffix of its key file; `nil` for beacons.
    package var phoneName: String? {
        phoneFile?.split(separator: "/").last.map { name in
            String(name.hasSuffix(".irk") ? name.dropLast(4) : name).plain(replacesFormat: true)
        }
    }

    /// Returns whether a beacon, or the identity of a phone, is the sign.
    package func matches(_ identity: BeaconIdentity) -> Bool {
        switch self.identity {
        case .beacon(let constraint): constraint.matches(identity)
        case .phone(let file): BeaconIdentity(phone: file) == identity
        }
    }

    private var bounds: (shortest: Double, initial: Double, longest: Double) {
        sensitivity.bounds(isPhone: phoneFile != nil)
    }

    /// The shortest exit time that can be learned.
    public var shortestExitAfter: Duration { .seconds(bounds.shortest) }

    /// The exit time before one is learned.
    public var initialExitAfter: Duration { .seconds(bounds.initial) }

    /// The longest exit time that can be learned.
    public var longestExitAfter: Duration { .seconds(bounds.longest) }
}
