import OkaeriDBus

/// The content of a peripheral's legacy advertisement (Core Specification, Vol 3, Part C, 11).
public struct Advertisement: Sendable, Hashable {
    /// The devices that may answer it.
    public enum Kind: Sendable, Hashable {
        /// Centrals find it and may connect; flags take three bytes.
        case connectable
        /// Not connectable, so that no device can stop it by connecting; it has no flags.
        case broadcast
    }

    /// The size of an advertisement, and of a scan response, in bytes (Vol 6, Part B, 2.3.1).
    static let longest = 31

    /// The devices that may answer it.
    public var kind: Kind

    /// The name that people see. It goes into the scan response; see ``localName(fitting:)``.
    public var localName: String?

    /// The services to find it by.
    public var serviceUUIDs: [BluetoothUUID]

    /// By company identifier (Assigned Numbers, 7.1), without the identifier.
    public var manufacturerData: [UInt16: [UInt8]]

    /// The kind of device, by which phones choose an icon and list it (Assigned Numbers, 2.6); `nil`: none.
    public var appearance: UInt16?

    /// The time between two advertisements; nil: the kernel's. Controllers and kernels round it; old ones ignore it.
    public var interval: Duration?

    /// An advertisement; whether it fits is seen by ``PeripheralManager/startAdvertising(_:)``.
    public init(
        _ kind: Kind, localName: String? = nil, serviceUUIDs: [BluetoothUUID] = [],
        manufacturerData: [UInt16: [UInt8]] = [:], appearance: UInt16? = nil, interval: Duration? = nil
    ) {
        self.kind = kind
        self.localName = localName
        self.serviceUUIDs = serviceUUIDs
        self.manufacturerData = manufacturerData
        self.appearance = appearance
        self.interval = interval
    }

    /// As much of a name as fits into a scan response, 29 bytes of UTF-8, cut between two characters.
    public static func localName(fitting name: String) -> String {
        var name = name
        while name.utf8.count > longest - 2 { name.removeLast() }
        return name
    }

    /// Fails where it does not fit.
    func check() throws(AdvertisementError) {
        guard byteCount <= Self.longest else { throw .tooLong(byteCount: byteCount) }
        if let localName, localName.utf8.count + 2 > Self.longest { throw .nameTooLong(localName) }
    }

    /// The length of the advertisement without the name, in bytes.
    var byteCount: Int {
        let flags = kind == .connectable ? 3 : 0
        let lists = Dictionary(grouping: serviceUUIDs, by: \.byteCount)
        return flags + (appearance == nil ? 0 : 4) + lists.reduce(0) { $0 + 2 + $1.key * $1.value.count }
            + manufacturerData.values.reduce(0) { $0 + 4 + $1.count }
    }
}

extension BluetoothUUID {
    var byteCount: Int {
        guard let assigned else { return 16 }
        return assigned > 0xFFFF ? 4 : 2
    }
}

extension Advertisement {
    /// The object that bluetoothd reads it from, `org.bluez.LEAdvertisement1`.
    ///
    /// - Parameter released: bluetoothd has ended it.
    func interface(released: @escaping @Sendable () -> Void) -> BusInterface {
        BusInterface(
            Interface.advertisement,
            methods: [
                .init("Release") { _ in
                    released()
                    return .success([])
                }
            ], properties: properties)
    }

    private var properties: [BusInterface.Property] {
        var properties: [BusInterface.Property] = []
        switch kind {
        case .connectable:
            properties = [.init("Type", .string("peripheral")), .init("Discoverable", .boolean(true))]
        case .broadcast: properties = [.init("Type", .string("broadcast"))]
        }
        if let localName { properties.append(.init("LocalName", .string(localName))) }
        if !serviceUUIDs.isEmpty { properties.append(.init("ServiceUUIDs", .strings(serviceUUIDs.map(\.full)))) }
        if !manufacturerData.isEmpty {
            let entries = manufacturerData.map { (DBusValue.uint16($0), DBusValue.variant(.bytes($1))) }
            properties.append(
                .init(
                    "ManufacturerData",
                    .dictionary(key: "q", value: "v", Dictionary(uniqueKeysWithValues: entries))))
        }
        if let appearance { properties.append(.init("Appearance", .uint16(appearance))) }
        if let interval {
            let milliseconds = UInt32(max(0, min(interval / .milliseconds(1), 10_240)))
            properties.append(.init("MinInterval", .uint32(milliseconds)))
            properties.append(.init("MaxInterval", .uint32(milliseconds)))
        }
        return properties
    }
}

/// The reason why something cannot be advertised.
public enum AdvertisementError: Error, Sendable, Hashable, CustomStringConvertible {
    /// All but the name takes so many bytes, and 31 fit.
    case tooLong(byteCount: Int)
    /// The name takes more than 29 bytes.
    case nameTooLong(String)
    /// The kernel does not take it; the reason is a sentence.
    case notAccepted(reason: String)

    /// The part that is too long, and the remedy.
    public var description: String {
        switch self {
        case .tooLong(let count):
            "the advertisement is too long: it has \(count) bytes, and \(Advertisement.longest) fit; leave something out"
        case .nameTooLong(let name):
            "the name \"\(name)\" is too long: it has \(name.utf8.count) bytes, and \(Advertisement.longest - 2) fit; choose "
                + "a shorter one"
        case .notAccepted(let reason): reason
        }
    }
}

/// Advertises without bluetoothd, where the kernel refuses bluetoothd's commands.
public protocol AdvertisingFallback: Sendable {
    /// Advertises on an adapter such as `hci0`, in place of what it advertised before.
    ///
    /// - Throws: ``AdvertisementError/notAccepted(reason:)``.
    func start(_ advertisement: Advertisement, adapter: String) async throws(AdvertisementError)

    /// Ends the advertisement, if there is one.
    func stop() async
}

extension Advertisement {
    /// The AD structures of the advertisement without flags, which the kernel adds to one that is connectable (Core Specification
    /// Supplement, Part A, Section 1).
    public var data: [UInt8] {
        var bytes: [UInt8] = []
        for (length, type) in [(2, UInt8(0x03)), (4, 0x05), (16, 0x07)] {
            let list = serviceUUIDs.filter { $0.byteCount == length }.flatMap(\.bytes)
            if !list.isEmpty { bytes += Self.structure(type, list) }
        }
        if let appearance { bytes += Self.structure(0x19, Self.littleEndian(appearance)) }
        for (company, data) in manufacturerData.sorted(by: { $0.key < $1.key }) {
            bytes += Self.structure(0xFF, Self.littleEndian(company) + data)
        }
        return bytes
    }

    /// The AD structures of the scan response: the name.
    public var scanResponse: [UInt8] { localName.map { Self.structure(0x09, Array($0.utf8)) } ?? [] }

    private static func structure(_ type: UInt8, _ data: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: data.count + 1), type] + data
    }

    private static func littleEndian(_ value: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
}

extension BluetoothUUID {
    /// As short as it can be, the least significant byte first.
    fileprivate var bytes: [UInt8] {
        let digits = description.filter { $0 != "-" }
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset in
            UInt8(digits.dropFirst(offset).prefix(2), radix: 16)
        }
        return bytes.reversed()
    }
}
