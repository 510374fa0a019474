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
