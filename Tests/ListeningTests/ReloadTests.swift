import HCI
import IBeacon
import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriEvents
@testable import OkaeriHistory
@testable import OkaeriListening

/// The effect of a new configuration on the regions that it does not have.
@Suite struct ReloadTests {
    private struct Clock: WallClock {
        func wallTime(of instant: Instant) -> Int64 { evening + instant.nanoseconds }
        var now: Int64 { evening }
    }

    private final class Log: Sendable {
        let events = Mutex<[Event]>([])
    }

    private let log = Log()

    /// A publisher that is inside `home` and `hall`, and does not receive `office`.
    private func arrive() -> (publisher: PresencePublisher, regions: [MonitoredRegion]) {
        let hall = MonitoredRegion(BeaconRegion(identifier: "hall", constraint: .uuid(home.uuid)))
        let office = MonitoredRegion(BeaconRegion(identifier: "office", constraint: .uuid(neighbour.uuid)))
        let regions = [monitored(), hall, office]
        let publisher = PresencePublisher(
            regions: regions, clock: Clock(),
            outputs: .init(publish: { [log] kind, time in
                log.events.withLock { $0.append(Event(time: time, kind: kind)) }
            }))
        publisher.driver.scannerWillStart(at: 0)
        publisher.driver.scannerDidChangeListening(.continuous, at: 0)
        _ = publisher.driver.scannerDidReceive(event().span.bytes, at: 1)
        return (publisher, regions)
    }

    private func reloaded(_ publisher: PresencePublisher, _ regions: [MonitoredRegion]) -> [Event.Kind] {
        let before = log.events.withLock(\.count)
        publisher.reload(regions, at: Instant(nanoseconds: nanoseconds(3600)))
        return log.events.withLock { Array($0[before...]).map(\.kind) }
    }

    @Test func `a region that is removed becomes unknown, once, and no other does`() {
        let (publisher, regions) = arrive()
        #expect(reloaded(publisher, [regions[1]]) == [.didDetermineState(region: "home", .unknown)])
        #expect(reloaded(publisher, [regions[1]]).isEmpty)
    }

    @Test func `a region that is renamed ends under its old name before it begins under the new one`() {
        let (publisher, regions) = arrive()
        let renamed = monitored(identifier: "casa")
        #expect(
            reloaded(publisher, [renamed] + regions.dropFirst()) == [
                .didDetermineState(region: "home", .unknown), .didStartMonitoring(region: "casa"),
                .didDetermineState(region: "casa", .inside),
            ], "it keeps its state")
    }

    @Test func `the bar of a region that is removed ends then`() throws {
        let folder = try TemporaryFolder()
        let (publisher, regions) = arrive()
        publisher.reload(Array(regions.dropFirst()), at: Instant(nanoseconds: nanoseconds(3600)))
        let store = try HistoryStore(directory: folder.path, durability: .process)
        try store.record(log.events.withLock { $0.compactMap(HistoryEvent.init) }, [])
        let end = evening + nanoseconds(7200)
        let day = try HistoryReader(directory: folder.path).day(from: evening, to: end, now: end)
        let home = try #require(day.regions.first { $0.identifier == "home" })
        #expect(home.spans.last { $0.value == "inside" }?.time.upperBound == evening + nanoseconds(3600))
        #expect(day.regions.first { $0.identifier == "hall" }?.spans.last?.time.upperBound == end)
    }
}
