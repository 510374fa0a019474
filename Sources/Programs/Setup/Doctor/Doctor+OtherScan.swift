import OkaeriEvents

/// The scan of another program with the same adapter.
extension Doctor {
    /// The part of the time from which on a scan of another program serves presence as the daemon's own one does.
    private static let sufficientShare = 0.5

    /// Returns the scan of another program that the daemon uses as it is: the advertisements of one scan reach both programs.
    static func otherScanFindings(_ status: StatusReport) -> [Finding] {
        guard let scan = status.bluetooth.scan, scan.isOfOtherProgram else { return [] }
        let phrase: OtherScanPhrase = scan.share < sufficientShare ? .rare : .sufficient
        let percent = Int((min(max(scan.share, 0), 1) * 100).rounded())
        return [
            Finding(
                "bluetooth", phrase == .rare ? .note : .ok, phrase,
                [status.bluetooth.adapter ?? "Bluetooth", "\(percent)"])
        ]
    }
}
