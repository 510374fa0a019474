package import Events
package import WiFi

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
    func answer(prompt id: String, _ answer: PromptAnswer) async throws(PromptAnswerError)

    /// Who is in the house; nil where there is none.
    var nodes: NodesReport? { get async }

    /// Forgets a node that is no more.
    func forget(node: String) async throws(ForgetFailure)

    /// Takes `never` back for a network. Returns whether there was one.
    func clearNever(ssid: String) async -> Bool
}
