import Synchronization
import Testing

@testable import okaeri

@Suite struct ProgressLineTests {
    private final class World: Sendable {
        let now = Mutex(ContinuousClock.now)
        let written = Mutex<[String]>([])

        func pass(_ milliseconds: Int) { now.withLock { $0 += .milliseconds(milliseconds) } }
        var lines: [String] { written.withLock(\.self) }
    }

    private let world = World()

    private func line() -> ProgressLine {
        ProgressLine(
            now: { [world] in world.now.withLock(\.self) },
            write: { [world] text in world.written.withLock { $0.append(text) } })
    }

    @Test func `of a short replay nothing is shown, and nothing is cleared`() {
        let line = line()
        world.pass(500)
        line.update(read: 1, size: 2)
        line.clear()
        #expect(world.lines.isEmpty)
    }

    @Test func `of a long one the line is written again, ten times a second at most, and cleared once`() {
        let line = line()
        for _ in 0..<20 {
            world.pass(60)
            line.update(read: 3 << 20, size: 4 << 20)
        }
        // At 540 ms, and then at each second one.
        #expect(world.lines == Array(repeating: "\r\u{1B}[K3 MiB  75 %", count: 6))
        line.clear()
        line.clear()
        #expect(world.lines.suffix(2) == ["\r\u{1B}[K3 MiB  75 %", "\r\u{1B}[K"])
    }

    @Test(
        arguments: [
            (3 << 20, nil, "3 MiB"), (0, 0, "0 MiB"), (5, 4, "0 MiB  100 %"),
            (.max, .max, "17592186044415 MiB  100 %"), (.max, 1, "17592186044415 MiB  100 %"), (0, .max, "0 MiB  0 %"),
        ] as [(UInt64, UInt64?, String)]) func `any amount will do`(read: UInt64, size: UInt64?, text: String)
    {
        let line = line()
        world.pass(501)
        line.update(read: read, size: size)
        #expect(world.lines == ["\r\u{1B}[K" + text])
    }
}
