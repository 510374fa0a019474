import Foundation
import HCI
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriEvents
@testable import OkaeriSystemd

/// The notifications of the service manager.
@Suite struct SupervisionTests {
    private let home = Event(time: evening, kind: .didStartMonitoring(region: "home"))
    private let adapter = Event(
        time: evening, kind: .bluetoothStateDidUpdate(.init(state: .poweredOn, adapter: "hci0", reason: "hci0 answers"))
    )

    @Test func `the sentence names the regions and the adapter, and no region's state`() {
        var sentence = StatusSentence()
        func happened(_ kind: Event.Kind) { sentence.happened(Event(time: evening, kind: kind)) }
        happened(adapter.kind)
        #expect(sentence.text == "Bluetooth hci0 listening")
        happened(.didStartMonitoring(region: "office"))
        happened(.didDetermineState(region: "office", .unknown))
        #expect(sentence.text == "watching 1 region; Bluetooth hci0 listening")
        happened(home.kind)
        let text = "watching 2 regions; Bluetooth hci0 listening"
        #expect(sentence.text == text)
        for state in RegionState.allCases { happened(.didDetermineState(region: "home", state)) }
        happened(.didExitRegion(region: "home"))
        happened(.wifiJoined(.init(id: nil, ssid: "HomeNet", region: "home"), device: "wlan0"))
        #expect(sentence.text == text, "whatever regions are entered and left")
        happened(.bluetoothStateDidUpdate(.init(state: .poweredOff, adapter: "hci0", reason: "hci0 is switched off")))
        sentence.keep(["office"])
        // The last news of a region that is monitored no longer.
        happened(.didDetermineState(region: "home", .unknown))
        #expect(sentence.text == "watching 1 region; Bluetooth poweredOff: hci0 is switched off")
    }

    /// A supervision that has begun, and the receiving end.
    private func supervision(
        watchdog: String? = nil, isAlive: @escaping @Sendable () async -> Bool = { true }
    ) throws -> (DatagramReceiver, Supervision, AsyncStream<Event>.Continuation) {
        let systemd = try #require(DatagramReceiver())
        var environment = ["NOTIFY_SOCKET": systemd.address]
        environment["WATCHDOG_USEC"] = watchdog
        let manager = try #require(ServiceManager(environment: environment))
        let (events, continuation) = AsyncStream.makeStream(of: Event.self)
        return (systemd, Supervision(manager, events: events, isAlive: isAlive), continuation)
    }

    @Test(.timeLimit(.minutes(5)))
    func `readiness is notified once, as soon as the adapter is known`() async throws {
        let (systemd, supervision, events) = try supervision()
        let task = Task { try await supervision.run() }
        events.yield(Event(time: evening, kind: .didStartMonitoring(region: "home")))
        events.yield(adapter)
        // The status does not even change.
        events.yield(Event(time: evening, kind: .didDetermineState(region: "home", .inside)))
        events.yield(Event(time: evening, kind: .didStartMonitoring(region: "office")))
        #expect(await systemd.text() == "STATUS=watching 1 region; Bluetooth not asked yet")
        #expect(await systemd.text() == "READY=1\nSTATUS=watching 1 region; Bluetooth hci0 listening")
        #expect(await systemd.text() == "STATUS=watching 2 regions; Bluetooth hci0 listening")
        task.cancel()
        _ = await task.result
        #expect(systemd.nextText() == "STOPPING=1")
        #expect(systemd.nextText() == nil)
    }

    @Test(.timeLimit(.minutes(5)))
    func `waiting for an adapter is ready, too`() async throws {
        let (systemd, supervision, events) = try supervision()
        let task = Task { try await supervision.run() }
        let none = Event.Kind.bluetoothStateDidUpdate(.init(state: .unsupported, adapter: nil, reason: "there is none"))
        events.yield(Event(time: evening, kind: none))
        #expect(await systemd.text() == "READY=1\nSTATUS=Bluetooth unsupported: there is none")
        task.cancel()
    }

    @Test func `between reloading and ready nothing else is reported as ready`() throws {
        let (systemd, supervision, _) = try supervision()
        supervision.reloading()
        #expect(systemd.nextText() == nil, "it has not started yet")
        supervision.sourceEnded("the capture has ended", isFault: false)
        #expect(systemd.nextText()?.hasPrefix("READY=1\nSTATUS=") == true)
        supervision.reloading()
        #expect(systemd.nextText()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
        supervision.sourceEnded("the capture has ended again", isFault: false)
        #expect(systemd.nextText()?.hasPrefix("STATUS=") == true)
        supervision.reloaded(nil)
        let refused = systemd.nextText()
        #expect(refused?.hasPrefix("READY=1\nSTATUS=") == true)
        #expect(refused?.contains("the old one stays in force") == true)
        supervision.reloading()
        supervision.reloaded(["home"])
        _ = systemd.nextText()
        #expect(systemd.nextText() == "READY=1\nSTATUS=Bluetooth not asked yet")
    }

    @Test(.timeLimit(.minutes(5)))
    func `the watchdog is petted while the loop turns, and not when it does not`() async throws {
        let (turning, supervised, _) = try supervision(watchdog: "2000")
        let first = Task { try await supervised.run() }
        #expect(await turning.text() == "WATCHDOG=1")
        #expect(await turning.text() == "WATCHDOG=1")
        first.cancel()

        let (asked, continuation) = AsyncStream.makeStream(of: Void.self)
        let (stuck, supervision, _) = try supervision(watchdog: "2000") {
            continuation.yield()
            // A loop that never turns, until it is given up.
            let (never, turns) = AsyncStream.makeStream(of: Void.self)
            for await _ in never {}
            return withExtendedLifetime(turns) { false }
        }
        let second = Task { try await supervision.run() }
        for await _ in asked { break }
        second.cancel()
        _ = await second.result
        #expect(stuck.nextText() == "STOPPING=1")
        #expect(stuck.nextText() == nil)
    }
}
