package import Events

/// What is asked of the daemon, and what it is told to do: the one way in, from whatever door.
package protocol APIBackend: Sendable {
    var status: StatusReport { get async }
    var regions: [RegionReport] { get async }

    /// Returns the beacons in the air that follow a position, by identity.
    ///
    /// - Parameters:
    ///   - position: the end of the part before; `nil` to begin with the first of all.
    ///   - limit: the maximum number of beacons.
    func beacons(after position: BeaconPart.Position?, limit: Int) async -> BeaconPart

    var prompts: PromptsReport { get async }

    /// What was counted since the start.
    var counts: DaemonCounts { get async }

    /// What happens.
    var hub: EventHub { get }

    /// Answers a prompt.
    func answer(prompt id: String, _ answer: String) async throws(AnswerFailure)

    /// Who is in the house; nil where there is none.
    var nodes: NodesReport? { get async }

    /// Forgets a node that is no more.
    func forget(node: String) async throws(ForgetFailure)

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

extension AnswerFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noAnswer(let words): "an answer is one of \(words.joined(separator: ", "))"
        case .noSuchPrompt(let sentence), .closed(let sentence): sentence
        }
    }
}
