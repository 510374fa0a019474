import IBeacon
import OkaeriConfiguration
import OkaeriEvents
import OkaeriRooms
import OkaeriWiFi
import RegionMonitoring

/// A command that is to be run because of an event.
struct Hook: Sendable, Equatable {
    /// The region, service or house whose configuration names the command.
    var subject: Subject

    /// The event that runs the command.
    var trigger: Trigger

    var event: Event

    enum Subject: Sendable, Equatable {
        case region(Configuration.Region)
        case service(Configuration.ServiceRule)
        case house(Configuration.House)
    }

    /// The owner of hooks that run one after another.
    enum Owner: Sendable, Hashable {
        case region(String)
        case service(String)
        case house
    }

    /// The keys that name a command.
    enum Trigger: String, Sendable, Equatable, CaseIterable {
        case onEnter, onExit, onPrompt, onConnect, onDisconnect, onOccupied, onEmpty
    }

    var owner: Owner {
        switch subject {
        case .region(let region): .region(region.identifier)
        case .service(let rule): .service(rule.label)
        case .house: .house
        }
    }

    /// The program and its arguments.
    var command: [String] {
        switch (subject, trigger) {
        case (.region(let region), .onEnter): region.onEnter
        case (.region(let region), .onExit): region.onExit
        case (.region(let region), .onPrompt): region.onPrompt
        case (.service(let rule), .onConnect): rule.onConnect
        case (.service(let rule), .onDisconnect): rule.onDisconnect
        case (.house(let house), .onOccupied): house.onOccupied
        case (.house(let house), .onEmpty): house.onEmpty
        case (.region, _), (.service, _), (.house, _): []
        }
    }
}

extension Hook {
    /// Creates the hook of an event; `nil` if none is configured.
    init?(for event: Event, regions: [Configuration.Region], services: [Configuration.ServiceRule] = []) {
        let trigger: Trigger
        var candidates: [Subject] = []
        switch event.kind {
        case .didEnterRegion(let region, _):
            trigger = .onEnter
            candidates = Self.subjects(region, .node, regions)
        case .didExitRegion(let region):
            trigger = .onExit
            candidates = Self.subjects(region, .node, regions)
        // At the owner alone: what is to be done once in a house is not to be done at each of its nodes.
        case .house(let region, .didEnterRegion(_, isOwner: true)):
            trigger = .onEnter
            candidates = Self.subjects(region, .house, regions.filter(\.monitored.notifyOnEntry))
        case .house(let region, .didExitRegion(isOwner: true)):
            trigger = .onExit
            candidates = Self.subjects(region, .house, regions.filter(\.monitored.notifyOnExit))
        case .wifiPrompt(let prompt):
            trigger = .onPrompt
            // Regions may share a network. The region that was entered comes first, and a prompt runs hooks only once.
            let sharing = regions.filter { $0.network?.name == SSID(prompt.ssid) }
            let entered = sharing.filter { $0.identifier == prompt.region }
            candidates = (entered + sharing.filter { $0.identifier != prompt.region }).map { .region($0) }
        case .peripheralDidConnect(let peripheral):
            trigger = .onConnect
            candidates = services.filter { $0.label == peripheral.label }.map { .service($0) }
        case .peripheralDidDisconnect(let peripheral, _):
            trigger = .onDisconnect
            candidates = services.filter { $0.label == peripheral.label }.map { .service($0) }
        case .didStartMonitoring, .didDetermineState, .didRangeBeacons, .monitoringDidFail, .rangingBeaconsDidFail,
            .bluetoothStateDidUpdate, .wifiPromptAnswered, .wifiPromptWithdrawn, .wifiJoined, .wifiJoinFailed,
            .wifiActionCompleted, .wifiActionFailed, .wifiUnavailable, .wifiAccessLimited, .peripheralDidFailToConnect,
            .house:
            return nil
        }
        let hooks = candidates.map { Hook(subject: $0, trigger: trigger, event: event) }
        guard let hook = hooks.first(where: { !$0.command.isEmpty }) else { return nil }
        self = hook
    }

    private static func subjects(
        _ region: String, _ scope: Configuration.Scope, _ regions: [Configuration.Region]
    ) -> [Subject] {
        regions.filter { $0.identifier == region && $0.scope == scope }.map { .region($0) }
    }
}

extension Hook {
    /// The variables whose names differ from the field's name.
    private static let names = ["event": "EVENT", "id": "PROMPT"]

    /// The event's fields as environment variables: `OKAERI_REGION`, `OKAERI_STATE` … A shell script needs no more;
    /// what has no value is not set.
    ///
    /// - Parameter socket: The daemon's socket, so that the command can use it.
    package func environment(socket: String) -> [String: String] {
        var variables = ["OKAERI_SOCKET": socket]
        if case .region(let region) = subject, let constraint = region.monitored.constraint {
            variables["OKAERI_UUID"] = constraint.uuid.description
            variables["OKAERI_MAJOR"] = constraint.major.map { "\($0)" }
            variables["OKAERI_MINOR"] = constraint.minor.map { "\($0)" }
        }
        for field in event.fields.flat {
            variables["OKAERI_" + (Self.names[field.name] ?? field.name.uppercased())] = field.plain
        }
        // The command is this region's, though it may be another that was entered where they share a network.
        if case .region(let region) = subject { variables["OKAERI_REGION"] = region.identifier }
        // An environment cannot hold a NUL, which an SSID may; the object on standard input has it.
        return variables.filter { !$0.value.utf8.contains(0) }
    }
}

/// Cuts what a hook writes into lines for the log: not too long, and not too many.
struct HookOutput: Sendable {
    /// More than the journal shows of a line without unfolding it.
    static let longestLine = 1000

    /// A hook that writes more is a hook with a log of its own.
    static let mostLines = 100

    private var line: [UInt8] = []
    private var isCut = false
    private(set) var count = 0

    /// The lines that these bytes complete.
    mutating func received(_ bytes: some Sequence<UInt8>) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            guard byte == 0x0A else {
                if line.count < Self.longestLine { line.append(byte) } else { isCut = true }
                continue
            }
            if let text = completed() { lines.append(text) }
        }
        return lines
    }

    /// Nothing more comes: the line without an end, and how many lines were left out.
    mutating func ended() -> [String] {
        let last = line.isEmpty ? nil : completed()
        let left = count - Self.mostLines
        return [last, left > 0 ? "… and \(left) more lines" : nil].compactMap { $0 }
    }

    private mutating func completed() -> String? {
        defer {
            line.removeAll(keepingCapacity: true)
            isCut = false
        }
        count += 1
        guard count <= Self.mostLines else { return nil }
        return String(decoding: line, as: UTF8.self) + (isCut ? "…" : "")
    }
}
