import IBeacon

/// Finds a beacon's slot in the table: open addressing with linear probing, at most a quarter full.
///
/// The standard library's dictionary would be correct, but its hash would be the largest part of the cost of a
/// report. This index multiplies by numbers that are random for each index, so that an attacker cannot invent beacons
/// that share one place.
struct BeaconIndex: Sendable {
    /// A slot of the table, and the hash of the beacon in it; or nothing. Small, so that all places stay in the cache.
    private struct Place: Sendable {
        var hash: UInt32
        var slot: Int32

        static let empty = Place(hash: 0, slot: -1)
        var isEmpty: Bool { slot < 0 }
    }

    private var places = [Place](repeating: .empty, count: 64)
    private var count = 0
    private let seed: (UInt64, UInt64) = (.random(in: .min ... .max), .random(in: .min ... .max))

    @inline(__always)
    func slot(of identity: BeaconIdentity, in tracks: borrowing [BeaconTrack]) -> Int? {
        let hash = hash(identity)
        var position = home(hash)
        while !places[position].isEmpty {
            let place = places[position]
            if place.hash == hash, tracks[Int(place.slot)].identity == identity { return Int(place.slot) }
            position = following(position)
        }
        return nil
    }

    /// Adds a beacon that is new in the table.
    mutating func insert(_ identity: BeaconIdentity, slot: Int) {
        if 4 * (count + 1) > places.count {
            let old = places
            places = Array(repeating: .empty, count: 2 * old.count)
            for place in old where !place.isEmpty { put(place) }
        }
        put(Place(hash: hash(identity), slot: Int32(slot)))
        count += 1
    }

    mutating func remove(_ identity: BeaconIdentity, slot: Int) {
        var hole = home(hash(identity))
        while places[hole].slot != slot {
            if places[hole].isEmpty { return }
            hole = following(hole)
        }
        count -= 1
        // Entries behind the hole that could not be found across it move up.
        var next = following(hole)
        while !places[next].isEmpty {
            if distance(from: home(places[next].hash), to: next) >= distance(from: hole, to: next) {
                places[hole] = places[next]
                hole = next
            }
            next = following(next)
        }
        places[hole] = .empty
    }

    private mutating func put(_ place: Place) {
        var position = home(place.hash)
        while !places[position].isEmpty { position = following(position) }
        places[position] = place
    }

    @inline(__always)
    private func home(_ hash: UInt32) -> Int { Int(hash) & (places.count - 1) }

    @inline(__always)
    private func following(_ position: Int) -> Int { (position + 1) & (places.count - 1) }

    private func distance(from first: Int, to second: Int) -> Int { (second - first) & (places.count - 1) }

    @inline(__always)
    private func hash(_ identity: BeaconIdentity) -> UInt32 {
        let owner = Self.folded(identity.uuid.high ^ seed.0, identity.uuid.low ^ seed.1)
        let numbers = UInt64(identity.major) << 16 | UInt64(identity.minor)
        return UInt32(truncatingIfNeeded: Self.folded(owner ^ numbers, seed.0 | 1))
    }

    /// Both halves of the product: every bit of it depends on all bits of the factors.
    @inline(__always)
    private static func folded(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let product = first.multipliedFullWidth(by: second)
        return product.high ^ product.low
    }
}
