import BlueZ
package import Logging
package import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriPlumbing
import ServiceLifecycle

/// Keeps a peripheral connected for each service that the configuration names, and reports its connections and
/// disconnections.
///
/// Without such a rule nothing is asked of bluetoothd, and no bus is opened.
package actor ServiceWatch: ServiceLifecycle.Service {
    private struct Settings: Equatable {
        var rules: [Configuration.ServiceRule]
        /// Such as `hci0`; `nil`: the first that has power.
        var adapter: String?
    }

    private var settings: Settings
    private let bus: String?
    private let hub: EventHub
    private let now: @Sendable () -> Int64
    private let logger: Logger

    /// The connected peripherals, by the label of the rule.
    private var connected: [String: PeripheralsMemory.Peripheral] = [:]

    /// The last reported failure to connect, by the label of the rule, until its peripheral is connected.
    private var failures: [String: String] = [:]

    private let restarter = ChildRestarter<Settings>()

    /// - Parameters:
    ///   - adapter: such as `hci0`; nil: the first that has power.
    ///   - bus: the bus that bluetoothd is on; nil: the system's.
    ///   - now: the time that events of ours are stamped with.
    package init(
        rules: [Configuration.ServiceRule], adapter: String?, bus: String? = nil, hub: EventHub,
        now: @escaping @Sendable () -> Int64, logger: Logger
    ) {
        settings = Settings(rules: rules, adapter: adapter)
        self.bus = bus
        self.hub = hub
        self.now = now
        self.logger = logger
    }

    /// The rules with their connected peripherals; `nil` if there are no rules.
    package var reports: [ServiceReport]? {
        guard !settings.rules.isEmpty else { return nil }
        return settings.rules.map { rule in
            let peripheral = connected[rule.label]
            return ServiceReport(
                identifier: rule.identifier, service: rule.service.description, connected: peripheral != nil,
                address: peripheral?.address, name: peripheral?.name, reason: failures[rule.label])
        }
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await self.restarter.run(wanted: { await self.settings }) { await self.work(by: $0) }
        }
    }

    private nonisolated func work(by settings: Settings) async {
        let released = await unruled(by: settings)
        await begin()
        // Without a rule nothing is asked of bluetoothd.
        guard !settings.rules.isEmpty || !released.isEmpty else { return }
        await withCentralManager(adapter: settings.adapter, bus: bus) { central in
            for peripheral in released { await release(peripheral, by: central) }
            await withDiscardingTaskGroup { group in
                group.addTask { await self.logStates(of: central) }
                for rule in settings.rules { group.addTask { await self.keep(rule, by: central) } }
            }
        }
    }

    /// The settings may have changed the adapter or the rules: each attempt to connect is a first one.
    private func begin() { failures = [:] }

    /// Returns the peripherals without a rule.
    private func unruled(by settings: Settings) -> [PeripheralsMemory.Peripheral] {
        connected.values.filter { peripheral in !settings.rules.contains { $0.label == peripheral.rule } }
    }

    /// Its rule is gone: the connection is not needed any more.
    private func release(_ peripheral: PeripheralsMemory.Peripheral, by central: CentralManager) async {
        _ = try? await central.knownPeripherals()
        try? await central.cancelPeripheralConnection(peripheral.address)
        // After an interruption the next settings release it.
        if !Task.isCancelled, connected[peripheral.rule] == peripheral { connected[peripheral.rule] = nil }
    }

    private func keep(_ rule: Configuration.ServiceRule, by central: CentralManager) async {
        let remembered = connected[rule.label].map {
            CentralManager.Remembered(address: $0.address, name: $0.name)
        }
        for await event in central.connections(to: .service(rule.service), remembered: remembered) {
            switch event {
            case .didConnect(let address, let name):
                failures[rule.label] = nil
                connected[rule.label] = PeripheralsMemory.Peripheral(
                    rule: rule.label, service: rule.service.description, address: address, name: name)
                publish(.peripheralDidConnect(.init(rule, address: address, name: name)))
            case .didDisconnect(let address, let name, let reason):
                connected[rule.label] = nil
                publish(
                    .peripheralDidDisconnect(
                        .init(rule, address: address, name: name), reason: reason?.description))
            case .didFailToConnect(let address, let name, let reason):
                failures[rule.label] = reason.description
                publish(
                    .peripheralDidFailToConnect(
                        .init(rule, address: address, name: name), reason: reason.description))
            }
        }
    }

    private func publish(_ kind: Event.Kind) {
        hub.happened(kind, at: now())
    }

    /// Logs why the services wait, and the end of the wait.
    private func logStates(of central: CentralManager) async {
        var isWaiting = false
        for await state in central.states {
            switch state {
            case .unknown: break
            case .resetting, .unsupported, .unauthorized, .poweredOff:
                isWaiting = true
                logger.warning("no service is connected: \(central.obstacle?.description ?? state.rawValue)")
            case .poweredOn:
                if isWaiting { logger.notice("services are connected again") }
                isWaiting = false
            }
        }
    }
}

extension ServiceWatch: Configured {
    package func configured(_ configuration: Configuration) {
        settings = Settings(rules: configuration.services, adapter: configuration.adapter)
        restarter.settingsDidChange()
    }
}

extension ServiceWatch: Persistable {
    package var memory: PeripheralsMemory {
        PeripheralsMemory(connected.values.sorted { $0.rule < $1.rule })
    }

    package func restore(_ memory: PeripheralsMemory, from past: PersistedPast) {
        guard !past.isStale else { return }
        for peripheral in memory.peripherals ?? [] {
            guard
                settings.rules.contains(where: {
                    $0.label == peripheral.rule && $0.service.description == peripheral.service
                })
            else { continue }
            connected[peripheral.rule] = peripheral
        }
    }
}

extension Event.Peripheral {
    fileprivate init(_ rule: Configuration.ServiceRule, address: String, name: String?) {
        self.init(identifier: rule.identifier, service: rule.service.description, address: address, name: name)
    }
}

/// The peripherals that are connected because of a service, as they are kept.
package struct PeripheralsMemory: PersistedMemory {
    package struct Peripheral: Codable, Equatable, Sendable {
        /// The label of the rule, and the service.
        package var rule: String
        package var service: String
        package var address: String
        package var name: String?
    }

    /// `nil` if none is connected, as in files of versions without this key.
    package var peripherals: [Peripheral]?

    package var isOccupied: Bool { peripherals != nil }

    package init(_ connected: [Peripheral]) {
        peripherals = connected.isEmpty ? nil : connected
    }
}
