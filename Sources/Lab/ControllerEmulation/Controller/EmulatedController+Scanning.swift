import HCI

extension EmulatedController {
    /// Sets the scan parameters; nil when they name no PHY (Sections 7.8.10 and 7.8.64).
    mutating func setScan(_ settings: ScanSettings?) -> Answer {
        guard !isScanning else { return .disallowed }
        guard let settings else { return .invalid }
        state.scanSettings = settings
        return .success
    }

    /// Enables or disables the scan; enabling it anew starts the duplicate filter anew (Sections 7.8.11 and 7.8.65).
    mutating func enableScan(
        _ enable: LESetExtendedScanEnable, _ family: CommandFamily, _ followers: inout [Output], at now: Int64
    ) -> Answer {
        guard enable.isEnabled else {
            if isScanning { followers = [.log("scan disabled")] }
            state.scan = nil
            return .success
        }
        let settings = state.scanSettings ?? ScanSettings(LESetScanParameters(timing: .continuous), as: family)
        switch settings.ownAddressType {
        case .random, .resolvableOrRandom:
            guard state.randomAddress != nil else { return .invalid }
        case .public, .resolvableOrPublic:
            break
        }
        let scan = Scan(settings, enable, at: now)
        if let period = scan.period, let duration = scan.duration, period <= duration { return .invalid }
        if scan.filter == .onUntilNextPeriod, scan.period == nil { return .invalid }
        state.scan = scan
        followers = [.log(scan.line)]
        return .success
    }

    /// An advert is in the air. Returns how it is reported; nil when it is not.
    mutating func heard(_ report: AdvertisingReport, at now: Int64) -> CommandFamily? {
        guard var scan = state.scan, scan.isListening(at: now), scan.settings.hearsLE1M,
            ignoresWindows || scan.isInWindow(at: now)
        else { return nil }
        let family = scan.settings.family
        // A legacy scan does not follow to the channels where extended PDUs have their data.
        guard family == .extended || report.properties.contains(.legacy),
            sends(family == .legacy ? .advertisingReport : .extendedAdvertisingReport)
        else { return nil }
        let peer = Peer(address: report.address, type: report.addressType)
        guard scan.settings.filterPolicy.hearsStrangers || state.acceptList.contains(peer) else { return nil }
        let passes = scan.passes(report, at: now)
        state.scan = scan
        return passes ? family : nil
    }

    /// Whether advertisers are asked for their scan responses.
    var isScanningActively: Bool {
        state.scan?.settings.type == .active
    }
}

extension ScanSettings {
    /// The controller's own choice, for a host that has made none: a window as long as the interval (Section 7.8.10).
    init(_ parameters: LESetScanParameters, as family: CommandFamily) {
        self.init(parameters)
        self.family = family
    }
}

extension Scan {
    fileprivate var line: String {
        let type =
            switch settings.type {
            case .passive: "passive"
            case .active: "active"
            }
        return "scan enabled dup=\(filter.rawValue) \(type) interval=\(settings.timing.interval.units) "
            + "window=\(settings.timing.window.units) (\(settings.family))"
    }
}
