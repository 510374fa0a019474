/// The cipher of one key (Core Specification 5.4, Vol 3, Part H, Section 2.2.2). This target has none of its own.
public protocol AddressHash: Sendable {
    /// Returns the hash `ah` of 24 random bits, in the low 24 bits.
    func hash(_ random: UInt32) -> UInt32
}

/// Finds the device behind a private address, in constant memory and without an allocation.
///
/// A key may have been written in the wrong order of bytes. Both orders are tried, and both count, until two different addresses were
/// resolved with one of them: one address matches a foreign key by chance once in 16 million.
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

    /// Returns the position of the device with an address; `nil` if it is another one.
    @inlinable
    @inline(__always)
    public mutating func device(of address: BluetoothAddress, _ type: BluetoothAddressType) -> Int? {
        isEmpty ? nil : found(address, type)
    }

    /// The positions of the devices whose keys were written in the wrong order of bytes.
    public var reversed: [Int] { devices.filter { $0.order == .certain(isReversed: true) }.map(\.position) }

    @usableFromInline mutating func found(_ address: BluetoothAddress, _ type: BluetoothAddressType) -> Int? {
        switch type {
        case .random:
            guard address.isResolvable else { return nil }
            if let known = cache.result(of: address) { return known.device }
            return resolved(address)
        case .publicIdentity, .randomIdentity:
            return devices.first { $0.address == address }?.position
        default:
            return nil
        }
    }

    private mutating func resolved(_ address: BluetoothAddress) -> Int? {
        for index in devices.indices where devices[index].has(address) {
            let position = devices[index].position
            cache.insert(address, .init(device: position))
            return position
        }
        cache.insert(address, .init(device: nil))
        return nil
    }
}

extension AddressResolver {
    /// The order of a key's bytes.
    private enum Order: Equatable {
        /// The first address that each order resolved. → `certain` by another address that one of them resolves.
        case open(stated: BluetoothAddress?, reversed: BluetoothAddress?)
        case certain(isReversed: Bool)
    }

    private struct Device: Sendable {
        let position: Int
        let address: BluetoothAddress?
        let stated, reversed: any AddressHash
        var order = Order.open(stated: nil, reversed: nil)

        init(_ identity: DeviceIdentity, position: Int, cipher: Cipher) {
            self.position = position
            address = identity.address
            stated = cipher(identity.key)
            reversed = cipher(identity.key.reversed)
        }

        /// Returns whether the device made an address, and decides the order by the second one of an order.
        mutating func has(_ address: BluetoothAddress) -> Bool {
            switch order {
            case .certain(let isReversed):
                return address.isResolved(by: isReversed ? reversed : stated)
            case .open(let first, let other):
                let isStated = address.isResolved(by: stated)
                guard isStated || address.isResolved(by: reversed) else { return false }
                let earlier = isStated ? first : other
                if let earlier, earlier != address {
                    order = .certain(isReversed: !isStated)
                } else {
                    order = .open(stated: isStated ? address : first, reversed: isStated ? other : address)
                }
                return true
            }
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
