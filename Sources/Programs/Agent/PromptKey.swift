import WiFi

/// The identity of a prompt, also over a restart of the daemon, which counts anew.
struct PromptKey: Sendable, Hashable, Comparable {
    let id: String
    let ssid: String
    let arrival: Int

    static func < (first: PromptKey, second: PromptKey) -> Bool {
        (first.arrival, first.id, first.ssid) < (second.arrival, second.id, second.ssid)
    }
}

extension PromptKey {
    init(_ prompt: Prompt) {
        self.init(id: prompt.id, ssid: prompt.ssid, arrival: prompt.arrival)
    }
}
