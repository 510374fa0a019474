import OkaeriPlumbing
import Testing

@Suite struct BroadcastTests {
    private func all<Value>(_ stream: AsyncStream<Value>) async -> [Value] {
        var values: [Value] = []
        for await value in stream { values.append(value) }
        return values
    }

    @Test func `every listener gets the values after its beginning`() async {
        let broadcast = Broadcast<Int>()
        broadcast.send(1)
        let first = broadcast.values(backlog: 8)
        broadcast.send(2)
        let second = broadcast.values(backlog: 8)
        broadcast.send(2)
        broadcast.close()
        #expect(await all(first) == [2, 2])
        #expect(await all(second) == [2])
        #expect(broadcast.latest == nil, "it does not remember unless it is to")
    }

    @Test func `a listener that lags behind misses the oldest`() async {
        let broadcast = Broadcast<Int>()
        let (slow, fast) = (broadcast.values(backlog: 2), broadcast.values(backlog: 8))
        for value in 1...5 { broadcast.send(value) }
        broadcast.close()
        #expect(await all(slow) == [4, 5])
        #expect(await all(fast) == [1, 2, 3, 4, 5])
    }

    @Test func `a listener receives what it wants`() async {
        let broadcast = Broadcast<Int>()
        let (even, all) = (broadcast.values(backlog: .max) { $0 % 2 == 0 }, broadcast.values(backlog: .max))
        for number in 1...6 { broadcast.send(number) }
        broadcast.close()
        #expect(await self.all(even) == [2, 4, 6])
        #expect(await self.all(all) == Array(1...6))
    }

    @Test func `what is remembered comes first`() async {
        let broadcast = Broadcast<Int>(remembers: true)
        let early = broadcast.values(backlog: 8)
        broadcast.send(1)
        broadcast.send(1)
        let late = broadcast.values(backlog: 8)
        broadcast.close()
        #expect(await all(early) == [1, 1])
        #expect(await all(late) == [1])
        #expect(broadcast.latest == 1)
    }

    @Test func `only changes are sent`() async {
        let broadcast = Broadcast(changesFrom: 0)
        #expect(broadcast.latest == 0)
        let values = broadcast.values(backlog: 8)
        for value in [0, 1, 1, 0] { broadcast.send(value) }
        broadcast.close()
        #expect(await all(values) == [0, 1, 0])
    }

    @Test func `the first listener also receives the stored values, and a later one does not`() async {
        let broadcast = Broadcast<Int>(storing: 2)
        for value in 1...3 { broadcast.send(value) }
        let (first, second) = (broadcast.values(backlog: 8), broadcast.values(backlog: 8))
        broadcast.send(4)
        broadcast.close()
        #expect(await all(first) == [2, 3, 4])
        #expect(await all(second) == [4])
    }

    @Test func `stored values are delivered after the end, too`() async {
        let broadcast = Broadcast<Int>(storing: 2)
        broadcast.send(1)
        broadcast.close()
        #expect(await all(broadcast.values(backlog: 8)) == [1])
        #expect(await all(broadcast.values(backlog: 8)).isEmpty)
    }

    @Test func `no value comes after the end`() async {
        let broadcast = Broadcast<Int>(remembers: true)
        broadcast.close()
        broadcast.send(1)
        broadcast.close()
        #expect(await all(broadcast.values(backlog: 1)).isEmpty)
        #expect(broadcast.latest == nil)
    }

    @Test func `several threads send in one order for all`() async throws {
        let broadcast = Broadcast<Int>(remembers: true)
        let streams = (0..<3).map { _ in broadcast.values(backlog: 4000) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    try await BlockingThread.run(BlockingThread.StartError.init) {
                        () throws(BlockingThread.StartError) in
                        for value in 0..<1000 { broadcast.send(thread * 1000 + value) }
                    }
                }
            }
            try await group.waitForAll()
        }
        broadcast.close()
        let first = await all(streams[0])
        #expect(Set(first).count == 4000)
        #expect(first.last == broadcast.latest)
        for stream in streams.dropFirst() { #expect(await all(stream) == first) }
    }

    /// The sender held the lock once while it resumed a task, and the canceller held the task and waited for the lock.
    @Test(.timeLimit(.minutes(5)))
    func `a listener that is cancelled during a value delays no other`() async {
        for _ in 0..<500 {
            let broadcast = Broadcast<Int>()
            let (starts, started) = AsyncStream.makeStream(of: Void.self)
            let listeners = (0..<4).map { _ in
                Task {
                    let values = broadcast.values(backlog: 4)
                    started.yield()
                    for await _ in values {}
                }
            }
            for await _ in starts where broadcast.count == listeners.count { break }
            async let sent: Void = { for value in 0..<20 { broadcast.send(value) } }()
            for listener in listeners { listener.cancel() }
            await sent
            for listener in listeners { await listener.value }
            #expect(broadcast.count == 0)
        }
    }
}
