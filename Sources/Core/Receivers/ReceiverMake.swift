import OkaeriPlumbing

/// The make of a receiver that reports over the broker.
package enum ReceiverMake: String, CaseIterable, Hashable, Sendable {
    /// ESPresense on an ESP32.
    case espresense
    /// A Shelly of the second generation or later, with a script.
    case shelly
    case openmqttgateway
    /// Theengs Gateway.
    case theengs
    /// ESPHome with the recipe of docs/receivers.md.
    case esphome

    /// The name as its makers write it.
    package var title: String {
        switch self {
        case .espresense: "ESPresense"
        case .shelly: "Shelly"
        case .openmqttgateway: "OpenMQTTGateway"
        case .theengs: "Theengs"
        case .esphome: "ESPHome"
        }
    }

    /// The topic, or with ESPresense the first levels of the topics, if the configuration names none.
    package var usualTopic: String {
        switch self {
        case .espresense: "espresense"
        case .shelly: "shelly-ble/+"
        case .openmqttgateway: "home/+/BTtoMQTT/#"
        case .theengs: "home/TheengsGateway/BTtoMQTT/#"
        case .esphome: "esphome-ble/+"
        }
    }

    /// Whether the signals are means of some seconds. ESPresense calls its filter a median; it computes the mean of the last 15 s without
    /// the values far outside the quartiles.
    package var isSmoothed: Bool { self == .espresense }

    /// The time without any message after which such a receiver counts as away, in seconds: more than two of its regular messages.
    ///
    /// ESPresense sends its telemetry every 15 s, the script for Shelly something every 5 s, OpenMQTTGateway its telemetry every 120 s.
    package var patience: Int64 {
        switch self {
        case .espresense: 45
        case .shelly, .esphome: 60
        case .openmqttgateway, .theengs: 250
        }
    }
}

extension ReceiverMake {
    /// The longest time between two messages that show a receiver's scan in which it counts as listening, in seconds.
    ///
    /// ESPresense sends the number of its advertisements every 15 s, the script for Shelly and the recipe for ESPHome send something every
    /// 5 s, OpenMQTTGateway the count of what it processed every 120 s. Theengs sends reports alone.
    package var scanPatience: Int64 {
        switch self {
        case .espresense: 45
        case .shelly, .esphome: 20
        case .openmqttgateway, .theengs: 250
        }
    }

    /// The usual time between two reports of the same device, in seconds.
    package var usualInterval: Int64 {
        switch self {
        case .espresense: 5
        case .esphome: 2
        case .shelly, .openmqttgateway, .theengs: 1
        }
    }
}

/// The topics of the receivers of one make.
package struct ReceiverTopics: Hashable, Sendable {
    package let make: ReceiverMake
    /// The filter of the reports, or with ESPresense the first levels of the topics.
    package let topic: String
    private let levels: [String]

    /// The longest topic that is read, in bytes.
    package static let longest = 512

    /// - Parameter topic: For ESPresense the first levels of the topics, without a wildcard. For the other makes a filter with at most one
    ///   `+`, which stands for the name of the receiver, and `#` at its end alone.
    /// - Returns: `nil` for any other topic.
    package init?(_ make: ReceiverMake, topic: String? = nil) {
        let topic = topic ?? make.usualTopic
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        func isLevel(_ level: String) -> Bool {
            level == "+" || level == "#"
                || !level.isEmpty && level.utf8.allSatisfy { $0 >= 0x20 && !"+#".utf8.contains($0) }
        }
        let (names, isPlain) = (levels.count { $0 == "+" }, levels.allSatisfy(isLevel))
        guard isPlain, topic.utf8.count <= 128, !levels.dropLast().contains("#"), names <= 1,
            levels.first != "#", levels[0].utf8.first != UInt8(ascii: "$")
        else { return nil }
        switch make {
        case .espresense: guard !levels.contains("+"), !levels.contains("#") else { return nil }
        case .shelly, .esphome: guard !levels.contains("#") else { return nil }
        case .openmqttgateway, .theengs:
            guard levels.last == "#", levels.count >= 3, levels[levels.count - 2] == Self.gateway else { return nil }
        }
        (self.make, self.topic, self.levels) = (make, topic, levels)
    }

    private static let gateway = "BTtoMQTT"

    /// The filters to subscribe to.
    package var filters: [String] {
        switch make {
        case .espresense:
            ["devices/+/+", "rooms/+/status", "rooms/+/telemetry", "settings/+/config"].map { "\(topic)/\($0)" }
        case .shelly: [topic] + (device.map { ["\($0.joined(separator: "/"))/online"] } ?? ["+/online", "+/+/online"])
        case .openmqttgateway, .theengs: [topic, "\(root)/LWT", "\(root)/SYStoMQTT"]
        case .esphome: [topic, "\(topic)/status", "\(topic)/telemetry"]
        }
    }

    /// Whether other devices have the topic of the status, too: each Shelly, with or without the script, and each lamp with a last will
    /// beside the gateways. Such a status alone shows no receiver.
    package var isStatusShared: Bool {
        switch make {
        case .espresense, .esphome: false
        case .shelly: true
        case .openmqttgateway, .theengs: levels.contains("+")
        }
    }

    /// The levels of the topics of a Shelly, if its notifications are read; `nil` for the script, whose topic is another one.
    private var device: ArraySlice<String>? {
        levels.suffix(2) == ["events", "rpc"] && levels.count > 2 ? levels.dropLast(2) : nil
    }

    /// The levels in front of `BTtoMQTT`.
    private var root: String { levels.dropLast(2).joined(separator: "/") }

    /// The subject of a message.
    package enum Subject: Hashable, Sendable {
        /// The receptions of a receiver; with ESPresense those of the device with an identifier.
        case report(receiver: String, device: String?)
        /// `online` or `offline`, or a last will.
        case status(receiver: String)
        /// The version of the program, which the broker retains.
        case version(receiver: String)
        /// Figures about a receiver.
        case telemetry(receiver: String)
        /// The settings of a device, which may replace its identifier.
        case settings(device: String)
    }

    /// Returns the subject of a message with this topic; `nil` for another topic, and for a name that cannot be shown.
    package func subject(of topic: String) -> Subject? {
        guard topic.utf8.count <= Self.longest else { return nil }
        let parts = Self.levels(of: topic)
        let subject: Subject? =
            switch make {
            case .espresense: espresense(parts)
            case .shelly, .esphome: reported(parts) ?? status(parts)
            case .openmqttgateway, .theengs: gateway(parts)
            }
        switch subject {
        case .report(let name, _)?, .status(let name)?, .version(let name)?, .telemetry(let name)?:
            return ReceiverName.isShown(name) ? subject : nil
        case .settings?, nil: return subject
        }
    }

    /// Splits a topic by its slashes. Each message needs it, so without a closure for each letter.
    private static func levels(of topic: String) -> [Substring] {
        let letters = topic.utf8
        var levels: [Substring] = []
        levels.reserveCapacity(8)
        var start = letters.startIndex
        while let end = letters[start...].firstIndex(of: UInt8(ascii: "/")) {
            levels.append(topic[start..<end])
            start = letters.index(after: end)
        }
        levels.append(topic[start...])
        return levels
    }

    private func espresense(_ parts: [Substring]) -> Subject? {
        guard parts.count == levels.count + 3, zip(parts, levels).allSatisfy({ $0 == $1 }) else { return nil }
        let (kind, first, second) = (parts[levels.count], parts[levels.count + 1], parts[levels.count + 2])
        return switch (kind, second) {
        case ("devices", _): .report(receiver: String(second), device: String(first))
        case ("rooms", "status"): .status(receiver: String(first))
        case ("rooms", "telemetry"): .telemetry(receiver: String(first))
        case ("settings", "config"): .settings(device: String(first))
        default: nil
        }
    }

    private func reported(_ parts: [Substring]) -> Subject? {
        guard parts.count == levels.count, matches(parts, levels) else { return nil }
        return .report(receiver: name(in: parts), device: nil)
    }

    private func status(_ parts: [Substring]) -> Subject? {
        if make == .shelly { return parts.last == "online" ? online(parts.dropLast()) : nil }
        guard parts.count == levels.count + 1, matches(parts, levels) else { return nil }
        return switch parts.last {
        case "status": .status(receiver: name(in: parts))
        case "telemetry": .telemetry(receiver: name(in: parts))
        default: nil
        }
    }

    /// Returns the subject of the status of a Shelly with these levels. The script replaces the slashes in its name.
    private func online(_ parts: ArraySlice<Substring>) -> Subject? {
        guard let device else { return 1...2 ~= parts.count ? .status(receiver: parts.joined(separator: "-")) : nil }
        guard parts.count == device.count, matches(Array(parts), device) else { return nil }
        return .status(receiver: name(in: Array(parts)))
    }

    private func gateway(_ parts: [Substring]) -> Subject? {
        let root = levels.dropLast(2)
        guard parts.count > root.count, matches(parts, root) else { return nil }
        let name = name(in: parts)
        let rest = parts.dropFirst(root.count)
        return switch (rest.first, rest.count) {
        case ("LWT", 1): .status(receiver: name)
        case ("version", 1): .version(receiver: name)
        case ("SYStoMQTT", 1): .telemetry(receiver: name)
        // Its own level has the settings of the gateway.
        case (Self.gateway[...], 1): .telemetry(receiver: name)
        case (Self.gateway[...], 2): .report(receiver: name, device: nil)
        default: nil
        }
    }

    private func matches(_ parts: [Substring], _ levels: some Collection<String>) -> Bool {
        zip(parts, levels).allSatisfy { $1 == "+" || $0 == $1 }
    }

    /// The name of the receiver: the level of the wildcard; without one the last level that distinguishes it.
    private func name(in parts: [Substring]) -> String {
        if let place = levels.firstIndex(of: "+"), place < parts.count { return String(parts[place]) }
        let fixed = make == .openmqttgateway || make == .theengs ? levels.dropLast(2) : levels[...]
        return fixed.last { $0 != "events" && $0 != "rpc" } ?? fixed.last ?? make.rawValue
    }
}

/// The names of receivers, which any client of the broker can choose.
package enum ReceiverName {
    /// Whether a receiver's own name may be shown.
    package static func isShown(_ name: String) -> Bool { 1...64 ~= name.utf8.count && name.isName }
}
