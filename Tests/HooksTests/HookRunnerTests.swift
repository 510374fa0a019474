import FoundationEssentials
import Glibc
import OkaeriTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import OkaeriAutomation
@testable import OkaeriEvents

/// Hooks as real scripts.
@Suite(.timeLimit(.minutes(5))) struct HookRunnerTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    /// Runs a hook; what it wrote, and how it failed.
    private func run(
        _ hook: Hook, limit: Duration = .seconds(240), grace: Duration = .seconds(240)
    ) async -> (lines: [String], failure: HookFailure?) {
        let lines = Lines()
        let runner = HookRunner(
            socket: "/run/okaeri.sock", limits: .init(time: limit, grace: grace, graceAtStop: grace))
        do throws(HookFailure) {
            try await runner.run(hook) { stream, line in lines.all.withLock { $0.append("\(stream): \(line)") } }
            return (lines.all.withLock { $0 }, nil)
        } catch {
            return (lines.all.withLock { $0 }, error)
        }
    }

    private func run(script lines: String) async throws -> (lines: [String], failure: HookFailure?) {
        await run(try hook([try folder.script("hook", lines)]))
    }

    @Test func `the event is on standard input and in the environment, the arguments are as written`() async throws {
        let script = try folder.script("hook", #"cat; echo "$OKAERI_EVENT $OKAERI_REGION $OKAERI_SOCKET $# $1"; pwd"#)
        let hook = try hook([script, "$HOME; two words", ""])
        let (lines, failure) = await run(hook)
        #expect(failure == nil)
        #expect(
            lines == [
                "output: \(hook.event.json)", "output: didEnterRegion home /run/okaeri.sock 2 $HOME; two words",
                "output: /",
            ])
    }

    @Test func `a hook that reads nothing and closes its input causes no error`() async throws {
        for script in ["exec <&-; echo done", "echo done", "exec <&- >&- 2>&-"] {
            #expect(try await run(script: script).failure == nil)
        }
    }

    @Test func `both streams are distinguished, and the last line needs no end`() async throws {
        let (lines, _) = try await run(script: "echo a; echo b >&2; printf c")
        #expect(lines.sorted() == ["errors: b", "output: a", "output: c"])
    }

    @Test func `no more than the three descriptors, no blocked or ignored signal, a group of its own`() async throws {
        let held = try FileDescriptor.open("/dev/null", .readOnly)
        defer { try? held.close() }
        let (lines, _) = try await run(
            script: """
                ls /proc/$$/fd
                [ "$(cut -d' ' -f5 /proc/$$/stat)" = $$ ] && echo leader
                exec sed -n 's/^Sig\\(Blk\\|Ign\\):.*\\(........\\)$/\\2/p' /proc/self/status
                """)
        // 10 is where a shell keeps the script it reads. It blocks signals while it starts a program: so the last one takes
        // its place. The C library keeps signals 32 and 33 for itself.
        let found = lines.map { $0.dropFirst("output: ".count) }.filter { $0 != "10" }
        try #require(found.count == 6)
        #expect(found[..<5] == ["0", "1", "2", "leader", "00000000"])
        #expect(["00000000", "80000000"].contains(found[5]))
    }

    @Test func `every way not to start has its cause and its remedy`() async throws {
        let plain = try folder.file("plain", Array("#!/bin/sh\n".utf8))
        let headless = try folder.script("headless", "", interpreter: "#!/no/interpreter")
        let noise = try folder.script("noise", "", interpreter: "no program")
        let cases: [(String, HookFailure, String)] = [
            ("/no/such/hook", .notFound(program: "/no/such/hook"), "does not exist"),
            ("okaeri-no-such-hook", .notFound(program: "okaeri-no-such-hook"), "whole path"),
            (plain, .noPermission(program: plain), "chmod a+x"),
            (folder.path, .directory(program: folder.path), "is a directory"),
            ("\(plain)/below", .notFound(program: "\(plain)/below"), "does not exist"),
            (headless, .noInterpreter(program: headless), "first line"),
            (noise, .noProgram(program: noise), "#!/bin/sh"),
        ]
        for (program, failure, words) in cases {
            let result = await run(try hook([program])).failure
            #expect(result == failure)
            #expect(result?.description.contains(words) == true)
        }
    }

    @Test func `a hook that fails is reported with its status or its signal`() async throws {
        let (lines, failure) = try await run(script: "echo why >&2; exit 3")
        #expect(lines == ["errors: why"])
        #expect(failure == .exited(status: 3))
        let killed = try await run(script: "kill -9 $$").failure
        #expect(killed == .killed(signal: SIGKILL))
        #expect(killed?.description.contains("MemoryMax") == true)
        let aborted = try await run(script: "kill -6 $$").failure
        #expect(aborted?.description.contains("signal 6, Aborted") == true)
    }

    @Test func `what it leaves in the background is not waited for`() async throws {
        let (lines, failure) = try await run(script: "sleep 60 & echo $!")
        #expect(failure == nil)
        let child = try #require(pid_t(lines[0].dropFirst(8)))
        #expect(kill(child, SIGKILL) == 0, "it goes on")
    }

    @Test func `a hook whose time is up may end in order, and is not reported as a success`() async throws {
        let script = try folder.script("hook", "trap 'echo bye; exit 0' TERM; sleep 60 & wait")
        let (lines, failure) = await run(try hook([script]), limit: .milliseconds(500))
        #expect(lines == ["output: bye"])
        #expect(failure == .timedOut(after: .milliseconds(500)))
    }

    @Test func `a hook that the daemon's stop ends is not reported as a success`() async throws {
        let hook = try hook([try folder.script("hook", "trap 'exit 0' TERM; echo ready; sleep 60 & wait")])
        let runner = HookRunner(socket: "/run/okaeri.sock")
        let (ready, isReady) = AsyncStream.makeStream(of: Void.self)
        let running = Task {
            do throws(HookFailure) {
                try await runner.run(hook) { _, _ in isReady.yield() }
                return nil as HookFailure?
            } catch {
                return error
            }
        }
        for await _ in ready { break }
        running.cancel()
        #expect(await running.value == .stopped)
    }

    /// Starts a program without the descriptors of this process: another test may be writing a script.
    private func spawn(_ command: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in 3..<Int32(1024) { posix_spawn_file_actions_addclose(&actions, descriptor) }
        let arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var child: pid_t = 0
        try #require(posix_spawnp(&child, command[0], &actions, nil, arguments, nil) == 0)
        return child
    }

    @Test func `A hook that has ended by itself is not reported as stopped by a limit that it reaches afterwards`()
        throws
    {
        let child = try spawn(["true"])
        defer { waitpid(child, nil, 0) }
        var information = siginfo_t()
        try #require(waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) == 0)
        let ending = HookEnding(of: child)
        #expect(!ending.begin(.stopped))
        #expect(ending.reason == nil)
    }

    @Test func `A hook is ended for the first reason alone`() throws {
        let child = try spawn(["sleep", "240"])
        defer {
            kill(child, SIGKILL)
            waitpid(child, nil, 0)
        }
        let ending = HookEnding(of: child)
        #expect(ending.begin(.timedOut(after: .seconds(1))))
        #expect(!ending.begin(.stopped))
        #expect(ending.reason == .timedOut(after: .seconds(1)))
    }

    @Test func `a hook that is deaf to TERM is killed with its grandchildren`() async throws {
        let script = try folder.script(
            "hook", "trap '' TERM; (trap '' TERM; sleep 60 & echo $!; wait) & wait; wait")
        let (lines, failure) = await run(try hook([script]), limit: .milliseconds(500), grace: .milliseconds(50))
        #expect(failure == .timedOut(after: .milliseconds(500)))
        #expect(try isGone(lines))
    }

    @Test func `a deaf grandchild does not outlive a leader that obeys`() async throws {
        let script = try folder.script("hook", "(trap '' TERM; sleep 60 & echo $!; wait; wait) & wait")
        let (lines, failure) = await run(try hook([script]), limit: .milliseconds(500))
        #expect(failure == .timedOut(after: .milliseconds(500)))
        #expect(try isGone(lines))
    }

    @Test func `a hook with closed outputs has no more time than the others`() async throws {
        let script = try folder.script("hook", "exec >&- 2>&-; sleep 60")
        let failure = await run(try hook([script]), limit: .milliseconds(200)).failure
        #expect(failure == .timedOut(after: .milliseconds(200)))
    }

    /// Whether the process whose number the hook wrote has been killed; its parent may not have reaped it yet.
    private func isGone(_ lines: [String]) throws -> Bool {
        let child = try #require(lines.first.flatMap { pid_t($0.dropFirst(8)) })
        while let state = FileManager.default.contents(atPath: "/proc/\(child)/stat") {
            let words = String(decoding: state, as: UTF8.self).split(separator: " ")
            if words.count > 2, words[2] == "Z" || words[2] == "X" { return true }
            try Task.checkCancellation()
        }
        return true
    }
}
