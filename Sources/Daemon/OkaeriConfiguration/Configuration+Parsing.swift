import HCI
import IBeacon
import OkaeriPlumbing
import OkaeriReceivers
import OkaeriWiFi
import RegionMonitoring

extension Configuration {
    static let keys = [
        "adapter", "scan", "state", "history", "sensitivity", "regions", "house", "services", "node", "nodes", "mqtt",
        "receiver", "standby", "receivers", "web", "metrics", "notify",
    ]
    static let scanKeys = ["interval", "window", "lateShare"]
    static let scanWords: [String: ScanSetting] = ["continuous": .continuous, "shared": .shared]
    static let stateKeys = ["validFor"]
    static let historyKeys = ["keep"]
    static let houseKeys = ["onOccupied", "onEmpty"]
    static let regionKeys =
        ["identifier"] + signKeys + [
            "anyOf", "notifyOnEntry", "notifyOnExit", "ranging", "battery", "wifi", "onEnter", "onExit", "onPrompt",
            "scope",
        ]
    /// The order of the keys in a region, its network and the broker, for keys that a change adds.
    static let order = regionKeys + wifiKeys + mqttKeys

    /// The keys of commands.
    package static let commandKeys = Set(
        houseKeys + ["onEnter", "onExit", "onPrompt", "onConnect", "onDisconnect"])

    /// The keys whose values a client of the API does not receive: commands, and addresses that may contain a secret.
    package static let hiddenKeys = commandKeys.union(["url"])

    /// The keys whose values appear in no message. A change from the page is answered with what is wrong in the whole file,
    /// and a login must not learn commands that way.
    static let privateKeys = hiddenKeys.union(["passphraseFile", "tokenFile", "phone"])

    /// Every key, and the values that are words of Okaeri: no names.
    package static let words = Set(
        keys + scanKeys + stateKeys + historyKeys + houseKeys + regionKeys + wifiKeys + serviceKeys + mqttKeys + tlsKeys
            + webKeys
            + nodeKeys + listenerKeys + notifyKeys + receiverKeys + ReceiverMake.allCases.map(\.rawValue)
            + MonitoredRegion.Battery.allCases.map(\.rawValue)
            + NotificationTarget.Kind.allCases.map(\.rawValue) + NotificationTarget.Occasion.allCases.map(\.rawValue)
            + Sensitivity.allCases.map(\.rawValue) + Scope.allCases.map(\.rawValue)
            + JoinPolicy.allCases.map(\.rawValue)
            + PersonalSecurity.allCases.map(\.rawValue) + OnlinePolicy.allCases.map(\.rawValue)
            + NetworkAction.allCases.map(\.rawValue) + scanWords.keys + [
                "true", "false",
            ])

    static let wifiKeys = [
        "ssid", "ssidHex", "join", "passphraseFile", "security", "whenOnline", "onArrival", "onDeparture", "hotspot",
        "guests",
    ]

    /// From what can be written often enough on a card, to a week.
    private static let validForRange = 10.0...604_800

    /// Up to a hundred years.
    private static let keepRange = 0...36_500

    /// The range of the controller's scan interval and window, in milliseconds.
    private static let scanRange =
        Double(ScanTime.range.lowerBound) * ScanTime.millisecondsPerUnit...Double(ScanTime.range.upperBound)
        * ScanTime.millisecondsPerUnit

    /// Reads a configuration; the error holds every mistake found.
    ///
    /// - Parameter file: its name, for the messages.
    package init(json bytes: [UInt8], file: String) throws(ConfigurationError) {
        try self.init(try JSONNode(json: bytes, file: file), file: file)
    }

    init(_ document: JSONNode, file: String) throws(ConfigurationError) {
        let problems = ObjectReader.Problems()
        self = Self.read(document, problems)
        guard problems.list.isEmpty else { throw ConfigurationError(file: file, problems: problems.list) }
    }

    private static func read(_ document: JSONNode, _ problems: ObjectReader.Problems) -> Configuration {
        guard let top = ObjectReader(document, path: "", keys: keys, problems: problems) else {
            return Configuration(regions: [])
        }
        let adapter = top.string("adapter", expected: "the name of an adapter, such as \"hci0\"") {
            $0.hasPrefix("hci") && UInt16($0.dropFirst(3)) != nil
        }
        let sensitivity = sensitivity(top) ?? .balanced
        let isStandby = top.bool("standby") ?? false
        let isReceiver = isStandby || top.bool("receiver") ?? false
        let regionsOf = { (value: JSONNode.Value) -> [JSONNode]? in
            if case .array(let nodes) = value { nodes } else { nil }
        }
        // The regions of a receiver are those of its hub.
        let nodes =
            isReceiver && top.node("regions") == nil
            ? [] : top.required("regions", expected: "an array of regions", regionsOf)
        var seen: [String: Int] = [:]
        let regions = (nodes ?? []).enumerated().compactMap { index, node in
            region(node, index: index, seen: &seen, sensitivity: sensitivity, problems)
        }
        var configuration = Configuration(adapter: adapter, regions: regions)
        let phones = Set(configuration.phones.map(\.file)).count
        if phones > phoneLimit {
            top.report("regions", found: "\(phones) phones", expected: "at most \(phoneLimit)")
        }
        if let node = top.node("scan") { configuration.scan = scan(node, top, problems) }
        if let node = top.node("state") { configuration.state = state(node, problems) }
        if let node = top.node("history") { configuration.history = history(node, problems) }
        if let node = top.node("house") { configuration.house = house(node, problems) }
        if let node = top.node("mqtt") { configuration.mqtt = mqtt(node, problems) }
        if isReceiver, top.node("mqtt") == nil {
            top.report(
                isStandby ? "standby" : "receiver", found: "true, without \"mqtt\"",
                expected: "\"mqtt\" beside it, the broker of the hub")
        }
        (configuration.isReceiver, configuration.isStandby) = (isReceiver, isStandby)
        if let node = top.node("web") { configuration.web = web(node, problems) }
        if let node = top.node("metrics") { configuration.metrics = listener(node, path: "metrics", problems) }
        if let node = top.node("node") { configuration.node = self.node(node, problems) }
        if let node = top.node("nodes") { configuration.nodes = self.nodes(node, problems) }
        if top.node("services") != nil { configuration.services = services(top, problems) }
        configuration.notify = notify(top, problems)
        if top.node("receivers") != nil { configuration.receivers = receivers(top, problems) }
        return configuration
    }

    private static func state(_ node: JSONNode, _ problems: ObjectReader.Problems) -> State {
        guard
            let reader = ObjectReader(
                node, path: "state", keys: stateKeys, main: "validFor", meant: { $0.number(orElse: 900) },
                problems: problems)
        else {
            return State()
        }
        var state = State()
        if let seconds = reader.number("validFor", in: validForRange, unit: " seconds") { state.validFor = seconds }
        return state
    }

    private static func history(_ node: JSONNode, _ problems: ObjectReader.Problems) -> History {
        var history = History()
        let reader = ObjectReader(
            node, path: "history", keys: historyKeys, main: "keep", meant: { $0.number(orElse: 90) }, problems: problems
        )
        if let keep = reader?.integer("keep", in: keepRange, unit: " days") { history.keep = keep }
        return history
    }

    private static func house(_ node: JSONNode, _ problems: ObjectReader.Problems) -> House {
        guard let reader = ObjectReader(node, path: "house", keys: houseKeys, problems: problems) else {
            return House()
        }
        return House(onOccupied: command("onOccupied", reader), onEmpty: command("onEmpty", reader))
    }

    /// One of two words, an interval and a window, or the share of the time that a late beacon may take.
    private static func scan(
        _ node: JSONNode, _ top: ObjectReader, _ problems: ObjectReader.Problems
    ) -> ScanSetting {
        if case .string(let word) = node.value {
            if let setting = scanWords[word] { return setting }
            top.report("scan", found: "\"\(word)\"", expected: "\"continuous\", \"shared\", or an object")
            return .automatic()
        }
        guard let reader = ObjectReader(node, path: "scan", keys: scanKeys, problems: problems) else {
            return .automatic()
        }
        let keys = ["interval", "window"].filter { reader.node($0) != nil }
        let times = keys.compactMap { reader.number($0, in: scanRange, unit: " milliseconds") }
        let share = reader.number("lateShare", in: 0...1, unit: "")
        if !keys.isEmpty, share != nil {
            reader.report(
                "lateShare", found: "lateShare beside \(keys[0])",
                expected: "one of them: a fixed scan does not depend on beacons")
        }
        // Each mistake is reported once.
        guard times.count == keys.count else { return .automatic() }
        let interval: Double
        let window: Double
        switch keys {
        case ["interval", "window"]: (interval, window) = (times[0], times[1])
        case ["interval"]: (interval, window) = (times[0], max(times[0] / 2, scanRange.lowerBound))
        case ["window"]: (interval, window) = (min(times[0] * 2, scanRange.upperBound), times[0])
        default: return .automatic(lateShare: share ?? ScanSetting.usualLateShare)
        }
        if window > interval {
            reader.report("window", found: window.plain, expected: "at most the interval, \(interval.plain)")
        }
        let timing = try? ScanTiming(
            interval: ScanTime(milliseconds: interval), window: ScanTime(milliseconds: window))
        return timing.map { .fixed($0) } ?? .automatic()
    }

    private static func region(
        _ node: JSONNode, index: Int, seen: inout [String: Int], sensitivity: Sensitivity,
        _ problems: ObjectReader.Problems
    ) -> Region? {
        problems.region = node["identifier"].flatMap { $0.value.string?.isEmpty == false ? $0.summary : nil } ?? ""
        defer { problems.region = nil }
        guard
            let reader = ObjectReader(
                node, path: "regions[\(index)]", keys: regionKeys, problems: problems)
        else {
            return nil
        }
        let identifier = reader.required("identifier", expected: "\(Region.expectedIdentifier), such as \"home\"") {
            $0.string.flatMap { Region.isIdentifier($0) ? $0 : nil }
        }
        if let identifier, let first = seen.updateValue(index, forKey: identifier) {
            reader.report(
                "identifier", found: "\"\(identifier)\", which regions[\(first)] has too", expected: "a name of its own"
            )
        }
        let signs = signs(reader, sensitivity: sensitivity)
        let network = reader.node("wifi").map { self.network($0, path: reader.place(of: "wifi"), problems) }
        let ranging = reader.bool("ranging") ?? false
        let (onEntry, onExit) = (reader.bool("notifyOnEntry") ?? true, reader.bool("notifyOnExit") ?? true)
        let commands = ["onEnter", "onExit", "onPrompt"].map { command($0, reader) }
        let battery = word("battery", of: MonitoredRegion.Battery.self, reader)
        let scope = word("scope", of: Scope.self, reader)
        guard let identifier, let sign = signs.first else { return nil }
        let monitored = MonitoredRegion(
            identifier: identifier, sign, or: Array(signs.dropFirst()), notifyOnEntry: onEntry, notifyOnExit: onExit,
            ranging: ranging ? .whileInside : .off, battery: battery ?? .advertised)
        return Region(
            monitored: monitored, network: network??.network, showsNetwork: network??.guests ?? false,
            onEnter: commands[0], onExit: commands[1],
            onPrompt: commands[2], scope: scope ?? .node)
    }

    /// An argument list: no shell takes it apart, and it is run in the root directory.
    static func command(_ key: String, _ reader: ObjectReader) -> [String] {
        let command = reader.value(
            key, expected: "a command and its arguments, such as [\"/usr/local/bin/welcome\"]"
        ) { value in
            value.strings.flatMap { $0.first?.isEmpty == false && !$0.joined().utf8.contains(0) ? $0 : nil }
        }
        if let program = command?.first, !program.hasPrefix("/"), program.contains("/") {
            reader.report(key, found: "a relative path", expected: "an absolute path, or a name that is in $PATH")
        }
        return command ?? []
    }

    static func sensitivity(_ reader: ObjectReader) -> Sensitivity? {
        word("sensitivity", of: Sensitivity.self, reader)
    }

    /// One of a few names.
    private static func word<Word: RawRepresentable<String> & CaseIterable & Equatable>(
        _ key: String, of type: Word.Type, _ reader: ObjectReader, among words: [Word] = Array(Word.allCases)
    ) -> Word? {
        reader.value(key, expected: words.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")) {
            $0.string.flatMap(Word.init).flatMap { words.contains($0) ? $0 : nil }
        }
    }

    private static func network(_ node: JSONNode, path: String, _ problems: ObjectReader.Problems) -> (
        network: HomeNetwork, guests: Bool
    )? {
        guard
            let reader = ObjectReader(
                node, path: path, keys: wifiKeys, main: "ssid", meant: { $0.text(orElse: "HomeNet") },
                problems: problems)
        else {
            return nil
        }
        let name = name(reader)
        let join = word("join", of: JoinPolicy.self, reader)
        let passphraseFile = reader.string(
            "passphraseFile", expected: SecretFile.expected, where: SecretFile.isPath)
        let security = word("security", of: PersonalSecurity.self, reader)
        let whenOnline = word("whenOnline", of: OnlinePolicy.self, reader)
        let isOnce = join == .once
        let arrivals = isOnce ? [NetworkAction.ofOnce.arrival] : NetworkAction.ofArrivals
        let onArrival = word("onArrival", of: NetworkAction.self, reader, among: arrivals) ?? .join
        // A hotspot is closed and a network is left, not the other way round.
        let departures = NetworkAction.ofDepartures.filter {
            if isOnce { return $0 == NetworkAction.ofOnce.departure }
            return $0 == .radioOff || ($0 == .hotspotOff) == (onArrival == .hotspot)
        }
        let onDeparture = word("onDeparture", of: NetworkAction.self, reader, among: departures)
        let hotspot = reader.string(
            "hotspot",
            expected: onArrival == .hotspot
                ? "the name of a profile of NetworkManager" : "no \"hotspot\" unless \"onArrival\" is \"hotspot\""
        ) { onArrival == .hotspot && !$0.isEmpty }
        let guests = reader.bool("guests") ?? false
        guard let name else { return nil }
        if guests, !name.isUTF8 {
            reader.report("guests", found: "true", expected: "false, because a QR code has names in UTF-8 alone")
        }
        if isOnce, passphraseFile == nil {
            reader.report(
                "join", found: "\"once\" without \"passphraseFile\"", expected: "\"passphraseFile\" beside \"once\"")
        }
        let network = try? HomeNetwork(
            ssid: name.text, join: join ?? .prompt, passphraseFile: passphraseFile, security: security,
            whenOnline: whenOnline ?? .once, onArrival: onArrival, onDeparture: onDeparture, hotspot: hotspot)
        return network.map { ($0, guests) }
    }

    /// The name of the network, as text or as bytes.
    private static func name(_ reader: ObjectReader) -> SSID? {
        guard reader.node("ssidHex") != nil else {
            return reader.required("ssid", expected: "the network's name, 1 to \(HomeNetwork.longestSSID) bytes") {
                $0.string.flatMap { SSID(name: $0) }
            }
        }
        if reader.node("ssid") != nil {
            reader.report("ssidHex", found: "ssidHex beside ssid", expected: "one of them")
        }
        let expected =
            "the bytes of the network's name, 2 to \(2 * HomeNetwork.longestSSID) hexadecimal digits, as \"436166E9\"; "
            + "`nmcli -f SSID,SSID-HEX device wifi list` prints them"
        return reader.value("ssidHex", expected: expected) { $0.string.flatMap { SSID(hexadecimal: $0) } }
    }
}
