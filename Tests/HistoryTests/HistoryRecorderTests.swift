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
        for event in events { recorder.record(event) }
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
                for _ in 0..<10 { recorder.record(Event(time: evening, kind: .didExitRegion(region: "home"))) }
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

private final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock(\.self) }

    func increment() { value.withLock { $0 += 1 } }
}
