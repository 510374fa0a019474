import ArgumentParser
import Glibc
import IBeacon
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHouse
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriSetup
import RegionMonitoring

struct JoinCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Make this Pi a receiver of a house.",
        discussion: """
            Logs in to the MQTT broker, asks for the room and the name of this Pi, and writes beacons.json and the file of the \
            password; then it reloads the service. The regions of the house are those of its hub: this Pi needs none. Each \
            question has an option. Exit status: 0; 1 if it was ended, or there is no house; 64 without a terminal and these options; 69 if the broker or the service does not answer; 77 without the \
            right to write the file; 78 if the file has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions

    @Argument(help: "The broker: HOST or HOST:PORT. The port is 1883, with TLS 8883, by default.")
    var broker: String

    @Flag(
        inversion: .prefixedNo,
        help: """
            Encrypt the connection; the broker's certificate is of an authority that this machine trusts. With --no-tls the \
            password is sent unencrypted without a question.
            """)
    var tls: Bool?

    @Option(name: .customLong("tls-ca"), help: "Encrypt; the file of the authority of the broker's certificate.")
    var authority: String?

    @Option(help: "The user name at the broker; an empty one for none.")
    var username: String?

    @Option(
        name: .customLong("password-file"),
        help: "A file with the password, which beacons.json then names; asked for, and written, by default.")
    var passwordFile: String?

    @Option(help: "The house, if the broker has several.")
    var site: String?

    @Option(help: "The room that this Pi is in.")
    var room: String?

    @Option(help: "The name of this Pi among the others.")
    var name: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Whether this Pi is the standby, which decides while the hub is away. By default it stays what it is.")
    var standby: Bool?

    @Flag(help: "Write without a question.")
    var yes = false

    @Flag(help: "Print JSON. Requires the options that answer all questions.")
    var json = false

    func validate() throws {
        _ = try address()
        if let site, !Configuration.isNodeName(site) { throw Self.mistake(.siteOption) }
        if let name, !Configuration.isNodeName(name) { throw Self.mistake(.nameOption) }
        if let room, !Configuration.isRoom(room) { throw Self.mistake(.roomOption) }
        if let authority, !authority.hasPrefix("/") { throw Self.mistake(.authorityOption) }
        if authority != nil, tls == false { throw Self.mistake(.authorityWithoutTLS) }
        if let passwordFile, !SecretFile.isPath(passwordFile) { throw Self.mistake(.passwordOption) }
        if passwordFile != nil, username == nil { throw Self.mistake(.passwordWithoutUser) }
    }

    private static func text(_ phrase: JoinPhrase, _ values: String...) -> String {
        Terminal.language(phrase, values)
    }

    /// Returns a mistake in the arguments.
    private static func mistake(_ phrase: JoinPhrase, _ values: String...) -> ValidationError {
        ValidationError(Terminal.language(phrase, values))
    }

    private static func failure(_ phrase: JoinPhrase, _ values: String..., status: ExitCode) -> CommandFailure {
        CommandFailure(LocalizedText(phrase, values), status: status)
    }

    /// The broker without a login.
    private func address() throws -> MQTTSettings.Broker {
        let encryption: MQTTSettings.TLS? = tls == true || authority != nil ? .init(authorities: authority) : nil
        guard let found = ServerAddress(broker) else {
            guard let meant = ServerAddress.meant(by: broker), let port = meant.port else {
                throw Self.mistake(.wrongBroker, broker.escapedName)
            }
            throw Self.mistake(.noBrackets, broker.escapedName, "\(ServerAddress.bracketed(meant.host)):\(port)")
        }
        var server = MQTTSettings.Broker(
            host: found.host, port: found.port ?? MQTTSettings.Broker.usualPort(with: encryption), tls: encryption)
        server.isOfCommandLine = true
        return server
    }

    private var console: TerminalConsole { TerminalConsole() }

    /// Whether no question is left.
    private var isComplete: Bool {
        yes && username != nil && (username == "" || passwordFile != nil) && room != nil && name != nil
    }

    func run() async throws {
        var change = try ConfigurationChange(config, command: "join \(broker)", json: json)
        guard isComplete || Terminal.canAsk && !json else {
            throw Self.failure(json ? .noQuestions : .noTerminal, status: Exit.usage)
        }
        let before = try change.configuration()
        let (loggedIn, password) = try await login(to: try address())
        var server = loggedIn
        let directory = try await read(from: server)
        let (chosen, house) = try await choose(from: directory)
        let isStandby = standby ?? before.isStandby
        let summary = JoinSummary(site: chosen, house: house, known: before.regions, isStandby: isStandby)
        change.say(summary.lines(in: Terminal.language).joined(separator: "\n"))
        if directory.isCut { Terminal.printNotice(Self.text(.cut)) }
        let room = try await room(like: house.rooms)
        let node = try await name(in: room, others: house.nodes, own: before.node.name)
        let secret = password.map { ($0, change.path(of: "mqtt.password")) }
        if let secret { server.login?.passwordFile = secret.1 }
        server.login?.typed = nil
        let draft = HouseDraft(
            broker: server, site: chosen, node: node, room: room, isStandby: isStandby)
        let text = try change.changed { text throws(ConfigurationError) in try text.joining(draft) }
        let files = [change.file.path] + (secret.map { [$0.1] } ?? [])
        let isConfirmed: Bool
        if yes {
            isConfirmed = true
        } else {
            isConfirmed = try await console.confirm(
                Self.text(.write, files.joined(separator: Self.text(.and))), default: true)
        }
        guard isConfirmed else {
            throw CommandFailure(.nothingWritten, status: .failure)
        }
        if let (password, path) = secret {
            try CommandFailure.reporting { () throws(WriteObstacle) in
                try SecretFile.writeForDaemon(password.text, to: path)
            }
        }
        try change.write(text)
        (change.report.site, change.report.node, change.report.room) = (chosen, node, room)
        change.report.standby = isStandby
        change.report.hub = house.hub
        if try await change.apply() { change.say(Self.text(.list)) }
        change.printReport()
    }
}

// MARK: The broker

extension JoinCommand {
    private func login(
        to broker: MQTTSettings.Broker
    ) async throws -> (MQTTSettings.Broker, password: TypedPassword?) {
        var broker = broker
        let user = try await asked(username, Self.text(.user)) {
            $0.isEmpty || Configuration.isText($0) ? nil : Self.text(.userMistake)
        }
        guard !user.isEmpty else { return (broker, nil) }
        broker.allowsClearPassword = try await decideClearPassword(to: broker)
        if let passwordFile {
            broker.login = .init(username: user, passwordFile: passwordFile)
            return (broker, nil)
        }
        let password = try await console.ask(Self.text(.password, user), isSecret: true) { typed in
            guard let password = TypedPassword(typed) else {
                throw Mistake(Self.text(.passwordMistake, "\(TypedPassword.limit)"))
            }
            return password
        }
        broker.login = .init(username: user, typed: password)
        return (broker, password)
    }

    /// Returns whether the password may be sent without encryption, by the option or by an answer.
    private func decideClearPassword(to broker: MQTTSettings.Broker) async throws -> Bool {
        guard broker.isInClear, tls == nil else { return tls == false }
        guard !isComplete else {
            throw Self.failure(.unencrypted, broker.host.plain(), status: Exit.usage)
        }
        guard try await console.confirmClearPassword(to: broker.host) else {
            throw Self.failure(.notSent, status: .failure)
        }
        return true
    }

    private func read(from broker: MQTTSettings.Broker) async throws -> HouseDirectory {
        if !json { print(Self.text(.reading, "\(broker)")) }
        do {
            return try await WaitingLine.during(Self.text(.waiting)) {
                try await HouseReader(broker, site: site).read()
            }
        } catch let failure as HouseReader.Failure {
            throw CommandFailure(failure, status: Exit.unavailable)
        } catch {
            throw CommandFailure("\(error)", status: Exit.unavailable)
        }
    }

    private func choose(from directory: HouseDirectory) async throws -> (String, HouseDirectory.Site) {
        let names = directory.sites.keys.sorted()
        guard let first = names.first else {
            throw site.map { Self.failure(.noHouseNamed, $0, status: .failure) }
                ?? Self.failure(.noHouse, status: .failure)
        }
        var chosen = site ?? first
        if site == nil, names.count > 1 {
            guard Terminal.canAsk, !isComplete else {
                throw Self.failure(.severalHouses, names.joined(separator: ", "), status: Exit.usage)
            }
            print(Self.text(.houses, Terminal.language.list(names)))
            chosen = try await asked(nil, Self.text(.whichHouse, first), default: first) {
                names.contains($0) ? nil : Self.text(.unknownHouse)
            }
        }
        guard let house = directory.sites[chosen] else {
            throw Self.failure(.noSuchHouse, chosen, names.joined(separator: ", "), status: .failure)
        }
        return (chosen, house)
    }
}

// MARK: This node

extension JoinCommand {
    private func room(like rooms: [String]) async throws -> String {
        let question = rooms.isEmpty ? Self.text(.room) : Self.text(.roomLike, Terminal.language.list(rooms))
        return try await asked(room, question) { Configuration.isRoom($0) ? nil : Self.text(.roomMistake) }
    }

    /// Asks for the name. That of a node that is offline may be chosen: the machine may have been installed again.
    ///
    /// - Parameter own: The name in the file, which may be that of one of the nodes: this one.
    private func name(
        in room: String, others: [String: HouseDirectory.Node], own: String?
    ) async throws -> String {
        let taken = Set(others.filter { $0.key != own && $0.value.isOnline != false }.keys)
        let known = Set(others.keys.filter { $0 != own })
        let free = [own, Configuration.isNodeName(room) ? room : nil, NodeName.local].compactMap(\.self)
        let proposal = free.first { !known.contains($0) } ?? Self.numbered(NodeName.local, known)
        if let name, taken.contains(name) {
            throw Self.failure(.takenName, name, status: .failure)
        }
        return try await asked(name, Self.text(.name, proposal), default: proposal) {
            if taken.contains($0) { return Self.text(.taken) }
            return Configuration.isNodeName($0) ? nil : Self.text(.nameMistake)
        }
    }

    static func numbered(_ name: String, _ taken: Set<String>) -> String {
        (2...).lazy.map { "\(name.prefix(56))-\($0)" }.first { !taken.contains($0) } ?? name
    }

    /// Returns the given answer, or asks until there is one without a mistake.
    private func asked(
        _ given: String?, _ question: String, default proposal: String = "", mistake: (String) -> String?
    ) async throws -> String {
        if let given { return given }
        return try await console.ask(question) { answer in
            let chosen = answer.isEmpty ? proposal : answer
            if let mistake = mistake(chosen) { throw Mistake(mistake) }
            return chosen
        }
    }
}

/// The house that this Pi joins, for the user to confirm.
struct JoinSummary {
    let site: String
    let house: HouseDirectory.Site
    /// The regions in the file.
    let known: [Configuration.Region]
    var isStandby = false

    func lines(in language: Language) -> [String] {
        func text(_ phrase: JoinPhrase, _ values: String...) -> String { language(phrase, values) }
        let nodes = house.nodes.sorted { $0.key < $1.key }.map { name, node in
            node.isOnline == false ? text(.offline, name) : name
        }
        var lines = [text(.house, site, text(.pis, "\(nodes.count)"), language.list(nodes))]
        lines.append(house.hub.map { text(.hub, $0) } ?? text(.noHub))
        if isStandby { lines.append(text(.standby)) }
        if !known.isEmpty, !isStandby { lines.append(text(.ownRegions, language.list(known.map(\.identifier)))) }
        return lines
    }
}
