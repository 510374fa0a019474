package import Events
package import WiFi

/// The requests to the daemon: the only entry, from all listeners.
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

    /// The counts since the start.
    var counts: DaemonCounts { get async }

    /// The hub of the events.
    var hub: EventHub { get }

    /// Answers a prompt.
    func answer(prompt id: String, _ answer: PromptAnswer) async throws(PromptAnswerError)

    /// The nodes of the house; `nil` without one.
    var nodes: NodesReport? { get async }

    /// Forgets a node that is no more.
    func forget(node: String) async throws(ForgetFailure)

    /// Sends a test to each server that is notified, and returns the results.
    func testNotifications() async throws(NotificationTestFailure) -> [NotificationReport]

    /// Takes `never` back for a network. Returns whether there was one.
    func clearNever(ssid: String) async -> Bool
}
