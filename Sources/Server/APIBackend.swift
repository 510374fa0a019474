package import API
package import Events

/// What is asked of the daemon, and what it is told to do: the one way in, from whatever door.
package protocol APIBackend: Sendable {
    var status: StatusReport { get async }
    var regions: [RegionReport] { get async }
    var beacons: [BeaconReport] { get async }
    var prompts: PromptsReport { get async }

    /// What is known of the events after one, and those that come: ``Events/EventHub/events(after:)``.
    func events(after sequence: UInt64?) -> (missed: [Event], events: AsyncStream<Event>)

    /// The number of the latest event.
    var latestEvent: UInt64 { get }

    /// Answers a prompt.
    func answer(prompt id: String, _ answer: String) async throws(AnswerFailure)

    /// Takes `never` back for a network. Returns whether there was one.
    func clearNever(ssid: String) async -> Bool
}

/// Why an answer counts for nothing.
package enum AnswerFailure: Error, Sendable, Equatable {
    /// It is no answer; these are.
    case noAnswer(words: [String])
    /// Nobody asked that.
    case noSuchPrompt(sentence: String)
    /// It was answered or withdrawn before.
    case closed(sentence: String)
}
