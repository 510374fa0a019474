import Events

/// The identity of a prompt, also over a restart of the daemon, which counts anew.
struct PromptKey: Sendable, Hashable, Comparable {
    /// The answers to a prompt.
    static let answers = ["join", "later", "never"]

    let id: String
    let ssid: String
    let arrival: Int

    init(id: String, ssid: String, arrival: Int) {
        self.id = id
        self.ssid = ssid
        self.arrival = arrival
    }

    init(_ prompt: PromptReport) {
        self.init(id: prompt.id, ssid: prompt.ssid, arrival: prompt.arrival)
    }

    static func < (first: PromptKey, second: PromptKey) -> Bool {
        (first.arrival, first.id, first.ssid) < (second.arrival, second.id, second.ssid)
    }
}
