import Bluetooth
package import Events
package import Logging
import OkaeriConfiguration
package import Presence
package import RegionMonitoring
import Synchronization
import SystemPackage

/// The whole road over a capture, at the capture's own clock.
package enum Replay {
    /// Replays a capture on the calling thread.
    ///
    /// - Parameters:
    ///   - writer: keeps what happens; nil: nobody does.
    ///   - speed: how many times faster than it was recorded; nil: as fast as it goes.
    ///   - progress: is told from time to time how many bytes have been read, and how many there are.
    ///   - publish: is given each event, in order.
    /// - Throws: when the capture is no capture or damaged; what came before the damage has been told.
    package static func run(
        _ capture: String, regions: [MonitoredRegion], writer: sending (any EventWriter)? = nil, speed: Double?,
        logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ publish: @escaping @Sendable (Event) -> Void
    ) throws(CaptureFileError) {
        let source = try CaptureSource(file: capture, speed: speed, logger: logger, progress: progress)
        // It stamps the events; nobody else listens.
        let hub = EventHub(node: NodeName.local)
        hub.record(with: publish)
        let happened = { @Sendable (kind: Event.Kind, time: Int64) in hub.happened(kind, at: time) }
        guard let writer else {
            return try source.replay(
                PresencePublisher(regions: regions, clock: source, outputs: .init(publish: happened)).driver)
        }
        let shared = Mutex(writer)
        defer { shared.withLock { $0.finish(at: source.now) } }
        hub.record { event in
            shared.withLock { $0.record([event], [], []) }
            publish(event)
        }
        let presence = PresencePublisher(
            regions: regions, clock: source,
            outputs: .init(
                publish: happened, summarize: { minutes in shared.withLock { $0.record([], minutes, []) } },
                silenceEnded: { silence in shared.withLock { $0.record([], [], [silence]) } }))
        defer { presence.summarizeMinute() }
        try source.replay(presence.driver)
    }

    /// Replays a capture on the calling thread, as fast as it goes, to tell how good the exit times are.
    ///
    /// - Parameters:
    ///   - progress: is told from time to time how many bytes have been read, and how many there are.
    ///   - publish: is given the score: of a capture that is cut, too.
    /// - Throws: when the capture is no capture, damaged or cut.
    package static func score(
        _ capture: String, regions: [MonitoredRegion], logger: Logger,
        progress: @escaping @Sendable (UInt64, UInt64?) -> Void, _ publish: (CaptureScore) -> Void
    ) throws(CaptureFileError) {
        let scorer = Scorer(regions)
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
