import House
import Events
import Automation
import IBeacon
import Logging
import MQTT
import OkaeriConfiguration
import Presence
import RegionMonitoring
import WiFi

extension Daemon {
    /// The connection to the broker of the configuration; without one nothing of MQTT runs.
    static func broker(
        _ configuration: Configuration, options: Options, hub: EventHub, answered: PromptAnswers, logger: Logger
    ) throws -> BrokerSupervisor {
        try BrokerSupervisor(
            configuration,
            settings: { configuration in
                configuration.mqtt.map { mqtt in
                    .init(
                        node: BrokerSettings(
                            node: options.name(in: configuration), room: configuration.node.room,
                            offset: configuration.node.offset, site: mqtt.site, discovery: mqtt.discovery,
                            version: options.version), broker: mqtt.broker)
                }
            },
            make: { settings, regions throws(MQTTClient.StartError) in
                try Broker(
                    settings.node, broker: settings.broker, regions: regions, events: hub.events(backlog: .max),
                    outputs: .init(
                        happened: { hub.happened($0, at: $1) }, answered: { answered.give($0, $1) },
                        noted: { logger.warning("\($0)") }))
            }, logger: logger)
    }
}

extension Daemon.Options {
    /// This machine's name in a house.
    func name(in configuration: Configuration) -> String { configuration.node.name ?? node }
}

extension BrokerSupervisor {
    /// Receives the receptions of the regions' beacons.
    var listener: @Sendable (String, BeaconSighting) -> Void {
        { [self] region, sighting in
            guard let broker = current, let rssi = sighting.rssi else { return }
            broker.heard(region, from: UInt64(truncatingIfNeeded: sighting.identity.hashValue), rssi: rssi)
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
            asked(Event.WiFi(id: prompt.id, ssid: prompt.ssid, region: prompt.regions.first))
        }
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
