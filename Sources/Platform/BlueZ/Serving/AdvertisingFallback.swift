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
