import MQTT
import Plumbing

/// Prints the messages of a broker, a line each: the time on the monotonic clock in seconds, the topic, the payload. Of what is
/// retained only the broker's messages about itself.
enum Observer {
    static func run(port: UInt16) async throws {
        let settings = MQTTSettings(broker: .init(host: "127.0.0.1", port: port), clientID: "observer")
        let client = try MQTTClient(settings) { message in
            guard !message.isRetained || message.topic.hasPrefix("$SYS") else { return }
            let payload = String(decoding: message.payload, as: UTF8.self)
            SiteBenchmark.say(
                "\(Double(KernelClock.monotonic) / 1e9) \(message.topic.replacing(" ", with: "_")) \(payload)")
        }
        client.subscribe("$SYS/broker/#")
        client.subscribe("okaeri/site/node/+/status")
        client.subscribe("okaeri/site/region/+/event")
        try await client.run()
    }
}
