import WiFi

/// A command that is to be run because of an event.
struct Hook: Sendable, Equatable {
    /// The region whose configuration names the command.
    var region: Configuration.Region

    /// What the command is for.
    var trigger: Trigger

    var event: Event

    /// The keys of a region that name a command.
    enum Trigger: String, Sendable, Equatable, CaseIterable {
        case onEnter, onExit, onPrompt
    }

    /// The program and its arguments.
    var command: [String] { region.command(for: trigger) }

    /// What is run for an event, if anything is.
    init?(for event: Event, regions: [Configuration.Region]) {
        let candidates: [Configuration.Region]
        switch event.kind {
        case .didEnterRegion(let region, _):
            trigger = .onEnter
            candidates = regions.filter { $0.identifier == region }
        case .didExitRegion(let region):
            trigger = .onExit
            candidates = regions.filter { $0.identifier == region }
        case .wifiPrompt(let prompt):
            trigger = .onPrompt
            // Regions may share a network. The one that was entered comes first, and a prompt is told only once.
            let sharing = regions.filter { $0.network?.ssid == prompt.ssid }
            candidates =
                sharing.filter { $0.identifier == prompt.region } + sharing.filter { $0.identifier != prompt.region }
        case .didStartMonitoring, .didDetermineState, .didRangeBeacons, .monitoringDidFail, .rangingBeaconsDidFail,
            .bluetoothStateDidUpdate, .wifiPromptAnswered, .wifiJoined, .wifiJoinFailed:
            return nil
        }
        guard let region = candidates.first(where: { [trigger] in !$0.command(for: trigger).isEmpty }) else {
            return nil
        }
        self.region = region
        self.event = event
    }
}

extension Configuration.Region {
    /// The argument list for a trigger; empty where nothing is to be run.
    func command(for trigger: Hook.Trigger) -> [String] {
        switch trigger {
        case .onEnter: onEnter
        case .onExit: onExit
        case .onPrompt: onPrompt
        }
    }
}
