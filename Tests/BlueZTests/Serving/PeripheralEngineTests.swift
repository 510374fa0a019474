import Foundation
import OkaeriDBus
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import BlueZ

extension OnTheBus {
    /// Requests of several threads to the work of a peripheral, which does not run.
    @Suite struct PeripheralEngineTests {
        private let engine = PeripheralEngine(adapter: nil, bus: nil, fallback: nil)
        private let level = MutableCharacteristic(BluetoothUUID(0x2A19), properties: [.read, .notify], value: [1])

        /// Fills the queue with values for the one subscriber. Returns when no further value has room.
        private func fillQueue() async throws -> (daemon: BusDaemon, bus: Bus) {
            let daemon = try BusDaemon()
            let bus = try await Bus.connect(address: daemon.address)
            let service = MutableService(BluetoothUUID(0x180F), characteristics: [level])
            engine.serve((GATTApplication([service], at: "/okaeri/application1") { _ in }, bus))
            engine.report(.subscribed(level.id))
            for _ in 0..<UpdateQueue.capacity { #expect(engine.updateValue([1], for: level.id) == .queued) }
            #expect(engine.updateValue([1], for: level.id) == .queueFull)
            return (daemon, bus)
        }

        @Test func `waiting values end with their subscription, and leave room`() async throws {
            for isReported in [false, true] {
                let (daemon, bus) = try await fillQueue()
                var events = engine.events.values(backlog: 8).makeAsyncIterator()
                if isReported { engine.report(.unsubscribed(level.id)) } else { engine.endSubscriptions() }
                engine.report(.subscribed(level.id))
                #expect(engine.updateValue([2], for: level.id) == .queued)
                engine.endSubscriptions()
                engine.events.send(.didFail(reason: "the end"))
                var received: [PeripheralManager.Event] = []
                while let event = await events.next(), event != .didFail(reason: "the end") { received.append(event) }
                #expect(
                    received.suffix(4) == [
                        .didUnsubscribe(level.id), .isReadyToUpdateSubscribers, .didSubscribe(level.id),
                        .didUnsubscribe(level.id),
                    ])
                await bus.close()
                withExtendedLifetime(daemon) {}
            }
        }

        @Test func `a change of the subscriptions is not seen before the place of its event is certain`() {
            let (engine, id) = (engine, level.id)
            let (holding, release, isHeld) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), Watched(true))
            let ended = DispatchSemaphore(value: 0)
            let stored = PeripheralManager.Event.didFail(reason: "stored")
            engine.events.send(stored)
            Thread.detachNewThread {
                // The stored event is delivered under the lock, which keeps out each further event.
                let (_, continuation) = AsyncStream.makeStream(of: Void.self)
                engine.events.feed(continuation) { event in
                    guard event == stored else { return }
                    holding.signal()
                    _ = release.wait(timeout: .now() + .milliseconds(400))
                    isHeld.change { $0 = false }
                }
            }
            holding.wait()
            Thread.detachNewThread {
                engine.report(.subscribed(id))
                ended.signal()
            }
            // Waits for the lock that the reporting thread holds, once it holds it.
            while engine.lastSubscription == 0 { sched_yield() }
            let isSeenEarly = isHeld.value
            release.signal()
            #expect(!isSeenEarly)
            ended.wait()
        }

        @Test func `a request that arrives while the manager is stopped is refused`() async {
            let (engine, isHeld, answered) = (engine, Watched(false), DispatchSemaphore(value: 0))
            async let error: PeripheralError? = Task.detached {
                try? await isHeld.wait(until: "the services are being changed") { $0 }
                defer { answered.signal() }
                do throws(PeripheralError) {
                    try engine.update { $0.advertise(nil) }
                    return nil
                } catch {
                    return error
                }
            }.value
            // The request waits for the lock, which is held for longer than its beginning takes.
            engine.withdraw { _ in
                isHeld.change { $0 = true }
                _ = answered.wait(timeout: .now() + .milliseconds(200))
                engine.stop()
            }
            #expect(await error == .stopped)
        }
    }
}
