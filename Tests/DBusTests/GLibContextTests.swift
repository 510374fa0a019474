import COkaeriGIO
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriDBus

/// A context that ends while another thread still posts to it.
@Suite(.timeLimit(.minutes(2))) struct GLibContextTests {
    /// A thread that iterates a context of its own, and frees it after the first job.
    private final class Worker: Sendable {
        let isDone = Flag()
        let isOver = Watched(false)
        let address: UInt

        init() throws {
            address = UInt(bitPattern: g_main_context_new())
            try BlockingThread.start { [self] in
                while !isDone.isSet { g_main_context_iteration(OpaquePointer(bitPattern: address), 1) }
                g_main_context_unref(OpaquePointer(bitPattern: address))
                isOver.change { $0 = true }
            }
        }

        func post() {
            okaeri_context_post(
                OpaquePointer(bitPattern: address),
                { data in
                    data.map { Unmanaged<Worker>.fromOpaque($0).takeRetainedValue().isDone.set() }
                    return 0
                }, Unmanaged.passRetained(self).toOpaque())
        }
    }

    /// GLib locks a context in `g_source_unref` without a reference to it. Without one of ours, some of these rounds
    /// corrupted the heap or never ended.
    @Test func `a context lives until the thread that posts to it has finished`() async throws {
        let count = try await withThrowingTaskGroup(of: Int.self) { lanes in
            for _ in 0..<8 {
                lanes.addTask {
                    var count = 0
                    for _ in 0..<4000 {
                        let worker = try Worker()
                        worker.post()
                        try await worker.isOver.wait(until: "the thread ends") { $0 }
                        if worker.isDone.isSet { count += 1 }
                    }
                    return count
                }
            }
            return try await lanes.reduce(0, +)
        }
        #expect(count == 32_000)
    }
}
