import WiFi

/// The identity of a prompt, also over a restart of the daemon, which counts anew.
struct PromptKey: Sendable, Hashable, Comparable {
    let id: String
    let ssid: String
    let arrival: Int
    let situation: PromptSituation?

    init(id: String, ssid: String, arrival: Int, situation: PromptSituation? = nil) {
        (self.id, self.ssid, self.arrival, self.situation) = (id, ssid, arrival, situation)
    }

    static func < (first: PromptKey, second: PromptKey) -> Bool {
        (first.arrival, first.id, first.ssid) < (second.arrival, second.id, second.ssid)
    }
}

extension PromptKey {
    init(_ prompt: Prompt) {
        self.init(id: prompt.id, ssid: prompt.ssid, arrival: prompt.arrival, situation: prompt.situation)
    }
}
