import Broker
import Events
import Homecoming
import IBeacon
import Logging
import MQTT
package import OkaeriConfiguration
import RegionMonitoring
import ServiceLifecycle
import WiFi

extension Daemon {
    /// The broker of the configuration; nil where there is none: nothing of it runs then.
    static func broker(
        _ configuration: Configuration, options: Options, hub: EventHub, answered: Answers, logger: Logger
    ) throws -> Broker? {
        guard let mqtt = configuration.mqtt else { return nil }
        let settings = BrokerSettings(
            node: options.node, room: configuration.node.room, offset: configuration.node.offset, site: mqtt.site,
            discovery: mqtt.discovery, version: options.version)
        return try Broker(
            settings, broker: MQTTSettings.Broker(mqtt), regions: configuration.regions.map(\.identifier),
            events: hub.events(backlog: .max),
            outputs: .init(
                happened: { hub.happened($0, at: $1) }, answered: { answered.give($0, $1) },
                noted: { logger.warning("\($0)") }))
    }
}

/// Answers to prompts on their way from the broker's thread to the prompter.
final class Answers: Sendable {
    private let stream = AsyncStream.makeStream(
        of: (prompt: String, word: String).self, bufferingPolicy: .bufferingNewest(16))

    func give(_ prompt: String, _ word: String) { stream.continuation.yield((prompt, word)) }

    /// Gives them to the prompter, for as long as it lasts.
    func deliver(to homecoming: Homecoming, _ logger: Logger) async {
        for await (prompt, word) in stream.stream {
            guard let answer = PromptAnswer(rawValue: word) else {
                logger.warning("somebody answers a prompt over MQTT with a word that is none: join, later or never")
                continue
            }
            do throws(PromptAnswerError) {
                try await homecoming.answered(prompt, answer)
            } catch {
                logger.notice("\(error)")
            }
        }
    }
}

struct AnswersService: Service {
    let answers: Answers
    let homecoming: Homecoming
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown { await answers.deliver(to: homecoming, logger) }
        try await gracefulShutdown()
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

extension BrokerRanging {
    /// One for each of the beacon's regions.
    static func list(_ beacon: RegionMonitor.BeaconSnapshot) -> [BrokerRanging] {
        guard let rssi = beacon.rssi else { return [] }
        let accuracy = beacon.accuracy
        return beacon.regions.map {
            BrokerRanging(
                region: $0, rssi: Int(rssi), accuracy: accuracy < 0 ? nil : (accuracy * 100).rounded() / 100,
                proximity: Proximity(accuracy: accuracy).rawValue)
        }
    }
}

extension Broker: Configured {
    /// The broker itself takes effect at the next start.
    package func configured(_ configuration: Configuration) {
        configured(configuration.regions.map(\.identifier))
    }
}

extension MQTTSettings.Broker {
    init(_ mqtt: Configuration.MQTT) {
        self.init(
            host: mqtt.host, port: mqtt.port,
            tls: mqtt.tls.map { .init(authorities: $0.ca, certificate: $0.certificate, key: $0.key) },
            login: mqtt.username.map { .init(username: $0, passwordFile: mqtt.passwordFile) })
    }
}
