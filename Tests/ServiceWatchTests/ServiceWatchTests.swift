import BlueZ
import OkaeriPlumbing
import OkaeriTestSupport
import Testing

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents

/// The daemon's work by its rules for services, against a simulated bluetoothd.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServiceWatchTests: Sendable {
    private let bench: BlueZBench
    private let hub = EventHub()

    private let address = Lamp.address
    private let rule = Configuration.ServiceRule(identifier: "lamp", service: BluetoothUUID(0x180F))
    private let kept = PeripheralsMemory.Peripheral(
        rule: "lamp", service: "180F", address: Lamp.address, name: "lamp")

    init() async throws {
        bench = try await BlueZBench()
        try bench.start()
        try bench.lamp()
    }

    private func watch(_ rules: [Configuration.ServiceRule]) -> ServiceWatch {
        ServiceWatch(
            rules: rules, adapter: nil, bus: bench.address, hub: hub, now: { 0 },
            logger: quiet)
    }

    private func configuration(_ rules: [Configuration.ServiceRule]) -> Configuration {
        var configuration = Configuration(regions: [])
        configuration.services = rules
        return configuration
    }

    /// Runs a watch for as long as `body` takes.
    private func run(_ watch: ServiceWatch, _ body: () async throws -> Void) async throws {
        try await running({ try await watch.run() }, body)
    }

    @Test func `it reports connections and disconnections, and remembers the connected peripheral`() async throws {
        var events = hub.events().makeAsyncIterator()
        let watch = watch([rule])
        let expected = Event.Peripheral(
            identifier: "lamp", service: "180F", address: address, name: "lamp")
        try await run(watch) {
            #expect(await events.next()?.kind == .peripheralDidConnect(expected))
            #expect(await watch.memory == PeripheralsMemory([kept]))
            let report = ServiceReport(
                identifier: "lamp", service: "180F", connected: true, address: address, name: "lamp")
            #expect(await watch.reports == [report])
            try bench.perform("silence", ["address": address])
            #expect(await events.next()?.kind == .peripheralDidDisconnect(expected, reason: nil))
            #expect(await watch.memory == PeripheralsMemory([]))
            #expect(await watch.reports == [.init(identifier: "lamp", service: "180F", connected: false)])
        }
    }

    @Test
    func `a peripheral that is still connected after a restart is not reported again, one that went meanwhile is`()
        async throws
    {
        var events = hub.events().makeAsyncIterator()
        try await run(watch([rule])) { _ = await events.next() }
        let asked = try bench.count(of: "GetManagedObjects")
        let second = watch([rule])
        await second.restore(PeripheralsMemory([kept]), from: PersistedPast(age: nil, isStale: false))
        try await run(second) {
            try await bench.wait { try $0.count(of: "GetManagedObjects") == asked + 1 }
            try bench.perform("silence", ["address": address])
            #expect(await events.next()?.kind.name.rawValue == "peripheralDidDisconnect")
        }
        let third = watch([rule])
        await third.restore(PeripheralsMemory([kept]), from: PersistedPast(age: nil, isStale: false))
        try await run(third) { #expect(await events.next()?.kind.name.rawValue == "peripheralDidDisconnect") }
    }

    @Test func `without a rule bluetoothd is not used, and a rule that comes is followed`() async throws {
        var events = hub.events().makeAsyncIterator()
        let watch = watch([])
        await watch.restore(PeripheralsMemory([kept]), from: PersistedPast(age: nil, isStale: false))
        #expect(await watch.memory == PeripheralsMemory([]), "its rule is gone")
        try await run(watch) {
            let asked = try bench.calls
            #expect(asked.isEmpty)
            await watch.configured(configuration([rule]))
            #expect(await events.next()?.kind.name.rawValue == "peripheralDidConnect")
        }
    }

    @Test func `a rule that goes lets its peripheral go`() async throws {
        var events = hub.events().makeAsyncIterator()
        let watch = watch([rule])
        try await run(watch) {
            _ = await events.next()
            await watch.configured(configuration([]))
            try await eventually("the peripheral is forgotten") { await watch.memory == PeripheralsMemory([]) }
        }
        #expect(try bench.count(of: "Disconnect") == 1)
    }

    @Test func `a peripheral that cannot be connected is reported once with its reason, until it is connected`()
        async throws
    {
        try bench.perform(
            "behave",
            ["method": "Connect", "error": "org.bluez.Error.Failed", "message": "le-connection-abort", "times": 6])
        var events = hub.events().makeAsyncIterator()
        let watch = watch([rule])
        let expected = Event.Peripheral(identifier: "lamp", service: "180F", address: address, name: "lamp")
        try await run(watch) {
            guard case .peripheralDidFailToConnect(expected, let reason) = await events.next()?.kind else {
                Issue.record("the failure is not the first event")
                return
            }
            #expect(reason.contains("le-connection-abort"))
            #expect(
                await watch.reports == [
                    .init(identifier: "lamp", service: "180F", connected: false, reason: reason)
                ])
            #expect(await events.next()?.kind == .peripheralDidConnect(expected))
            #expect(await watch.reports?.first?.reason == nil)
        }
    }
}
