package import HCI
package import Logging
package import OkaeriConfiguration
package import Presence

extension Configuration.Scan {
    /// The scan interval and window.
    ///
    /// - Throws: `HCIDecodingError` for times that no controller has; the parser lets none pass.
    package var timing: ScanTiming {
        get throws {
            try ScanTiming(interval: ScanTime(milliseconds: interval), window: ScanTime(milliseconds: window))
        }
    }
}

extension CaptureSource {
    /// The same, whose warnings are logged.
    package convenience init(
        file: String, speed: Double?, logger: Logger, progress: @escaping Progress = { _, _ in }
    ) throws(CaptureFileError) {
        try self.init(file: file, speed: speed, warn: { logger.warning("\($0)") }, progress: progress)
    }
}
