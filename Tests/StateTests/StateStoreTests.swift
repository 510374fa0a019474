import FoundationEssentials
import OkaeriEvents
import OkaeriPlumbing
import OkaeriTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import OkaeriDaemon

@Suite(.timeLimit(.minutes(5))) struct StateStoreTests {
    private struct Number: PersistedMemory {
        var number: Int
    }

    /// A part of the program that holds a number.
    private final class Part: Persistable {
        let number = Mutex(0)
        /// The number of times that the memory was read.
        let looks = Watched(0)

        var memory: Number {
            defer { looks.change { $0 += 1 } }
            return Number(number: number.withLock { $0 })
        }

        func restore(_ memory: Number, from past: PersistedPast) { number.withLock { $0 = memory.number } }
    }

    /// A disk that writes a text when the test lets it.
    private final class Disk: Sendable {
        struct Write: Sendable {
            var number: Int?
            var thread: String?
        }

        private let gate = BinarySemaphore()
        private let isGated = Mutex(false)
        private let began = AsyncStream.makeStream(of: Write.self)

        func hold() { isGated.withLock { $0 = true } }

        func release() {
            isGated.withLock { $0 = false }
            gate.signal()
        }

        func replace(_ text: [UInt8]) {
            let state = try? PersistedState(text: text, [Number.self])
            let thread = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
            began.continuation.yield(Write(number: state?[Number.self]?.number, thread: thread))
            if isGated.withLock({ $0 }) { gate.wait() }
        }

        func end() { began.continuation.finish() }

        /// The next write that begins, in order.
        func next() async -> Write? { await began.stream.first { _ in true } }
    }

    private let disk = Disk()
    private let part = Part()
    private let store: StateStore

    init() {
        store = StateStore(
            file: StateFile(directory: "/nowhere"), validFor: .seconds(900), parts: [part],
            events: AsyncStream { _ in }, caughtUp: {}, replace: { [disk] text in disk.replace(text) }, logger: quiet)
    }

    /// Runs the store meanwhile. Returns the writes that `body` has not taken, and that of the end, which is the last.
    private func run(_ body: () async throws -> Void) async rethrows -> [Disk.Write] {
        let task = Task { try await store.run() }
        defer { task.cancel() }
        try await body()
        task.cancel()
        _ = await task.result
        disk.end()
        var writes: [Disk.Write] = []
        while let write = await disk.next() { writes.append(write) }
        return writes
    }

    private func change(to number: Int) {
        part.number.withLock { $0 = number }
        store.mayHaveChanged()
    }

    @Test func `while the disk is busy any number of changes wait for one write, which has the latest`() async {
        let rest = await run {
            disk.hold()
            change(to: 1)
            #expect(await disk.next()?.number == 1)
            for number in 2...1000 { change(to: number) }
            disk.release()
            #expect(await disk.next()?.number == 1000)
        }
        #expect(rest.map(\.number) == [1000], "the end")
    }

    @Test func `where nothing has changed nothing is written`() async throws {
        let rest = try await run {
            change(to: 1)
            #expect(await disk.next()?.number == 1)
            for _ in 0..<100 {
                let before = part.looks.value
                store.mayHaveChanged()
                try await part.looks.wait(until: "the store has read the memory again") { $0 > before }
            }
            change(to: 2)
            #expect(await disk.next()?.number == 2)
        }
        #expect(rest.map(\.number) == [2], "the end")
    }

    @Test func `all writes have one thread`() async {
        var threads: Set<String?> = []
        let rest = await run {
            for number in 1...50 {
                change(to: number)
                let write = await disk.next()
                #expect(write?.number == number)
                threads.insert(write?.thread)
            }
        }
        #expect(threads.count == 1 && !threads.contains(nil) && rest.map(\.thread) == Array(threads))
    }
}
