import ArgumentParser
import Glibc
import IBeacon
import OkaeriConfiguration
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
        if let site, !Configuration.isNodeName(site) { throw ValidationError("--site takes \(Self.plainName)") }
        if let name, !Configuration.isNodeName(name) { throw ValidationError("--name takes \(Self.plainName)") }
        if let room, !Configuration.isRoom(room) { throw ValidationError("--room takes \(Self.roomName)") }
        if let authority, !authority.hasPrefix("/") { throw ValidationError("--tls-ca takes an absolute path") }
        if authority != nil, tls == false { throw ValidationError("--tls-ca encrypts; remove --no-tls") }
        if let passwordFile, !SecretFile.isPath(passwordFile) {
            throw ValidationError("--password-file takes \(SecretFile.expected)")
        }
        if passwordFile != nil, username == nil { throw ValidationError("--password-file requires --username") }
    }

    fileprivate static let plainName = "1 to 64 letters of ASCII, digits, hyphens and underscores"
    fileprivate static let roomName = "a name of up to 64 bytes without control characters"

    /// The broker without a login.
    private func address() throws -> MQTTSettings.Broker {
        let encryption: MQTTSettings.TLS? = tls == true || authority != nil ? .init(authorities: authority) : nil
        guard let found = ServerAddress(broker) else {
            throw ValidationError(
                "\(broker.escapedName) is not a HOST or HOST:PORT, such as mqtt.lan, 192.168.1.10:1883 or [fd00::1]:1883"
            )
        }
        var server = MQTTSettings.Broker(
            host: found.host, port: found.port ?? (encryption == nil ? 1883 : 8883), tls: encryption)
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
            throw CommandFailure(
                "\(json ? "with --json nothing is asked" : "there is no terminal to ask on"); use `--username NAME --password-file FILE --room ROOM --name NAME --yes`, and "
                    + "`--site SITE` if the broker has several houses", status: Exit.usage)
        }
        let before = try change.configuration()
        let (loggedIn, password) = try await login(to: try address())
        var server = loggedIn
        let directory = try await read(from: server)
        let (chosen, house) = try await choose(from: directory)
        let isStandby = standby ?? before.isStandby
        let summary = JoinSummary(site: chosen, house: house, known: before.regions, isStandby: isStandby)
        change.say(summary.lines.joined(separator: "\n"))
        if directory.isCut { Terminal.printNotice("the broker has more than that; the rest was ignored") }
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
            isConfirmed = try await console.confirm("Write \(files.joined(separator: " and "))?", default: true)
        }
        guard isConfirmed else {
            throw CommandFailure("nothing was written", status: .failure)
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
        if try await change.apply() { change.say("`okaeri nodes` lists the Pis of the house.") }
        change.printReport()
    }
}

// MARK: The broker

extension JoinCommand {
    private func login(
        to broker: MQTTSettings.Broker
    ) async throws -> (MQTTSettings.Broker, password: TypedPassword?) {
        var broker = broker
        let user = try await asked(username, "User name at the broker (Enter for none): ") {
            $0.isEmpty || Configuration.isText($0) ? nil : "A user name has no control characters."
        }
        guard !user.isEmpty else { return (broker, nil) }
        broker.allowsClearPassword = try await decideClearPassword(to: broker)
        if let passwordFile {
            broker.login = .init(username: user, passwordFile: passwordFile)
            return (broker, nil)
        }
        let password = try await console.ask("Password of \(user): ", isSecret: true) { typed in
            guard let password = TypedPassword(typed) else {
                throw Mistake("A password has 1 to \(TypedPassword.limit) bytes without control characters.")
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
            throw CommandFailure(
                "the connection to \(broker.host.plain()) is not encrypted, so the password is not sent; use `--tls` or "
                    + "`--tls-ca FILE`, or `--no-tls` to send it unencrypted", status: Exit.usage)
        }
        guard try await console.confirmClearPassword(to: broker.host) else {
            throw CommandFailure("nothing was sent or written; `--tls` or `--tls-ca FILE` encrypts", status: .failure)
        }
        return true
    }

    private func read(from broker: MQTTSettings.Broker) async throws -> HouseDirectory {
        if !json { print("Reading the houses at \(broker) …") }
        do {
            return try await WaitingLine.during("reading") { try await HouseReader(broker, site: site).read() }
        } catch {
            throw CommandFailure("\(error)", status: Exit.unavailable)
        }
    }

    private func choose(from directory: HouseDirectory) async throws -> (String, HouseDirectory.Site) {
        let names = directory.sites.keys.sorted()
        guard let first = names.first else {
            throw CommandFailure(
                "no Pi of \(site.map { "the house \"\($0)\"" } ?? "any house") has published anything at this broker; set up the "
                    + "first Pi with `sudo okaeri setup`, and \"mqtt\" as /usr/share/doc/okaeri/broker.md shows",
                status: .failure)
        }
        var chosen = site ?? first
        if site == nil, names.count > 1 {
            guard Terminal.canAsk, !isComplete else {
                throw CommandFailure(
                    "the broker has several houses: \(names.joined(separator: ", ")); name one with `--site`",
                    status: Exit.usage)
            }
            print("Houses at the broker: \(names.joined(separator: ", "))")
            chosen = try await asked(nil, "Which one? [\(first)] ", default: first) {
                names.contains($0) ? nil : "There is no house of that name."
            }
        }
        guard let house = directory.sites[chosen] else {
            throw CommandFailure(
                "there is no house \"\(chosen)\" at this broker, only \(names.joined(separator: ", "))",
                status: .failure)
        }
        return (chosen, house)
    }
}

// MARK: This node

extension JoinCommand {
    private func room(like rooms: [String]) async throws -> String {
        let others = rooms.isEmpty ? "" : " (the others: \(rooms.joined(separator: ", ")))"
        return try await asked(room, "Which room is this Pi in?\(others) ") {
            Configuration.isRoom($0) ? nil : "A room has \(Self.roomName)."
        }
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
            throw CommandFailure(
                "another Pi of the house is called \(name) and is online; choose another `--name`", status: .failure)
        }
        return try await asked(name, "Its name among the Pis? [\(proposal)] ", default: proposal) {
            if taken.contains($0) { return "Another Pi of the house has that name, and is online." }
            return Configuration.isNodeName($0) ? nil : "A name has \(Self.plainName)."
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

    var lines: [String] {
        let nodes = house.nodes.sorted { $0.key < $1.key }.map { name, node in
            name + (node.isOnline == false ? " (offline)" : "")
        }
        var lines = [
            "House \"\(site)\", \(quantity(nodes.count, "Pi")): \(nodes.joined(separator: ", "))"
        ]
        lines.append(
            house.hub.map { "  hub: \($0), which has the regions" }
                ?? "  no hub yet: `sudo okaeri setup` on the first Pi adds a region")
        if isStandby { lines.append("  this Pi is the standby: it decides while the hub is away") }
        if !known.isEmpty, !isStandby {
            lines.append(
                "  the regions of this file stay its own, decided by its own radio alone: "
                    + known.map(\.identifier).joined(separator: ", "))
        }
        return lines
    }
}
