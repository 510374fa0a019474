/// The prompts of a network of the configuration, and the cool-down that delays its next one.
package struct NetworkPromptsReport: Codable, Sendable, Equatable {
    package var ssid: String
    /// The number of prompts in this run of the daemon.
    package var prompts: Int
    /// The time until which no prompt comes, RFC 3339; `nil` if nothing delays one, or this machine is connected to the network.
    package var coolDownUntil: String?
    /// The reason for that: `recentOffer`, `failure`, `lostConnection` or `restart`.
    package var coolDownCode: String?
    /// The same as a sentence.
    package var coolDownReason: String?

    package init(ssid: String, prompts: Int) {
        (self.ssid, self.prompts) = (ssid, prompts)
    }

    /// The line of `okaeri status`.
    var line: String {
        let count = prompts == 1 ? "1 prompt" : "\(prompts) prompts"
        let start = "\"\(ssid)\": \(prompts == 0 ? "no prompt" : count) since the start"
        guard let coolDownUntil, let coolDownReason else { return start }
        return "\(start); none until \(LocalTime.text(stamp: coolDownUntil)), because \(coolDownReason)"
    }
}
