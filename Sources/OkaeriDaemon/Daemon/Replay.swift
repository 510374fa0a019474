public import Logging
public import RegionMonitoring
import SystemPackage

/// The whole road over a capture, at the capture's own clock.
public enum Replay {
    /// Replays a capture on the calling thread.
    ///
    /// - Parameters:
    ///   - speed: how many times faster than it was recorded; nil: as fast as it goes.
    ///   - progress: is told from time to time how many bytes have been read, and how many there are.
    ///   - tell: is given each event, in order.
    /// - Throws: when the capture is no capture or damaged; what came before the damage has been told.
    public static func run(
        _ capture: String, regions: [MonitoredRegion], speed: Double?, logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ tell: @escaping @Sendable (Event) -> Void
    ) throws(CaptureFileError) {
        let source = CaptureSource(file: capture, speed: speed, logger: logger, progress: progress)
        let core = PresenceCore(regions: regions, wallClock: source, publish: tell)
        do {
            _ = try source.run(core)
        } catch let error as CaptureFileError {
            throw error
        } catch {
            throw .unreadable(file: capture, .ioError)
        }
    }
}
