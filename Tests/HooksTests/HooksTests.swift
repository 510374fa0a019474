import FoundationEssentials
import Glibc
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents

/// The service: events in, commands run, output in the log.
@Suite(.timeLimit(.minutes(5))) struct HooksTests {
    private let folder: TemporaryFolder
    private let hub = EventHub()
    private let book = LogBook()

    init() throws { folder = try TemporaryFolder() }

    private func region(_ script: String) -> Configuration.Region {
        Configuration.Region(monitored: monitored(), network: nil, onEnter: [script], onExit: [script])
    }

    private func service(_ script: String) -> Hooks {
        let limits = HookRunner.Limits(time: .seconds(60), grace: .seconds(60), graceAtStop: .milliseconds(100))
        return Hooks(
            Configuration(regions: [region(script)]), hub: hub, runner: HookRunner(socket: "/s", limits: limits),
            logger: book.logger)
    }

    private func publish(_ kinds: Event.Kind...) {
        for kind in kinds { hub.publish(Event(time: evening, kind: kind)) }
    }

    @Test func `events before the start count, one hook runs at a time, and its output is logged`() async throws {
        // A hook that finds another one's folder was not alone.
        let script = try folder.script(
            "hook", "mkdir \(folder.path)/busy || exit 1; echo $OKAERI_EVENT; rmdir \(folder.path)/busy; echo end >&2")
        let hooks = service(script)
        publish(enter, .didExitRegion(region: "home"), enter)
        let task = Task { try await hooks.run() }
        try await book.logged("warning: end", times: 3)
        let words = book.text.filter { $0.hasPrefix("info:") }
        #expect(words == ["info: didEnterRegion", "info: didExitRegion", "info: didEnterRegion"])
        #expect(!book.text.contains { $0.contains("exit status") })
        task.cancel()
        try await task.value
    }

    @Test func `a failing hook is a warning, and the next one runs`() async throws {
        let hooks = service("/no/such/hook")
        let task = Task { try await hooks.run() }
        publish(enter, .didExitRegion(region: "home"))
        try await book.logged("warning: /no/such/hook: /no/such/hook does not exist", times: 2)
        task.cancel()
        try await task.value
        let tally = await hooks.tally
        #expect(tally.runs["onEnter"] == 1 && tally.runs["onExit"] == 1 && tally.runs["onPrompt"] == 0)
        #expect(tally.failures["notFound"] == 2 && tally.failures["exited"] == 0)
    }

    @Test func `a reload changes what is run`() async throws {
        let hooks = service("/no/such/hook")
        let task = Task { try await hooks.run() }
        await hooks.configured(Configuration(regions: [region(try folder.script("hook", "echo new"))]))
        publish(enter)
        try await book.logged("info: new")
        task.cancel()
        try await task.value
        #expect(!book.text.contains { $0.contains("/no/such/hook") })
    }

    @Test func `a change of the occupancy and a reload change what is persisted`() async throws {
        let hooks = service("/no/such/hook")
        let changes = Watched<[Bool?]>([])
        let reader = Task {
            for await _ in hooks.changes {
                let occupied = await hooks.memory.occupied
                changes.change { $0.append(occupied) }
            }
        }
        let task = Task { try await hooks.run() }
        publish(.didDetermineState(region: "home", .inside))
        try await changes.wait(until: "the arrival is persisted") { $0.last == true }
        publish(.didDetermineState(region: "home", .outside))
        try await changes.wait(until: "the departure is persisted") { $0.last == false }
        let count = changes.value.count
        await hooks.configured(Configuration(regions: []))
        try await changes.wait(until: "the reload is noticed") { $0.count > count }
        task.cancel()
        reader.cancel()
        try await task.value
    }

    @Test func `a hook that is too slow loses the oldest events, which are counted`() async throws {
        let hooks = service(try folder.script("hook", "echo begun; exec sleep 60"))
        let task = Task { try await hooks.run() }
        for _ in 0..<HookQueue.bound + 3 { publish(enter) }
        try await book.logged("info: begun")
        try await book.logged("onEnter is not run for the event of", times: 2)
        let tally = await hooks.tally
        #expect((tally.running, tally.waiting, tally.dropped) == (1, HookQueue.bound, 2))
        task.cancel()
        try await task.value
        try await book.logged("\(HookQueue.bound) hooks that waited are not run")
        #expect(book.text.filter { $0.contains("because the daemon stops") }.count == 1)
    }

    @Test func `the end of the daemon ends a deaf hook and its children`() async throws {
        let script = try folder.script("hook", "trap '' TERM; sleep 60 & echo $!; wait; wait")
        let hooks = service(script)
        let task = Task { try await hooks.run() }
        publish(enter)
        try await book.logged("info: ")
        task.cancel()
        try await task.value
        try await book.logged("because the daemon stops")
        let child = try #require(book.text.first { $0.hasPrefix("info:") }.flatMap { pid_t($0.dropFirst(6)) })
        while kill(child, 0) == 0, !isZombie(child) { try Task.checkCancellation() }
    }

    private func isZombie(_ process: pid_t) -> Bool {
        guard let stat = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return true }
        return String(decoding: stat, as: UTF8.self).contains(") Z ")
    }
}
