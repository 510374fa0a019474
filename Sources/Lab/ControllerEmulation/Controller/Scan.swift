import HCI

/// The scan settings of the host, by either family of commands.
struct ScanSettings: Hashable, Sendable {
    var family: CommandFamily
    var type: ScanType
    var timing: ScanTiming
    var ownAddressType: OwnAddressType
    var filterPolicy: ScanFilterPolicy

    /// Whether LE 1M, where all advertisers of the script are, is among the PHYs.
    var hearsLE1M: Bool

    init(_ parameters: LESetScanParameters) {
        family = .legacy
        type = parameters.type
        timing = parameters.timing
        ownAddressType = parameters.ownAddressType
        filterPolicy = parameters.filterPolicy
        hearsLE1M = true
    }

    /// Nil when there is no PHY to scan on.
    init?(_ parameters: LESetExtendedScanParameters) {
        guard let phy = parameters.le1M ?? parameters.leCoded else { return nil }
        family = .extended
        type = phy.type
        timing = phy.timing
        ownAddressType = parameters.ownAddressType
        filterPolicy = parameters.filterPolicy
        hearsLE1M = parameters.le1M != nil
    }
}

struct Scan: Sendable {
    let settings: ScanSettings
    let filter: LESetExtendedScanEnable.DuplicateFilter

    /// The time of its start, in nanoseconds.
    let began: Int64

    /// The duration of the scan; `nil`: until it is disabled.
    let duration: Int64?

    /// After how long it listens again; nil: once.
    let period: Int64?

    private var reported: Set<Reported> = []

    private var reportedPeriod: Int64 = 0

    /// The address, like Broadcom's filters, and not the data; a scan response is not a duplicate of its advert.
    private struct Reported: Hashable {
        let peer: Peer
        let isScanResponse: Bool
    }

    init(_ settings: ScanSettings, _ enable: LESetExtendedScanEnable, at now: Int64) {
        self.settings = settings
        filter = enable.duplicateFilter
        began = now
        duration = enable.duration == 0 ? nil : Int64(enable.duration) * 10_000_000
        period = enable.period == 0 ? nil : Int64(enable.period) * 1_280_000_000
    }

    /// The time at which it ends by itself.
    var end: Int64? {
        guard let duration, period == nil else { return nil }
        return began + duration
    }

    /// Whether it listens just now: between the periods' durations it does not.
    func isListening(at now: Int64) -> Bool {
        guard let duration else { return true }
        let elapsed = now - began
        return (period.map { elapsed % $0 } ?? elapsed) < duration
    }

    /// Whether a scan window is open. The first one opens when the scan is enabled.
    func isInWindow(at now: Int64) -> Bool {
        let (interval, window) = (settings.timing.interval.nanoseconds, settings.timing.window.nanoseconds)
        return (now - began) % interval < window
    }

    /// Whether the duplicate filter lets a report through; it remembers that it did.
    mutating func passes(_ report: AdvertisingReport, at now: Int64) -> Bool {
        switch filter {
        case .off:
            return true
        case .on:
            break
        case .onUntilNextPeriod:
            let current = period.map { (now - began) / $0 } ?? 0
            if current != reportedPeriod { reported = [] }
            reportedPeriod = current
        }
        let peer = Peer(address: report.address, type: report.addressType)
        let key = Reported(peer: peer, isScanResponse: report.properties.contains(.scanResponse))
        return reported.insert(key).inserted
    }
}

extension ScanTime {
    fileprivate var nanoseconds: Int64 { Int64(units) * 625_000 }
}
