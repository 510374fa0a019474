import OkaeriEvents
import OkaeriMQTT

/// The Wi-Fi prompt of this node at the broker.
struct WiFiPromptTopic: Sendable {
    private let topics: Topics
    private let node: String
    /// The prompt that waits for an answer.
    private var prompt: Event.WiFi?

    init(_ topics: Topics, node: String) { (self.topics, self.node) = (topics, node) }

    /// The identifier of the prompt that waits.
    var id: String? { prompt?.id }

    /// The prompt that waits, or nulls.
    var value: MQTTPublication {
        let fields = [
            Wire.text("id", prompt?.id), Wire.text("ssid", prompt?.ssid), Wire.text("region", prompt?.region),
            Wire.text("situation", prompt?.situationName),
        ]
        return .value(topics.prompt(node), fields.json.utf8)
    }

    /// Handles a new prompt.
    mutating func asked(_ wifi: Event.WiFi) -> [BrokerCore.Output] {
        guard wifi.id != nil else { return [] }
        prompt = wifi
        return [.publish(value), event("asked", wifi)]
    }

    /// Handles the end of a prompt: an answer, a withdrawal, or a join that made it superfluous.
    mutating func ended(_ wifi: Event.WiFi, wasAnswered: Bool) -> [BrokerCore.Output] {
        guard let prompt, prompt.id == wifi.id, wifi.id != nil else { return [] }
        self.prompt = nil
        return [.publish(value), event(wasAnswered ? "answered" : "withdrawn", prompt)]
    }

    private func event(_ type: String, _ prompt: Event.WiFi) -> BrokerCore.Output {
        let fields =
            EventField.text("event_type", type) + EventField.text("id", prompt.id)
            + EventField.text("ssid", prompt.ssid)
            + EventField.text("situation", prompt.situationName)
        return .publish(.event(topics.promptEvent(node), fields.json.utf8))
    }

    /// Handles an answer from the broker. A button sends none of a prompt's numbers; a retained answer is for an earlier prompt.
    func answered(_ message: MQTTMessage) -> [BrokerCore.Output] {
        struct Members: Decodable {
            var id: String?
            var answer: String

            private enum CodingKeys: String, CodingKey { case id, answer }

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: CodingKeys.self)
                answer = try members.decode(String.self, forKey: .answer)
                // Home Assistant's templates turn digits into a number.
                id =
                    try (try? members.decodeIfPresent(Int.self, forKey: .id)).flatMap { $0 }.map { "\($0)" }
                    ?? members.decodeIfPresent(String.self, forKey: .id)
            }
        }
        guard !message.isRetained, let id = prompt?.id, let members = Wire.decode(Members.self, message.payload),
            members.id == nil || members.id == id
        else { return [] }
        return [.answer(prompt: id, answer: members.answer)]
    }
}
