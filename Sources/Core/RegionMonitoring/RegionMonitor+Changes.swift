import IBeacon
import OkaeriPlumbing

/// Beacons that send a battery level or a counter in their identity: one identity vanishes as the next one appears.
extension RegionMonitor {
    /// The fields that such a beacon may change.
    fileprivate enum Field: CaseIterable {
        case minor, major, uuid
    }

    /// The tracks of one group differ in one field alone. Address 0 is a group of beacons whose addresses change, too.
    private struct Group: Hashable {
        var address: UInt64
        /// The identity with zeros in place of the field.
        var rest: BeaconIdentity
    }

    /// The number of bits that may change.
    private static let mostBits = 8

    /// The number of tracks that are compared, those that were received last: a flood of identities must not make each request slow.
    private static let comparedTracks = 256

    /// The conditions for tracks to be one beacon.
    private struct Evidence {
        /// The least number of identities.
        var identities: Int
        /// The longest time between the last reception of an identity and the first one of the next, in nanoseconds.
        var longestPause: Int64
        /// The least time for which the first identity is silent while another one is received, in nanoseconds.
        var silence: Int64

        /// From the same address: a device that sends several identities at once receives none of them for the last time.
        static let sameAddress = [
            Evidence(identities: 2, longestPause: .max, silence: 30_000_000_000),
            Evidence(identities: 4, longestPause: .max, silence: 5_000_000_000),
        ]

        /// From several addresses, which may be those of several beacons that pass by.
        static let severalAddresses = [Evidence(identities: 6, longestPause: 10_000_000_000, silence: 30_000_000_000)]
    }

    /// The masks with which one identity would stand for a beacon whose identity changes, by its identities.
    ///
    /// Determined on request from what the table of beacons has, so that a report does not pay for it.
    package var proposedMasks: [BeaconIdentity: BeaconMask] {
        var masks: [BeaconIdentity: BeaconMask] = [:]
        let compared = comparedSlots
        for field in Field.allCases {
            var groups: [Group: [Int]] = [:]
            for slot in compared {
                let (identity, address) = (beacons[slot].identity, beacons[slot].senders.current)
                let rest = identity & field.others
                if address != 0 { groups[Group(address: address, rest: rest), default: []].append(slot) }
                groups[Group(address: 0, rest: rest), default: []].append(slot)
            }
            for (group, slots) in groups where slots.count > 1 {
                let evidence = group.address == 0 ? Evidence.severalAddresses : Evidence.sameAddress
                guard let mask = mask(of: slots, field, evidence) else { continue }
                for slot in slots { masks[beacons[slot].identity] = mask }
            }
        }
        return masks
    }

    private var comparedSlots: [Int] {
        let times = beacons.tracks.indices.filter { !beacons[$0].isPhone }.map {
            (slot: $0, time: beacons[$0].lastHeard)
        }
        guard times.count > Self.comparedTracks else { return times.map(\.slot) }
        return times.sorted { $0.time > $1.time }.prefix(Self.comparedTracks).map(\.slot)
    }

    /// Returns the mask of the bits of a field that stay; `nil` if the tracks are not one beacon.
    private func mask(of slots: [Int], _ field: Field, _ evidence: [Evidence]) -> BeaconMask? {
        let slots = slots.sorted { beacons[$0].senders.began < beacons[$1].senders.began }
        guard let first = slots.first, let last = slots.last else { return nil }
        var longestPause: Int64 = 0
        for (earlier, later) in zip(slots, slots.dropFirst()) {
            let (end, begin) = (beacons[earlier].lastHeard, beacons[later].senders.began)
            guard end < begin else { return nil }
            longestPause = max(longestPause, begin.nanoseconds.subtractingClamped(end.nanoseconds))
        }
        let silence = beacons[last].lastHeard.nanoseconds
            .subtractingClamped(beacons[first].lastHeard.nanoseconds)
        let isProved = evidence.contains {
            slots.count >= $0.identities && longestPause <= $0.longestPause && silence >= $0.silence
        }
        return isProved ? field.mask(of: slots.map { beacons[$0].identity }, mostBits: Self.mostBits) : nil
    }
}

extension RegionMonitor.Field {
    /// The bits of the other fields. Of the UUID, only the last byte may change.
    fileprivate var others: BeaconMask {
        switch self {
        case .minor: .withoutMinor
        case .major: .withoutMajor
        case .uuid: .withoutLastByte
        }
    }

    /// Returns the mask without the bytes of this field that change; `nil` if too many bits of it do.
    fileprivate func mask(of identities: [BeaconIdentity], mostBits: Int) -> BeaconMask? {
        let values = identities.map { identity -> UInt16 in
            switch self {
            case .minor: identity.minor
            case .major: identity.major
            case .uuid: UInt16(identity.uuid.low & 0xFF)
            }
        }
        let changed = values.reduce(0) { $0 | $1 ^ values[0] }
        guard 1...mostBits ~= changed.nonzeroBitCount else { return nil }
        // A counter and a level change further bits later.
        let stays: UInt16 = (changed & 0xFF00 == 0 ? 0xFF00 : 0) | (changed & 0x00FF == 0 ? 0x00FF : 0)
        switch self {
        case .minor: return BeaconMask(minor: stays)
        case .major: return BeaconMask(major: stays)
        case .uuid: return .withoutLastByte
        }
    }
}
