import Events
import MQTT

/// The Wi-Fi prompts of this node.
extension BrokerCore {
    /// The prompt that waits, or nulls.
    var promptValue: MQTTPublication {
        let fields = [
            Wire.text("id", prompt?.id), Wire.text("ssid", prompt?.ssid), Wire.text("region", prompt?.region),
        ]
        return .value(topics.prompt(node), fields.json.utf8)
    }

    /// Handles a new prompt.
    mutating func asked(_ wifi: Event.WiFi) -> [Output] {
        guard let id = wifi.id else { return [] }
        prompt = (id, wifi.ssid, wifi.region)
        return [.publish(promptValue), event("asked", id, wifi.ssid)]
    }

    /// Handles the answer to a prompt, or a join that made it superfluous.
    mutating func ended(_ wifi: Event.WiFi, wasAnswered: Bool) -> [Output] {
        wifi.id.map { ended($0, wasAnswered ? "answered" : "withdrawn") } ?? []
    }

    /// Handles the end of a prompt without an answer.
    mutating func withdrawn(_ id: String) -> [Output] { ended(id, "withdrawn") }

    private mutating func ended(_ id: String, _ type: String) -> [Output] {
        guard let prompt, prompt.id == id else { return [] }
        self.prompt = nil
        return [.publish(promptValue), event(type, id, prompt.ssid)]
    }

    private func event(_ type: String, _ id: String, _ ssid: String) -> Output {
        let fields = [
            EventField("event_type", .text(type)), EventField("id", .text(id)), EventField("ssid", .text(ssid)),
        ]
        return .publish(.event(topics.promptEvent(node), fields.json.utf8))
    }

    /// Handles an answer from the broker. A button sends none of a prompt's numbers; a retained answer is for an earlier prompt.
    func answered(_ message: MQTTMessage) -> [Output] {
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
        guard !message.isRetained, let prompt, let members = Wire.decode(Members.self, message.payload),
            members.id == nil || members.id == prompt.id
        else { return [] }
        return [.answer(prompt: prompt.id, answer: members.answer)]
    }
}
