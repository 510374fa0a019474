/// The cipher of one key (Core Specification 5.4, Vol 3, Part H, Section 2.2.2). This target has none of its own.
public protocol AddressHash: Sendable {
    /// Returns the hash `ah` of 24 random bits, in the low 24 bits.
    func hash(_ random: UInt32) -> UInt32
}

/// Finds the device behind a private address, in constant memory and without an allocation.
///
/// A hash has 24 bits, so that a foreign address resolves with a key by chance: once in 8 million addresses, because a key may have
/// been written in the wrong order of bytes, and both orders are tried. One match is therefore no proof of the device.
/// Two different addresses within ten minutes are one, and so is one address that was received three times, at least a second apart.
public struct AddressResolver: Sendable {
    /// Makes the cipher of a key.
    public typealias Cipher = (IdentityResolvingKey) -> any AddressHash

    /// Whether there is no device to find.
    public let isEmpty: Bool

    private var devices: [Device]
    private var cache: ResolutionCache

    /// A resolver without devices.
    public init() {
        (isEmpty, devices, cache) = (true, [], ResolutionCache(sets: 0))
    }

    /// A resolver of devices; its results are their positions. `nil` is never found.
    public init(_ identities: [DeviceIdentity?], cipher: Cipher) {
        devices = identities.enumerated().compactMap { position, identity in
            identity.map { Device($0, position: position, cipher: cipher) }
        }
        isEmpty = devices.isEmpty
        cache = ResolutionCache()
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
        guard let (index, order) = match(of: address, type) else { return nil }
        return devices[index].evidence.isEnough(with: address, order, at: time) ? devices[index].position : nil
    }

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

    private func resolved(_ address: BluetoothAddress) -> Match? {
        for (index, device) in devices.enumerated() {
            if address.isResolved(by: device.stated) { return (index, .stated) }
            if address.isResolved(by: device.reversed) { return (index, .reversed) }
        }
        return nil
    }
}

/// The position of a device in the resolver, and the order of its key's bytes with which an address resolves.
typealias Match = (index: Int, order: AddressEvidence.Order)

extension AddressResolver {
    private struct Device: Sendable {
        let position: Int
        let address: BluetoothAddress?
        let stated, reversed: any AddressHash
        var evidence = AddressEvidence()

        init(_ identity: DeviceIdentity, position: Int, cipher: Cipher) {
            self.position = position
            address = identity.address
            stated = cipher(identity.key)
            reversed = cipher(identity.key.reversed)
        }
    }
}

extension BluetoothAddress {
    /// Whether a random address is a resolvable private one: its two highest bits are 01 (Core Specification 5.4, Vol 6, Part B,
    /// Section 1.3.2.2).
    package var isResolvable: Bool { rawValue >> 46 == 0b01 }

    fileprivate func isResolved(by cipher: any AddressHash) -> Bool {
        cipher.hash(UInt32(truncatingIfNeeded: rawValue >> 24)) == UInt32(truncatingIfNeeded: rawValue) & 0xFF_FFFF
    }
}
