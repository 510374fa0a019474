import OkaeriPlumbing

/// Puts advertising data together which comes in several extended reports.
///
/// Complete reports, which nearly all are, pass through as they are, without a copy.
public struct ExtendedReportAssembler: Sendable {
    /// The longest advertising data (Core Specification 5.4, Vol 4, Part E, Section 7.8.57). What is beyond is cut off.
    public static let maximumDataLength = 1650

    /// For how many advertisers fragments are kept at once. The specification sets no limit; controllers report the
    /// fragments of one advertiser in a row, so few are ever open. The one that began first makes room.
    public static let maximumAdvertisers = 8

    /// The received parts of each advertiser's data, the oldest advertiser first.
    @usableFromInline var chains: [Chain] = []

    /// The chain that was handed out last: it is kept until the next report, because its bytes are being read.
    private var finished: [UInt8] = []

    /// Creates an assembler without data.
    public init() {}

    /// The number of advertisers whose data is incomplete.
    public var waiting: Int { chains.count }

    /// Takes the next report. Returns it, with all of the data when earlier reports began it; nil when more is to come.
    ///
    /// Data that is cut, by the controller or at `maximumDataLength`, comes out as far as it goes, as `truncated`.
    @_lifetime(&self, copy report)
    @inlinable
    public mutating func assemble(_ report: LEAdvertisingReport) -> LEAdvertisingReport? {
        if chains.isEmpty, report.dataStatus != .incomplete { return report }
        return assemble(slowly: report)
    }

    /// The same for a caller that needs only the data.
    @_lifetime(&self, copy report)
    @inlinable
    public mutating func data(_ report: LEAdvertisingReport) -> RawSpan? {
        if chains.isEmpty, report.dataStatus != .incomplete { return report.data }
        return assemble(slowly: report)?.data
    }

    @_lifetime(&self, copy report)
    @usableFromInline
    mutating func assemble(slowly report: LEAdvertisingReport) -> LEAdvertisingReport? {
        // Legacy PDUs are never fragmented; one of the same advertiser is not a part of its extended data.
        if report.properties.contains(.legacy) { return report }
        let key = Chain.Key(report)
        let index = chains.firstIndex { $0.key == key }
        switch report.dataStatus {
        case .incomplete:
            if let index {
                chains[index].append(report.data)
            } else {
                begin(key, report.data)
            }
            return nil
        case .complete, .truncated:
            guard let index else { return report }
            var chain = chains.remove(at: index)
            chain.append(report.data)
            finished = chain.data
            let isWhole = report.dataStatus == .complete && !chain.isCut
            return LEAdvertisingReport(report, dataStatus: isWhole ? .complete : .truncated, data: finished.rawSpan)
        }
    }

    private mutating func begin(_ key: Chain.Key, _ data: RawSpan) {
        if chains.count == Self.maximumAdvertisers {
            chains.removeFirst()
        }
        var chain = Chain(key: key)
        chain.append(data)
        chains.append(chain)
    }
}

extension ExtendedReportAssembler {
    /// One advertiser's data so far.
    @usableFromInline struct Chain: Sendable {
        /// The identity of a chain: an advertiser may run several sets, and a scan response is data of its own.
        struct Key: Hashable, Sendable {
            let address: BluetoothAddress
            let addressType: BluetoothAddressType
            let advertisingSID: UInt8?
            let isScanResponse: Bool

            init(_ report: borrowing LEAdvertisingReport) {
                address = report.address
                addressType = report.addressType
                advertisingSID = report.advertisingSID
                isScanResponse = report.properties.contains(.scanResponse)
            }
        }

        let key: Key
        private(set) var data: [UInt8] = []
        private(set) var isCut = false

        mutating func append(_ fragment: RawSpan) {
            let room = maximumDataLength - data.count
            isCut = isCut || fragment.byteCount > room
            data += [UInt8](fragment.extracting(first: room))
        }
    }
}
