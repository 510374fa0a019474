import OkaeriPlumbing

extension Configuration {
    /// A server that is notified of arrivals, departures, prompts and faults of Bluetooth.
    package struct NotificationTarget: Sendable, Hashable {
        package enum Kind: String, Sendable, CaseIterable {
            /// A server that receives the event as JSON.
            case webhook
            /// A topic of ntfy (https://docs.ntfy.sh).
            case ntfy
        }

        package enum Occasion: String, Sendable, CaseIterable {
            /// `wifi` is the result of a join, `bluetooth` that Bluetooth does not work.
            case enter, exit, prompt, wifi, bluetooth
        }

        package var kind: Kind
        package var url: WebURL
        package var occasions = Set(Occasion.allCases)
        /// The regions to notify of; `nil` for all.
        package var regions: Set<String>?
        /// The file of the token that each request carries.
        package var tokenFile: String?

        package init(kind: Kind, url: WebURL) {
            self.kind = kind
            self.url = url
        }
    }

    static let notifyKeys = ["type", "url", "events", "regions", "tokenFile"]

    /// The maximum number of servers.
    package static let targetLimit = 8

    static func notify(_ top: ObjectReader, _ problems: ObjectReader.Problems) -> [NotificationTarget] {
        let nodes = top.value("notify", expected: "an array of at most \(targetLimit) servers") {
            value -> [JSONNode]? in
            if case .array(let nodes) = value, nodes.count <= targetLimit { nodes } else { nil }
        }
        return (nodes ?? []).enumerated().compactMap { index, node in
            ObjectReader(node, path: "notify[\(index)]", keys: notifyKeys, problems: problems).flatMap(target)
        }
    }

    private static func target(_ reader: ObjectReader) -> NotificationTarget? {
        typealias Target = NotificationTarget
        let kinds = Target.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        let kind = reader.required("type", expected: kinds) { $0.string.flatMap(Target.Kind.init) }
        let example =
            kind == .ntfy
            ? "the address of a topic, such as \"https://ntfy.sh/TOPIC\"" : "an address with http or https"
        let url = reader.required("url", expected: example) { value in
            value.string.flatMap(WebURL.init).flatMap { kind == .ntfy && $0.topic == nil ? nil : $0 }
        }
        let names = Target.Occasion.allCases.map { "\"\($0.rawValue)\"" }
        let list = "a list of \(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
        let occasions = reader.value("events", expected: list) { value in
            value.strings.flatMap { names -> Set<Target.Occasion>? in
                let known = names.compactMap(Target.Occasion.init)
                return known.isEmpty || known.count < names.count ? nil : Set(known)
            }
        }
        let regions = reader.value("regions", expected: "a list of names of regions") { value in
            value.strings.flatMap { $0.isEmpty || !$0.allSatisfy(Region.isIdentifier) ? nil : Set($0) }
        }
        let tokenFile = reader.string("tokenFile", expected: SecretFile.expected, where: SecretFile.isPath)
        guard let kind, let url else { return nil }
        if url.hasLogin, tokenFile != nil {
            reader.report(
                "tokenFile", found: "a second login",
                expected: "either this file, or the user and the password in \"url\"")
        }
        var target = Target(kind: kind, url: url)
        if let occasions { target.occasions = occasions }
        target.regions = regions
        target.tokenFile = tokenFile
        return target
    }

    /// The regions that targets name and that do not exist.
    var unknownRegionsToNotify: [String] {
        let known = Set(regions.map(\.identifier))
        return notify.enumerated().flatMap { index, target in
            (target.regions ?? []).subtracting(known).sorted().map {
                "notify[\(index)].regions names \"\($0)\", which is not a region; correct the name"
            }
        }
    }
}
