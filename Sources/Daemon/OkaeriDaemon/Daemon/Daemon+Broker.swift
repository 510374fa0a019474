import House
import Events
import Automation
import IBeacon
import Logging
package import OkaeriConfiguration
import RegionMonitoring
import ServiceLifecycle
import WiFi

extension Daemon {
    /// The broker of the configuration; nil where there is none: nothing of it runs then.
    static func broker(
        _ configuration: Configuration, options: Options, hub: EventHub, answered: PromptAnswers, logger: Logger
    ) throws -> Broker? {
        guard let mqtt = configuration.mqtt else { return nil }
        let settings = BrokerSettings(
            node: options.node, room: configuration.node.room, offset: configuration.node.offset, site: mqtt.site,
            discovery: mqtt.discovery, version: options.version)
        return try Broker(
            settings, broker: mqtt.broker,
            regions: configuration.regions.map { BrokerRegion($0.monitored.region) },
            events: hub.events(backlog: .max),
            outputs: .init(
                happened: { hub.happened($0, at: $1) }, answered: { answered.give($0, $1) },
                noted: { logger.warning("\($0)") }))
    }
}

extension Broker {
    /// Is given what is heard of the regions' beacons.
    var listener: @Sendable (String, BeaconSighting) -> Void {
        { [self] region, sighting in
            guard let rssi = sighting.rssi else { return }
            heard(region, from: UInt64(truncatingIfNeeded: sighting.identity.hashValue), rssi: rssi)
        }
    }
}

extension Broker: Configured {
    /// The broker itself takes effect at the next start.
    package func configured(_ configuration: Configuration) {
        configured(configuration.regions.map { BrokerRegion($0.monitored.region) })
    }
}
