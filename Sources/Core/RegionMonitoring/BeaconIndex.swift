import IBeacon
import OkaeriPlumbing

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

/// The beacons in range, in a bounded table: any device can invent advertisements.
struct BeaconTable: Sendable {
    private(set) var tracks: [BeaconTrack] = []
    private var index = BeaconIndex()

    /// The place at which the search for a replaceable beacon goes on.
    private var cursor = 0

    /// The number of places that are examined for a replaceable beacon. A flood costs this much for each invented
    /// beacon.
    private static let reach = 16

    /// The time for which a beacon without a region is stored before another beacon may replace it.
    static let freshness: Int64 = 10_000_000_000

    /// The time after which a beacon without a region is replaced before the table grows.
    static let retention: Int64 = 300_000_000_000

    @inline(__always)
    func slot(of identity: BeaconIdentity) -> Int? { index.slot(of: identity, in: tracks) }

    subscript(slot: Int) -> BeaconTrack {
        @inline(__always) _read { yield tracks[slot] }
        @inline(__always) _modify { yield &tracks[slot] }
    }

    /// Returns a slot for a new beacon: that of a beacon without a region that was not received for long, or a
    /// further one. In a full table the new beacon replaces a less important one: a beacon without a region that was
    /// not received lately, then any beacon without a region, then a beacon of a region that keeps no region inside.
    ///
    /// - Parameter isHolder: whether the beacon in a slot keeps a region inside. Such a one is never dropped.
    /// - Returns: The slot, and a replaced beacon of a region; `nil` if all must stay.
    mutating func insert(
        _ track: BeaconTrack, capacity: Int, isHolder: (_ slot: Int, _ track: BeaconTrack) -> Bool
    ) -> (slot: Int, replaced: BeaconTrack?)? {
        let isFull = tracks.count >= capacity
        guard
            let slot = isFull ? place(for: track, isHolder: isHolder) : abandonedPlace(at: track.lastHeard)
        else {
            if isFull { return nil }
            tracks.append(track)
            if !track.isPhone { index.insert(track.identity, slot: tracks.count - 1) }
            return (tracks.count - 1, nil)
        }
        let old = tracks[slot]
        if !old.isPhone { index.remove(old.identity, slot: slot) }
        if !track.isPhone { index.insert(track.identity, slot: slot) }
        tracks[slot] = track
        return (slot, old.regions.isEmpty ? nil : old)
    }

    /// The place of a beacon without a region that passed by long ago. By a busy road the table is as large as the
    /// traffic, not the day.
    private mutating func abandonedPlace(at now: Instant) -> Int? {
        for _ in 0..<min(Self.reach, tracks.count) {
            let slot = cursor
            cursor = (cursor + 1) % tracks.count
            guard tracks[slot].regions.isEmpty else { continue }
            if now.nanoseconds.subtractingClamped(tracks[slot].lastHeard.nanoseconds) > Self.retention { return slot }
        }
        return nil
    }

    private mutating func place(for track: BeaconTrack, isHolder: (Int, BeaconTrack) -> Bool) -> Int? {
        var fallback: (slot: Int, rank: Int)?
        // A beacon without a region examines a few places; a region's own beacon examines all of them if needed.
        let steps = track.regions.isEmpty ? min(Self.reach, tracks.count) : tracks.count
        for step in 0..<steps {
            let slot = cursor
            cursor = (cursor + 1) % tracks.count
            let candidate = tracks[slot]
            if candidate.regions.isEmpty {
                if track.lastHeard.nanoseconds.subtractingClamped(candidate.lastHeard.nanoseconds) > Self.freshness {
                    return slot
                }
                if fallback?.rank != 0 { fallback = (slot, 0) }
            } else if fallback == nil, !track.regions.isEmpty, !isHolder(slot, candidate) {
                fallback = (slot, 1)
            }
            if step >= Self.reach, let fallback { return fallback.slot }
        }
        return fallback?.slot
    }
}
