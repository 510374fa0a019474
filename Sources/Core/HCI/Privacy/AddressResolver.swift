/// The cipher of one key (Core Specification 5.4, Vol 3, Part H, Section 2.2.2). This target has none of its own.
public protocol AddressHash: Sendable {
    /// Returns the hash `ah` of 24 random bits, in the low 24 bits.
    func hash(_ random: UInt32) -> UInt32
}

/// The ciphers of several keys. All that are tried compute the hash of a foreign address.
package protocol AddressSearch: Sendable {
    /// Sets the positions of the keys that are tried; at first all are.
    mutating func select(_ positions: [Int])

    /// Returns the position of the first tried key with which 24 random bits have a hash; `nil` without one.
    func first(with hash: UInt32, of random: UInt32) -> Int?
}

/// Finds the device behind a private address, in constant memory. It allocates only when the order of a key becomes known or unknown.
///
/// A hash has 24 bits, so that a foreign address resolves with a key by chance: once in 8 million addresses, because a key may have
/// been written in the wrong order of bytes, and both orders are tried. One match is therefore no proof of the device.
/// Two different addresses within ten minutes are one, and so is one address that was received three times, at least a second apart.
/// While a device is received in one order of its key, the other one is not tried: see ``AddressEvidence/known``.
public struct AddressResolver: Sendable {
    /// Makes the cipher of a key.
    public typealias Cipher = (IdentityResolvingKey) -> any AddressHash

    /// Whether there is no device to find.
    public let isEmpty: Bool

    private var devices: [Device]
    private var cache: ResolutionCache
    /// Both orders of each device's key, one after the other.
    private var keys: any AddressSearch
    /// The positions of the keys that are tried, and the time from which on there are others.
    private var tried: [Int] = []
    private var triedUntil = Int64.max

    /// A resolver without devices.
    public init() {
        (isEmpty, devices, cache) = (true, [], ResolutionCache(sets: 0))
        keys = Ciphers(all: [])
    }

    /// A resolver of devices; its results are their positions. `nil` is never found.
    public init(_ identities: [DeviceIdentity?], cipher: Cipher) {
        self.init(identities) { Ciphers(all: $0.map(cipher)) }
    }

    /// The same with a cipher that searches all keys at once.
    ///
    /// - Parameter search: Returns the search of these keys.
    package init(_ identities: [DeviceIdentity?], search: ([IdentityResolvingKey]) -> any AddressSearch) {
        devices = identities.enumerated().compactMap { position, identity in
            identity.map { Device(position: position, address: $0.address) }
        }
        isEmpty = devices.isEmpty
        keys = search(identities.compactMap(\.self).flatMap { [$0.key, $0.key.reversed] })
        cache = ResolutionCache()
        tried = Array(0..<2 * devices.count)
    }

    /// Returns the position of the device that an address proves to be in range; `nil` if it is another device's, or no proof yet.
    ///
    /// - Parameter time: The time of the reception, in nanoseconds of a clock that does not jump.
    @inlinable
    @inline(__always)
    public mutating func device(
        of address: BluetoothAddress, _ type: BluetoothAddressType, at time: Int64
    ) -> Int? {
        isEmpty ? nil : found(address, type, at: time)
    }

    /// The positions of the devices whose keys are written in the wrong order of bytes, by the recent addresses.
    public var reversed: [Int] { devices.filter(\.evidence.isReversed).map(\.position) }

    @usableFromInline mutating func found(
        _ address: BluetoothAddress, _ type: BluetoothAddressType, at time: Int64
    ) -> Int? {
        if time > triedUntil { ordersChanged(at: time) }
        guard let (index, order) = match(of: address, type) else { return nil }
        let known = devices[index].evidence.known
        let isEnough = devices[index].evidence.isEnough(with: address, order, at: time)
        if devices[index].evidence.known != known { ordersChanged(at: time) }
        return isEnough ? devices[index].position : nil
    }

    /// Determines the keys that are tried. An address that was foreign with fewer of them may be a device's with more.
    private mutating func ordersChanged(at time: Int64) {
        for index in devices.indices { devices[index].evidence.ended(at: time) }
        let before = tried
        tried = devices.indices.flatMap { index in
            switch devices[index].evidence.known {
            case .stated: [2 * index]
            case .reversed: [2 * index + 1]
            case nil: [2 * index, 2 * index + 1]
            }
        }
        keys.select(tried)
        triedUntil = devices.reduce(.max) { min($0, $1.evidence.end) }
        if !Set(tried).isSubset(of: before) { cache.removeAll() }
    }

    @inline(__always)
    private mutating func match(of address: BluetoothAddress, _ type: BluetoothAddressType) -> Match? {
        switch type {
        case .random:
            guard address.isResolvable else { return nil }
            if let known = cache.result(of: address) { return known.match }
            let match = resolved(address)
            cache.insert(address, .init(match))
            return match
        case .publicIdentity, .randomIdentity:
            // The controller has resolved an address with the key.
            return devices.firstIndex { $0.address == address }.map { ($0, .stated) }
        default:
            return nil
        }
    }

    @inline(__always)
    private func resolved(_ address: BluetoothAddress) -> Match? {
        let random = UInt32(truncatingIfNeeded: address.rawValue >> 24)
        return keys.first(with: UInt32(truncatingIfNeeded: address.rawValue) & 0xFF_FFFF, of: random)
            .map { ($0 / 2, $0.isMultiple(of: 2) ? .stated : .reversed) }
    }
}

/// The position of a device in the resolver, and the order of its key's bytes with which an address resolves.
typealias Match = (index: Int, order: AddressEvidence.Order)

extension AddressResolver {
    private struct Device: Sendable {
        let position: Int
        let address: BluetoothAddress?
        var evidence = AddressEvidence()
    }

    /// The search by one cipher after another.
    private struct Ciphers: AddressSearch {
        private let all: [any AddressHash]
        private var tried: [Int]

        init(all: [any AddressHash]) { (self.all, tried) = (all, Array(all.indices)) }

        mutating func select(_ positions: [Int]) { tried = positions }

        func first(with hash: UInt32, of random: UInt32) -> Int? { tried.first { all[$0].hash(random) == hash } }
    }
}

extension BluetoothAddress {
    /// Whether a random address is a resolvable private one: its two highest bits are 01 (Core Specification 5.4, Vol 6, Part B,
    /// Section 1.3.2.2).
    package var isResolvable: Bool { rawValue >> 46 == 0b01 }
}
