import OkaeriPlumbing

/// A packet of an extended advertisement.
struct AirPart {
    /// A pointer to the packet that goes on (AuxPtr; Bluetooth Core Specification 5.4, Vol 6, Part B, 2.3.4.5).
    struct Pointer {
        /// The time from the beginning of this packet to that of the next one: at least, and less than, in nanoseconds.
        let delay: Range<Int64>

        init(_ bytes: RawSpan) throws(Truncation) {
            var reader = ByteReader(bytes)
            let unit: Int64 = try reader.uint8() & 0x80 == 0 ? 30_000 : 300_000
            let offset = Int64(try reader.littleEndian(UInt16.self) & 0x1FFF)
            delay = offset * unit..<(offset + 1) * unit
        }
    }

    /// The report, with all the data of the packet, however long.
    var report: AdvertisingReport

    /// The identifier of the data and the set's number (AdvDataInfo), which all packets of an advertisement share.
    var identifier: UInt16?

    /// The pointer to the packet that goes on, nil for the last one.
    var next: Pointer?

    /// Whether this packet goes on with an earlier one; nil if the sniffer's header does not give it.
    var isContinuation: Bool?

    /// Whether this packet may go on with an earlier one.
    var mayContinue: Bool { isContinuation ?? (report.addressType == .anonymous && report.properties.isEmpty) }
}

/// Joins the packets of extended advertisements: AUX_ADV_IND or AUX_SCAN_RSP, and AUX_CHAIN_IND (Vol 6, Part B, 2.3.1.5 to 2.3.1.8).
///
/// The result is what a controller reports: the data in fragments, of which the status of the last one shows whether a packet is missing.
struct AirChains: Sendable {
    /// An event and its place in the capture.
    struct Finished: Sendable {
        let event: [UInt8]
        let place: CapturedAdvertisement
    }

    private struct Chain: Sendable {
        var report: AdvertisingReport
        let identifier: UInt16?
        let offset: UInt64
        /// The times of the next packet, in nanoseconds since 1970.
        var expected: ClosedRange<Int64>
    }

    /// The number of incomplete advertisements that are stored. The one that began first makes room.
    static let capacity = 8

    /// The error of a sniffer's clock, in nanoseconds. Some stamp a packet at its end, or when the computer receives it.
    private static let tolerance: Int64 = 5_000_000

    private var chains: [Chain] = []
    private var finished: [Finished] = []

    /// The time of the last packet: nothing that is reported later may be earlier.
    private var latest: Int64?

    /// The next event, which the caller takes before it goes on.
    mutating func popFirst() -> Finished? { finished.isEmpty ? nil : finished.removeFirst() }

    /// Handles an advertisement of one packet.
    mutating func append(_ event: [UInt8], _ place: CapturedAdvertisement) {
        finished.append(Finished(event: event, place: place))
    }

    /// Handles that a packet was captured at this time: the advertisements whose next packet should have come before are cut.
    mutating func advance(to time: Int64) {
        // Nearly always there is nothing to join.
        guard !chains.isEmpty else {
            latest = time
            return
        }
        let late = chains.filter { $0.expected.upperBound < time }
        chains.removeAll { $0.expected.upperBound < time }
        for chain in late { finish(chain, isCut: true, at: latest ?? time) }
        latest = time
    }

    /// Handles the end of the capture.
    mutating func end() {
        for chain in chains { finish(chain, isCut: true, at: latest ?? 0) }
        chains = []
    }

    /// Handles a packet.
    ///
    /// - Parameters:
    ///   - time: In nanoseconds since 1970.
    ///   - offset: The start of its record in the file.
    /// - Returns: Whether it belongs to an advertisement.
    mutating func received(_ part: AirPart, at time: Int64, offset: UInt64) -> Bool {
        let index = part.mayContinue ? position(for: part, at: time) : nil
        guard index != nil || part.isContinuation != true else { return false }
        var chain =
            index.map { chains.remove(at: $0) }
            ?? Chain(report: part.report, identifier: part.identifier, offset: offset, expected: time...time)
        if index != nil {
            chain.report.data += part.report.data
            chain.report.rssi = part.report.rssi ?? chain.report.rssi
        }
        let isFull = chain.report.data.count > ExtendedReportAssembler.maximumDataLength
        guard let next = part.next, !isFull else {
            finish(chain, isCut: isFull, at: time)
            return true
        }
        chain.expected =
            time.addingClamped(
                next.delay.lowerBound - Self.tolerance)...time.addingClamped(next.delay.upperBound + Self.tolerance)
        if chains.count == Self.capacity { finish(chains.removeFirst(), isCut: true, at: time) }
        chains.append(chain)
        return true
    }

    private func position(for part: AirPart, at time: Int64) -> Int? {
        chains.indices.filter { chains[$0].identifier == part.identifier && chains[$0].expected ~= time }
            .min { chains[$0].expected.upperBound < chains[$1].expected.upperBound }
    }

    private mutating func finish(_ chain: Chain, isCut: Bool, at time: Int64) {
        let data = chain.report.data.prefix(ExtendedReportAssembler.maximumDataLength)
        let limit = AdvertisingReport.maximumExtendedDataLength
        var start = data.startIndex
        repeat {
            let end = min(start + limit, data.endIndex)
            var report = chain.report
            report.data = Array(data[start..<end])
            report.dataStatus = end < data.endIndex ? .incomplete : isCut ? .truncated : .complete
            if let event = report.event { append(event, CapturedAdvertisement(time: time, offset: chain.offset)) }
            start = end
        } while start < data.endIndex
    }
}
