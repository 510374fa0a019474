package import Logging
package import Presence

extension CaptureSource {
    /// The same, whose warnings are logged.
    package convenience init(
        file: String, speed: Double?, logger: Logger, progress: @escaping Progress = { _, _ in }
    ) throws(CaptureFileError) {
        try self.init(file: file, speed: speed, warn: { logger.warning("\($0)") }, progress: progress)
    }
}
