import Events
import HomeAssistant
import MQTT

/// The Wi-Fi prompts of this node.
extension BrokerCore {
    /// What is asked now.
    var promptValue: MQTTPublication {
        let fields = [
            Wire.text("id", prompt?.id), Wire.text("ssid", prompt?.ssid), Wire.text("region", prompt?.region),
        ]
        return .value(topics.prompt(node), fields.json.utf8)
    }

    /// A prompt began.
    mutating func asked(_ wifi: Event.WiFi) -> [Output] {
        guard let id = wifi.id else { return [] }
        prompt = (id, wifi.ssid, wifi.region)
        return [.publish(promptValue), event("asked", id, wifi.ssid)]
    }

    /// A prompt was answered, or what it asks for happened without an answer.
    mutating func ended(_ wifi: Event.WiFi, wasAnswered: Bool) -> [Output] {
        guard let id = wifi.id, prompt?.id == id else { return [] }
        prompt = nil
        return [.publish(promptValue), event(wasAnswered ? "answered" : "withdrawn", id, wifi.ssid)]
    }

    /// A prompt is not asked any more.
    mutating func withdrawn(_ id: String) -> [Output] {
        guard let prompt, prompt.id == id else { return [] }
        self.prompt = nil
        return [.publish(promptValue), event("withdrawn", id, prompt.ssid)]
    }

    private func event(_ type: String, _ id: String, _ ssid: String) -> Output {
        let fields = [
            EventField("event_type", .text(type)), EventField("id", .text(id)), EventField("ssid", .text(ssid)),
        ]
        return .publish(.event(topics.promptEvent(node), fields.json.utf8))
    }

    /// Somebody answers: by a button, which knows no number, or exactly. Whatever is old, or meant for another prompt, is
    /// for nobody.
    func answered(_ message: MQTTMessage) -> [Output] {
        struct Members: Decodable {
            var id: String?
            var answer: String

            private enum CodingKeys: String, CodingKey { case id, answer }

            init(from decoder: any Decoder) throws {
                let members = try decoder.container(keyedBy: CodingKeys.self)
                answer = try members.decode(String.self, forKey: .answer)
                // A template may make a number of it.
                id =
                    try (try? members.decodeIfPresent(Int.self, forKey: .id)).flatMap { $0 }.map { "\($0)" }
                    ?? members.decodeIfPresent(String.self, forKey: .id)
            }
        }
        guard !message.isRetained, let prompt, let members = Wire.decode(Members.self, message.payload),
            members.id == nil || members.id == prompt.id
        else { return [] }
        return [.answer(prompt: prompt.id, word: members.answer)]
    }
}
