/// The content of an iBeacon's manufacturer specific data (Apple, "Proximity Beacon Specification" R1).
///
///     4C 00 | 02 15 | UUID, 16 bytes | major, 2 | minor, 2 | measured power, 1
///
/// Some beacons leave out the last byte: their identity is complete, and their distance unknown. The company identifier is little endian as in all of Bluetooth; UUID, major and minor are big endian.
public struct IBeaconFrame: Hashable, Sendable {
    /// The beacon's identity.
    public var identity: BeaconIdentity

    /// The RSSI at one metre in dBm, as its maker claims it; `nil` for a frame that ends before it. Zero and positive values
    /// are junk.
    public var measuredPower: Int8?

    /// Apple's company identifier and the type and length of the frame, as they are sent.
    private static let prefix: UInt32 = 0x4C00_0215

    /// The length of the frame in the manufacturer specific data, in bytes. More may follow; they mean nothing here.
    public static let byteCount = 25

    /// The length of a frame without the measured power, in bytes.
    private static let shortByteCount = byteCount - 1

    /// A frame to be sent; any values fit. Without a measured power it is a byte shorter.
    public init(identity: BeaconIdentity, measuredPower: Int8?) {
        self.identity = identity
        self.measuredPower = measuredPower
    }

    /// Reads the frame from the data of one manufacturer specific AD structure; nil when it is something else.
    public init?(manufacturerSpecificData data: RawSpan) {
        // The length is looked at once: each integer is there then, and the compiler knows it.
        guard data.byteCount >= Self.shortByteCount, data.bigEndian(at: 0) == Self.prefix,
            let high: UInt64 = data.bigEndian(at: 4),
            let low: UInt64 = data.bigEndian(at: 12),
            let major: UInt16 = data.bigEndian(at: 20),
            let minor: UInt16 = data.bigEndian(at: 22)
        else { return nil }
        self.init(
            identity: BeaconIdentity(uuid: BeaconUUID(high: high, low: low), major: major, minor: minor),
            measuredPower: data.bigEndian(at: 24))
    }

    /// Finds the first iBeacon among the AD structures of an advertisement or a scan response.
    ///
    /// Flags may be absent and other structures may come first.
    public init?(advertisingData: RawSpan) {
        var frames = IBeaconFrames(advertisingData)
        guard let frame = frames.next() else { return nil }
        self = frame
    }

    /// The 30 bytes an iBeacon sends: flags (LE General Discoverable, BR/EDR not supported), then the frame. One less without a
    /// measured power.
    public var advertisingData: [UInt8] {
        let frame = manufacturerSpecificData
        return [2, ADType.flags, 0x06, UInt8(frame.count + 1), ADType.manufacturerSpecificData] + frame
    }

    /// The frame's own 25 bytes; 24 without a measured power.
    public var manufacturerSpecificData: [UInt8] {
        bytes(Self.prefix) + bytes(identity.uuid.high) + bytes(identity.uuid.low) + bytes(identity.major)
            + bytes(identity.minor) + (measuredPower.map { [UInt8(bitPattern: $0)] } ?? [])
    }

    private func bytes<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        stride(from: T.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> T($0)) }
    }
}

/// The iBeacons among the AD structures of one advertisement or scan response, in their order.
///
/// Legacy advertising data has room for one, extended advertising data for many.
public struct IBeaconFrames: Sequence, IteratorProtocol, Sendable {
    @usableFromInline var first: IBeaconFrame?

    /// The ones after the first, the last one first. `nil` for nearly every advertisement: an empty array would cost a reference count
    /// for each report.
    @usableFromInline var others: [IBeaconFrame]?

    /// The iBeacons in the payload of one PDU or report, without a length in front.
    public init(_ advertisingData: RawSpan) {
        var structures = ADStructures(advertisingData)
        while let structure = structures.next() {
            guard structure.type == ADType.manufacturerSpecificData,
                let frame = IBeaconFrame(manufacturerSpecificData: structure.data)
            else { continue }
            if first == nil {
                first = frame
            } else if others == nil {
                others = [frame]
            } else {
                others?.append(frame)
            }
        }
        if others != nil { others?.reverse() }
    }

    /// The next iBeacon, nil after the last.
    @inlinable
    public mutating func next() -> IBeaconFrame? {
        guard let frame = first else { return nil }
        first = others == nil ? nil : others?.popLast()
        return frame
    }
}

extension RawSpan {
    /// The integer at `offset`, most significant byte first, or nil where the bytes end before it does.
    @inline(__always)
    func bigEndian<T: FixedWidthInteger & BitwiseCopyable>(at offset: Int, as type: T.Type = T.self) -> T? {
        guard offset >= 0, offset <= byteCount - MemoryLayout<T>.size else { return nil }
        // Safe: the bounds are checked, and every bit pattern is an integer.
        return T(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: type))
    }
}
