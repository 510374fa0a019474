import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriHistory
@testable import OkaeriListening

@Suite struct HistoryRecorderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `no listener receives an event that is not stored yet`() throws {
        let recorder = HistoryRecorder(
            directory: folder.path, settings: .init(), now: { Moment(recorded: evening) }, logger: quiet)
        let events = (0..<100).map { Event(time: evening + $0, kind: .didExitRegion(region: "home")) }
        for event in events { #expect(recorder.record(event)) }
        recorder.stop()
        var published: [String] = []
        recorder.run { event in
            published.append(event.json)
            if published.count % 20 == 0 { #expect((try? folder.historyLines())?.starts(with: published) == true) }
        }
        #expect(published == events.map(\.json))
        #expect(try folder.historyLines() == published)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a caller that waits for the end has received all events`() async {
        let recorder = HistoryRecorder(
            directory: folder.path, settings: .init(), now: { Moment(recorded: evening) }, logger: quiet)
        let published = Counter()
        await withDiscardingTaskGroup { group in
            for round in 1...20 {
                for _ in 0..<10 { #expect(recorder.record(Event(time: evening, kind: .didExitRegion(region: "home")))) }
                if round == 1 {
                    // It blocks, and a machine may have one thread for all tasks.
                    let service = ThreadService(
                        loop: { recorder.run { _ in published.increment() } }, stop: {}, endsWithLoop: true)
                    group.addTask { try? await service.run() }
                }
                await recorder.caughtUp()
                #expect(published.count == round * 10)
            }
            recorder.stop()
        }
        // Nothing comes any more.
        await recorder.caughtUp()
    }
}

extension HistoryRecorderTests {
    private func ranging(_ sequence: UInt64) -> Event {
        Event(time: evening, sequence: sequence, kind: .didRangeBeacons(region: "home", []))
    }

    @Test func `ranging does not wait for the disk unless an event before it does`() {
        let start = ContinuousClock.now
        var queue = RecordingQueue(limit: .seconds(5))
        var waits: [Bool] = []
        var published: [[UInt64]] = []
        func arrived(_ events: Event...) { waits += events.map { queue.arrived($0, at: start) } }
        func written() { queue.wrote(queue.takeBatch(), problem: nil) }
        func take() { published.append(queue.take(at: start).events.map(\.sequence)) }
        arrived(ranging(1), Event(time: evening, sequence: 2, kind: .didExitRegion(region: "home")), ranging(3))
        #expect(waits == [false, true, true])
        take()
        written()
        take()
        #expect(published == [[], [2, 3]])
        // They are taken, and not published yet.
        arrived(ranging(4))
        queue.publicationEnded()
        arrived(ranging(5))
        #expect(waits == [false, true, true, true, true])
        written()
        take()
        #expect(published.last == [4, 5])
        queue.publicationEnded()
        arrived(ranging(6))
        #expect(waits.last == false)
        #expect(queue.unwritten == 0)
    }

    @Test(.timeLimit(.minutes(2)))
    func `a hub publishes ranging in its place between events that are recorded`() async {
        let recorder = HistoryRecorder(
            directory: folder.path, settings: .init(), now: { Moment(recorded: evening) }, logger: quiet)
        let hub = EventHub(node: "hall")
        hub.record { recorder.record($0) }
        let (all, others) = (hub.events(backlog: .max), hub.eventsButRanging(backlog: .max))
        let service = ThreadService(
            loop: { recorder.run { hub.publish($0) } }, stop: {}, endsWithLoop: true)
        await withDiscardingTaskGroup { group in
            group.addTask { try? await service.run() }
            for number in 0..<200 {
                hub.happened(
                    number % 20 == 0 ? .didExitRegion(region: "home") : .didRangeBeacons(region: "home", []),
                    at: evening)
                if number % 50 == 0 { await recorder.caughtUp() }
            }
            await recorder.caughtUp()
            recorder.stop()
        }
        hub.close()
        var sequences: [UInt64] = []
        for await event in all { sequences.append(event.sequence) }
        #expect(sequences == Array(1...200))
        var names: [Event.Kind.Name] = []
        for await event in others { names.append(event.kind.name) }
        #expect(names == Array(repeating: .didExitRegion, count: 10))
    }
}

private final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock(\.self) }

    func increment() { value.withLock { $0 += 1 } }
}
