import NIOCore
import NIOEmbedded
import Testing

@testable import OkaeriServer

/// Connections whose event loops do not turn: each closes later than the next one opens.
@Suite struct ConnectionsTests {
    private let connections = Connections(limits: .init(connections: 4, time: .minutes(10)))

    private func opened(_ count: Int) -> [EmbeddedChannel] {
        (0..<count).map { _ in
            let channel = EmbeddedChannel()
            connections.opened(channel)
            return channel
        }
    }

    /// Whether the daemon has closed it; closes it otherwise.
    private func isClosed(_ channel: EmbeddedChannel) -> Bool { (try? channel.finish()) == nil }

    @Test func `no more connections than the limit are open while displaced ones are closing`() {
        let channels = opened(20)
        #expect(connections.count == 4)
        #expect(channels.map(isClosed) == [Bool](repeating: true, count: 16) + [Bool](repeating: false, count: 4))
        #expect(connections.count == 0)
    }

    @Test func `connections without an address displace each other, and no event stream`() {
        let streams = opened(2)
        for stream in streams { connections.listens(stream) {} }
        let others = opened(20)
        #expect(connections.count == 4)
        #expect(streams.map(isClosed) == [false, false])
        #expect(others.map(isClosed) == [Bool](repeating: true, count: 18) + [false, false])
    }

    @Test func `a connection is refused where all others are event streams without an address`() {
        let streams = opened(4)
        for stream in streams { connections.listens(stream) {} }
        #expect(isClosed(opened(1)[0]))
        #expect(streams.map(isClosed) == [false, false, false, false])
    }
}
