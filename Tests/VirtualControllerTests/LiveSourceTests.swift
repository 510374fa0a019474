import OkaeriControllerEmulation
@testable import VirtualController
import Glibc
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@Suite struct LiveSourceTests {
    @Test func `lines are put together`() {
        var splitter = LineSplitter()
        #expect(splitter.take(Array("one\ntw".utf8)) == ["one"])
        #expect(splitter.take(Array("o\n\nthree".utf8)) == ["two", ""])
        #expect(splitter.finish() == "three")
        #expect(splitter.finish() == nil)
    }

    @Test func `a line that is too long is kept up to the byte beyond the limit`() {
        var splitter = LineSplitter()
        let limit = Script.maximumLineLength
        let lines = splitter.take([UInt8](repeating: 0x61, count: limit) + [0x0A])
        #expect(lines.map(\.utf8.count) == [limit])
        #expect(splitter.take([UInt8](repeating: 0x61, count: 10 * limit)).isEmpty)
        #expect(splitter.take([0x0A, 0x62, 0x0A]).map(\.utf8.count) == [limit + 1, 1])
    }

    @Test func `a FIFO is created and outlives its writers`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/control"
        var source = try LiveSource.control(path)
        for word in ["one", "two"] {
            let writer = try OwnedDescriptor(opening: path, O_WRONLY)
            try writer.write(Array("\(word)\n".utf8), "writing")
            let words = try source.lines()
            #expect(words == [word])
        }
        let isAtEnd = source.isAtEnd
        #expect(!isAtEnd)
        // It is there already the next time.
        _ = try LiveSource.control(path)
    }

    @Test func `what is not a FIFO is refused`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/control"
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        let error = #expect(throws: SystemError.self) {
            _ = try LiveSource.control(path)
        }
        #expect(error?.advice == "it is not a FIFO: give --control another path, or remove what is there")
    }

    @Test func `a source ends with standard input`() throws {
        var pair: [Int32] = [0, 0]
        try #require(pipe(&pair) == 0)
        var source = LiveSource(name: "standard input", owning: OwnedDescriptor(owning: pair[0]))
        write(pair[1], "one\ntwo", 7)
        close(pair[1])
        let first = try source.lines()
        #expect(first == ["one"])
        let second = try source.lines()
        #expect(second == ["two"])
        let isAtEnd = source.isAtEnd
        #expect(isAtEnd)
    }
}
