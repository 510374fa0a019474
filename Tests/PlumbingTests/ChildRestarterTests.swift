import OkaeriPlumbing
import OkaeriTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ChildRestarterTests {
    /// The settings, and what happens, in order.
    private final class Scene: Sendable {
        let settings = Mutex<Int?>(nil)
        let log = Mutex<[String]>([])
        let restarter = ChildRestarter<Int>()

        func wants(_ value: Int?) {
            settings.withLock { $0 = value }
            restarter.settingsDidChange()
        }

        func add(_ entry: String) { log.withLock { $0.append(entry) } }

        func wait(for entries: [String]) async throws {
            try await eventually("\(entries)") { self.log.withLock(\.self) == entries }
        }

        func run() async {
            await restarter.run(
                wanted: { settings.withLock(\.self) }, replacing: { add("replace \($0.map { "\($0)" } ?? "none")") }
            ) { [self] value in
                add("begin \(value)")
                for await _ in AsyncStream<Void>.makeStream().stream {}
                add("end \(value)")
            }
        }
    }

    @Test func `a child is replaced by that of other settings, after it has ended`() async throws {
        let scene = Scene()
        let run = Task { await scene.run() }
        scene.wants(1)
        try await scene.wait(for: ["begin 1"])
        scene.wants(2)
        try await scene.wait(for: ["begin 1", "replace 2", "end 1", "begin 2"])
        scene.wants(nil)
        try await scene.wait(for: ["begin 1", "replace 2", "end 1", "begin 2", "replace none", "end 2"])
        scene.wants(3)
        run.cancel()
        await run.value
        #expect(
            scene.log.withLock { $0.filter { $0.hasPrefix("begin") }.count == $0.filter { $0.hasPrefix("end") }.count })
    }

    @Test func `the same settings start no other child`() async throws {
        let scene = Scene()
        scene.wants(1)
        let run = Task { await scene.run() }
        try await scene.wait(for: ["begin 1"])
        scene.restarter.settingsDidChange()
        scene.restarter.settingsDidChange()
        scene.restarter.finish()
        await run.value
        #expect(scene.log.withLock(\.self) == ["begin 1", "end 1"])
    }
}
