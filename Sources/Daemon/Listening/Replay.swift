package import HCI
package import Logging
import OkaeriBluetooth
import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriPresence
package import RegionMonitoring
import Synchronization
import SystemPackage

/// The whole road over a capture, at the capture's own clock.
package enum Replay {
    /// Replays a capture on the calling thread.
    ///
    /// - Parameters:
    ///   - identities: The identities of the regions' phones, by their key files.
    ///   - writer: Records the events; `nil`: they are not recorded.
    ///   - speed: The factor by which the replay is faster than the recording; `nil`: without pauses.
    ///   - progress: Receives at intervals the number of bytes that have been read, and the number of all.
    ///   - publish: is given each event, in order.
    /// - Throws: An error if the capture is invalid or damaged; the events before the damage were reported.
    package static func run(
        _ capture: String, regions: [MonitoredRegion], identities: [String: DeviceIdentity] = [:],
        writer: sending (any EventWriter)? = nil, speed: Double?,
        logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ publish: @escaping @Sendable (Event) -> Void
    ) throws(CaptureFileError) {
        let source = try CaptureSource(file: capture, speed: speed, logger: logger, progress: progress)
        // It stamps the events; it has no other listener.
        let hub = EventHub(node: NodeName.local)
        hub.record { event in
            publish(event)
            return true
        }
        let happened = { @Sendable (kind: Event.Kind, time: Int64) in hub.happened(kind, at: time) }
        guard let writer else {
            return try source.replay(
                PresencePublisher(
                    regions: regions, identities: identities, clock: source, outputs: .init(publish: happened)
                ).driver)
        }
        let shared = Mutex(writer)
        defer { shared.withLock { $0.finish(at: source.now) } }
        hub.record { event in
            shared.withLock { $0.record([event], [], []) }
            publish(event)
            return true
        }
        let presence = PresencePublisher(
            regions: regions, identities: identities, clock: source,
            outputs: .init(
                publish: happened, summarize: { minutes in shared.withLock { $0.record([], minutes, []) } },
                silenceEnded: { silence in shared.withLock { $0.record([], [], [silence]) } }))
        defer { presence.summarizeMinute() }
        try source.replay(presence.driver)
    }

    /// Replays a capture on the calling thread, without pauses, to measure the exit times.
    ///
    /// - Parameters:
    ///   - identities: The identities of the regions' phones, by their key files.
    ///   - progress: Receives at intervals the number of bytes that have been read, and the number of all.
    ///   - publish: is given the score: of a capture that is cut, too.
    /// - Throws: An error if the capture is invalid, damaged or cut.
    package static func score(
        _ capture: String, regions: [MonitoredRegion], identities: [String: DeviceIdentity] = [:], logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ publish: (CaptureScore) -> Void
    ) throws(CaptureFileError) {
        let scorer = Scorer(regions, identities)
        do throws(CaptureFileError) {
            try run(CaptureSource(file: capture, speed: nil, logger: logger, progress: progress), scorer)
        } catch {
            if error.isCut { publish(scorer.score) }
            throw error
        }
        publish(scorer.score)
    }

    private static func run(_ source: CaptureSource, _ delegate: some ScannerDelegate) throws(CaptureFileError) {
        do {
            _ = try source.run(delegate)
        } catch let error as CaptureFileError {
            throw error
        } catch {
            throw .unreadable(file: source.name, .ioError)
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

/// A histogram of numbers, to the thousandth: its size depends on their range, not on their count.
struct Tally: Sendable {
    private var counts: [Int: Int] = [:]

    /// The number of values.
    private(set) var count = 0

    /// Larger numbers, in thousandths, count as this one.
    private static let largest = 1e12

    mutating func add(_ number: Double) {
        counts[Int(min(max(0, number * 1000), Self.largest).rounded()), default: 0] += 1
        count += 1
    }

    /// The least number that so many are not larger than, by the nearest rank.
    ///
    /// - Parameter part: The part of the values, of 1.
    /// - Returns: nil while there is none.
    func quantile(_ part: Double) -> Double? {
        var left = Int((part * Double(count)).rounded(.up))
        for (number, times) in counts.sorted(by: { $0.key < $1.key }) {
            left -= times
            if left <= 0 { return Double(number) / 1000 }
        }
        return nil
    }

    /// The largest numbers, the largest first.
    func largest(_ limit: Int) -> [Double] {
        var found: [Double] = []
        for (number, times) in counts.sorted(by: { $0.key > $1.key }) where found.count < limit {
            found += Array(repeating: Double(number) / 1000, count: min(times, limit - found.count))
        }
        return found
    }
}
