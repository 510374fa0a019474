extension Topics {
    /// What a message is about, by its topic.
    package enum Subject: Hashable, Sendable {
        case status(node: String)
        case scanner(node: String)
        case about(node: String)

        /// A node's sight of a region; `level` is the region's ``TopicName/level``.
        case sight(level: String, node: String)

        case promptAnswer(node: String)
        case region(level: String)
        case event(level: String)
    }

    /// For who wants to hear of every node.
    package var everyStatus: String { status("+") }
    package var everyScanner: String { scanner("+") }
    package var everyAbout: String { about("+") }

    /// For who wants to hear what every node makes of a region.
    package func everySight(_ region: TopicName) -> String { sight(region, by: "+") }

    /// All that the house agrees on, and what comes and goes; all that a node sees.
    package var everyRegion: String { "\(root)/region/+" }
    package var everyEvent: String { "\(root)/region/+/event" }
    package var everySight: String { everySightOf("+") }
    package func everySightOf(_ node: String) -> String { "\(root)/node/\(node)/region/+" }

    /// What a message with this topic is about; nil for what is none of ours, or has a name that none of ours has.
    package func subject(of topic: String) -> Subject? {
        guard topic.utf8.count <= Self.longest, topic.hasPrefix("\(root)/") else { return nil }
        let levels = topic.dropFirst(root.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count >= 2, TopicName.isLevel(levels[1]) else { return nil }
        let name = String(levels[1])
        return switch (levels[0], levels.dropFirst(2).joined(separator: "/")) {
        case ("node", "status"): .status(node: name)
        case ("node", "scanner"): .scanner(node: name)
        case ("node", "about"): .about(node: name)
        case ("node", "prompt/answer"): .promptAnswer(node: name)
        case ("node", _) where levels.count == 4 && levels[2] == "region" && TopicName.isLevel(levels[3]):
            .sight(level: String(levels[3]), node: name)
        case ("region", ""): levels.count == 2 ? .region(level: name) : nil
        case ("region", "event"): .event(level: name)
        default: nil
        }
    }

    /// The longest topic of ours: site, node and region have 64 letters at most.
    private static let longest = 256
}
