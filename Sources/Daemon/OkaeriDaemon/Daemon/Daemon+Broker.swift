import IBeacon
import Logging
import OkaeriAutomation
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHouse
import OkaeriListening
import OkaeriMQTT
import OkaeriPresence
import OkaeriServer
import OkaeriWiFi
import RegionMonitoring
import ServiceLifecycle

extension Daemon {
    /// The connection to the broker of the configuration; without one nothing of MQTT runs.
    static func broker(
        _ configuration: Configuration, options: Options, hub: EventHub, answered: PromptAnswers,
        restart: RestartService, definitions: HouseDefinitions, logger: Logger
    ) throws -> BrokerSupervisor {
        try BrokerSupervisor(
            configuration,
            settings: { configuration in
                configuration.mqtt.map { mqtt in
                    .init(
                        node: BrokerSettings(
                            node: options.name(in: configuration), room: configuration.node.room,
                            offset: configuration.node.offset, site: mqtt.site, kind: configuration.kind,
                            discovery: mqtt.discovery, version: options.version, restarts: options.restarts,
                            page: configuration.web.flatMap {
                                $0.isDirect ? PageAddresses.reachable($0.listen, hosts: $0.hosts) : nil
                            },
                            radios: mqtt.radios, receivers: configuration.receivers.map { ReceiverSettings($0) }),
                        broker: mqtt.broker)
                }
            },
            make: { settings, regions, remembered throws(MQTTClient.StartError) in
                try Broker(
                    settings.node, broker: settings.broker, regions: regions,
                    events: hub.eventsButRanging(backlog: .max),
                    outputs: .init(
                        happened: { hub.happened($0, at: $1) }, answered: { answered.give($0, $1) },
                        noted: { logger.warning("\($0)") }, recovered: { logger.notice("\($0)") },
                        restarted: { restart.request() },
                        defined: { definitions.received($0) }, remembered: remembered))
            }, logger: logger)
    }
}

extension Daemon {
    /// The engine of a hub, and the radio of a receiver.
    static func engine(_ driver: PresenceDriver, _ source: any PresenceSource) -> Broker.Engine {
        var engine = Broker.Engine()
        engine.started = { await driver.started() }
        engine.beacons = { driver.beacons(since: source.instant.advanced(by: .seconds(-6))) }
        engine.batteries = { driver.regionBatteries(at: source.instant).mapValues { BatteryReport($0, source) } }
        engine.levels = { driver.batteries.levels.filter { $0.source == .advertised } }
        engine.listened = {
            let now = source.instant
            return (now, driver.listened(at: now))
        }
        engine.share = { driver.listeningShare }
        engine.reported = { radio, report in
            if driver.received(report, byRadioNamed: radio, at: source.instant) { source.deadlineDidChange() }
        }
        // Without a radio, an exit may be due earlier.
        engine.takeOver = { states, begin in
            driver.announced(states, at: source.instant, begin: begin)
            source.deadlineDidChange()
        }
        engine.lost = { radio in
            driver.radioLost(named: radio, at: source.instant)
            source.deadlineDidChange()
        }
        engine.removed = { radio in
            driver.radioRemoved(named: radio, at: source.instant)
            source.deadlineDidChange()
        }
        engine.excluded = { isExcluded in
            driver.radiosRemoved(where: isExcluded, at: source.instant)
            source.deadlineDidChange()
        }
        return engine
    }
}

extension Daemon.Options {
    /// This machine's name in a house.
    func name(in configuration: Configuration) -> String { configuration.node.name ?? node }
}

extension BrokerSupervisor {
    /// Receives the receptions of the regions' beacons.
    func listener(_ names: RadioNames) -> @Sendable (String, BeaconSighting) -> Void {
        { [self] region, sighting in
            guard let broker = current, let rssi = sighting.rssi else { return }
            let identity = sighting.identity
            let beacon = identity.uuid.low ^ UInt64(identity.major) << 16 ^ UInt64(identity.minor)
            broker.heard(region, by: names[sighting.radio], from: beacon, rssi: rssi)
        }
    }
}

extension Broker {
    /// Handles the present states, which another broker received before.
    func takeOver(_ driver: PresenceDriver, _ prompts: [Prompt]) {
        // Under the driver's lock, so that a later state is not overwritten by an earlier one.
        driver.withStates { bluetooth, regions in
            bluetoothChanged(bluetooth)
            for region in regions { determined(region.region.identifier, region.state) }
        }
        for prompt in prompts {
            asked(
                Event.WiFi(
                    id: prompt.id, ssid: prompt.ssid, region: prompt.regions.first, situation: prompt.situation))
        }
    }
}

/// Ends the daemon so that its service manager starts it again.
package struct RestartRequested: Error {}

final class RestartService: Service {
    private let requests = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    func request() { requests.continuation.yield() }

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            for await _ in self.requests.stream { throw RestartRequested() }
        }
        try await gracefulShutdown()
    }
}

/// The name of this machine in events follows the configuration.
struct ConfiguredName: Configured {
    let hub: EventHub
    let options: Daemon.Options

    func configured(_ configuration: Configuration) {
        let name = options.name(in: configuration)
        if name != hub.node { hub.rename(name) }
    }
}

/// Requests about the house.
extension Daemon {
    /// `nil` without a house.
    var nodes: NodesReport? {
        get async {
            guard let broker = broker.current else { return nil }
            return NodesReport(
                node: hub.node, site: broker.site, connected: broker.state.isConnected,
                reason: broker.state.description, hub: broker.hub, nodes: broker.nodes,
                rejected: broker.rejected,
                regions: regions.compactMap { region in
                    region.house.map { .init(identifier: region.identifier, house: $0) }
                })
        }
    }

    /// Forgets a node that no longer exists.
    func forget(node: String) throws(ForgetFailure) {
        guard let broker = broker.current else { throw .noHouse }
        try broker.forget(node)
    }
}
