extension Topics {
    /// The subject of a message, by its topic.
    package enum Subject: Hashable, Sendable {
        case status(node: String)
        case scanner(node: String)
        case about(node: String)

        case heard(node: String)
        case hub
        case wanted
        case regions

        /// A node's observation of a region, by an earlier version; `level` is the region's ``TopicName/level``.
        case observation(level: String, node: String)

        case promptAnswer(node: String)

        /// A request to restart a node's daemon.
        case restart(node: String)
        case region(level: String)
        case event(level: String)
        case battery(level: String)
    }

    /// The messages of every node.
    package var everyStatus: String { status("+") }
    package var everyScanner: String { scanner("+") }
    package var everyAbout: String { about("+") }
    package var everyHeard: String { heard("+") }

    /// A filter with a wildcard for a node's description alone.
    package func onlyAbout(_ node: String) -> String { "\(root)/+/\(node)/about" }

    /// The states and events of all regions; the observations that earlier versions of a node retained.
    package var everyRegion: String { "\(root)/region/+" }
    package var everyEvent: String { "\(root)/region/+/event" }
    package var everyBattery: String { "\(root)/region/+/battery" }
    package func everyObservation(by node: String) -> String { "\(root)/node/\(node)/region/+" }

    /// Returns the subject of a message with this topic; `nil` for a topic or a name that is not ours.
    package func subject(of topic: String) -> Subject? {
        guard topic.utf8.count <= Self.longest, topic.hasPrefix("\(root)/") else { return nil }
        if topic == hub { return .hub }
        if topic == wanted { return .wanted }
        if topic == regions { return .regions }
        let levels = topic.dropFirst(root.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 2, TopicName.isLevel(levels[1]) else { return nil }
        let name = String(levels[1])
        return switch (levels[0], levels.dropFirst(2).joined(separator: "/")) {
        case ("node", "status"): .status(node: name)
        case ("node", "heard"): .heard(node: name)
        case ("node", "scanner"): .scanner(node: name)
        case ("node", "about"): .about(node: name)
        case ("node", "prompt/answer"): .promptAnswer(node: name)
        case ("node", "restart"): .restart(node: name)
        case ("node", _) where levels.count == 4 && levels[2] == "region" && TopicName.isLevel(levels[3]):
            .observation(level: String(levels[3]), node: name)
        case ("region", ""): levels.count == 2 ? .region(level: name) : nil
        case ("region", "event"): .event(level: name)
        case ("region", "battery"): .battery(level: name)
        default: nil
        }
    }

    /// The longest topic of ours: site, node and region have 64 letters at most.
    private static let longest = 256
}
