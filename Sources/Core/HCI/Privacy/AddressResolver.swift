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

/// The results of the last addresses, those of foreign devices included. A result depends on the address and the keys alone, so it
/// needs no expiry: a resolver of other keys begins with an empty cache.
///
/// The table has a fixed size, in sets of four that the address chooses; the one of a set that was received longest ago is replaced.
/// A flood of invented addresses costs the ciphers' time, and no memory.
struct ResolutionCache: Sendable {
    struct Result: Sendable {
        fileprivate let code: UInt16

        /// - Parameter device: The position of the device; `nil` for a foreign one.
        init(device: Int?) { code = device.flatMap { UInt16(exactly: $0 + 1) } ?? 0 }

        fileprivate init(_ entry: UInt64) { code = UInt16(truncatingIfNeeded: entry) }

        var device: Int? { code == 0 ? nil : Int(code) - 1 }
    }

    /// The number of addresses is four times this.
    private static let sets = 256
    private static let ways = 4

    /// An address in the upper 48 bits and its result below; zero where there is none, which is not a resolvable address.
    private var entries: [UInt64]

    init(sets: Int = sets) { entries = [UInt64](repeating: 0, count: sets * Self.ways) }

    mutating func result(of address: BluetoothAddress) -> Result? {
        let first = first(of: address)
        for place in first..<first + Self.ways where entries[place] >> 16 == address.rawValue {
            let entry = entries[place]
            moveBack(from: first, to: place)
            entries[first] = entry
            return Result(entry)
        }
        return nil
    }

    mutating func insert(_ address: BluetoothAddress, _ result: Result) {
        let first = first(of: address)
        moveBack(from: first, to: first + Self.ways - 1)
        entries[first] = address.rawValue << 16 | UInt64(result.code)
    }

    /// Frees the first place: the entries before `last` take that of their follower.
    @inline(__always)
    private mutating func moveBack(from first: Int, to last: Int) {
        var place = last
        while place > first {
            entries[place] = entries[place - 1]
            place -= 1
        }
    }

    /// Fibonacci hashing: the upper bits of the product depend on all bits of the address.
    private func first(of address: BluetoothAddress) -> Int {
        Int((address.rawValue &* 0x9E37_79B9_7F4A_7C15) >> 56) * Self.ways
    }
}
