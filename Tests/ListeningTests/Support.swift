import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Synchronization

@testable import OkaeriEvents
@testable import OkaeriListening

/// Returns the events of a replay of these bytes, as `second name state`, and the error of its end.
func replay(
    _ bytes: [UInt8], _ regions: [MonitoredRegion] = [monitored()], start: Int64 = evening
) throws -> (log: [String], error: CaptureFileError?) {
    let folder = try TemporaryFolder()
    let file = try folder.file("capture", bytes)
    let log = Mutex<[String]>([])
    var failure: CaptureFileError?
    do throws(CaptureFileError) {
        try Replay.run(file, regions: regions, speed: nil, logger: quiet, progress: { _, _ in }) { event in
            let state = if case .didDetermineState(_, let state) = event.kind { " \(state)" } else { "" }
            let second = Double(event.time &- start) / 1e9
            log.withLock { $0.append("\(second) \(event.kind.name.rawValue)\(state)") }
        }
    } catch {
        failure = error
    }
    return (log.withLock { $0 }, failure)
}
