import ArgumentParser
import Events
import Glibc
import HCI
import House
import OkaeriConfiguration
import Plumbing
import RegionMonitoring

struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll", abstract: "Make a phone or a watch a beacon, by its key.",
        discussion: """
            Writes the key to NAME.irk beside beacons.json, with mode 0600, and adds a region NAME with this phone. The key \
            comes from another program: `man okaeri` and docs/phones.md name them. Exit status: 0; 1 if it was ended, or \
            there is no such phone; 64 for a text that is no key; 69 if the broker or the service does not answer; 73 if the \
            file is there already; 77 without the right to write the files; 78 if beacons.json has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions

    @Argument(help: "The name of the phone and of its region: letters, digits, hyphens and underscores.")
    var name: String

    @Option(
        name: .customLong("import"),
        help: "The key: 32 hexadecimal digits, or base64; - asks for it, or reads it from standard input.")
    var key: String?

    @Flag(
        name: .customLong("from-broker"),
        help: "Take the key that ESPresense has published at the broker of beacons.json.")
    var fromBroker = false

    @Flag(help: "Write without a question.")
    var yes = false

    func validate() throws {
        if !Configuration.isNodeName(name) {
            throw ValidationError("NAME has 1 to 64 letters of ASCII, digits, hyphens and underscores")
        }
        if (key != nil) == fromBroker {
            throw ValidationError("name the key's origin: --import KEY, --import - or --from-broker")
        }
    }

    func run() async throws {
        if let key { CommandLine.hide(key) }
        var change = try ConfigurationChange(
            config, command: "enroll \(name) \(fromBroker ? "--from-broker" : "--import -")", json: false)
        let before = try change.configuration()
        let path = SecretFile.path(of: "\(name).irk", beside: change.file.target)
        guard access(path, F_OK) != 0 else {
            throw CommandFailure(
                "\(path) is there already; remove it first, or choose another name", status: Exit.cannotCreate)
        }
        guard let identity = fromBroker ? try await published(before) : try await typed() else {
            throw CommandFailure(
                "this is no key; a key has 32 hexadecimal digits, or is base64 of 16 bytes", status: Exit.usage)
        }
        let isTaken = before.regions.contains { $0.identifier == name }
        let files = [path] + (isTaken ? [] : [change.file.path])
        if !yes, Terminal.canAsk, try await !TerminalQuestions.confirm("Write \(files.joined(separator: " and "))?") {
            throw CommandFailure("nothing was written", status: .failure)
        }
        let address = identity.address.map { " \($0)" } ?? ""
        try SecretFile.writeForDaemon(identity.key.secretText + address, to: path)
        change.say("\(path) is written.")
        guard !isTaken else {
            change.say(
                "The region \"\(name)\" is there already. Add the phone to its \"anyOf\": {\"phone\": \(JSON.text(path))}"
            )
            return
        }
        try change.write(change.changed { text throws(ConfigurationError) in try text.adding(phone: path, as: name) })
        if try await change.apply() {
            change.say(
                "A key is no proof that the phone advertises: `okaeri explain \(name)` shows within ten minutes whether it is received."
            )
        }
    }

    private func typed() async throws -> DeviceIdentity? {
        guard let key, key == "-" else { return key.flatMap { DeviceIdentity($0) } }
        return DeviceIdentity(try await TerminalQuestions.askSecret(Terminal.canAsk ? "Key of \(name): " : ""))
    }

    private func published(_ configuration: Configuration) async throws -> DeviceIdentity? {
        guard let broker = configuration.mqtt?.broker else {
            throw CommandFailure(
                "\(config.file ?? "beacons.json") names no broker; add \"mqtt\", or use `--import -`",
                status: Exit.configuration)
        }
        let directory: PhoneDirectory
        do {
            directory = try await HouseReader(broker).readPhones()
        } catch {
            throw CommandFailure("\(error)", status: Exit.unavailable)
        }
        if let found = directory.phones.first(where: { $0.name.lowercased() == name.lowercased() }) {
            return DeviceIdentity(key: found.key)
        }
        let names = directory.phones.enumerated().map { "\($0 + 1)  \($1.name)" }
        guard !names.isEmpty, Terminal.canAsk else {
            let others = names.isEmpty ? "" : ", only \(directory.phones.map(\.name).joined(separator: ", "))"
            throw CommandFailure(
                "the broker has no key of \(name) from ESPresense\(others); enroll the phone there first, or use `--import -`",
                status: .failure)
        }
        print(names.joined(separator: "\n"))
        while true {
            let answer = try await TerminalQuestions.ask("Which one is \(name)? [1-\(names.count)] ")
            guard let number = Int(answer), directory.phones.indices.contains(number - 1) else { continue }
            return DeviceIdentity(key: directory.phones[number - 1].key)
        }
    }
}

extension CommandLine {
    /// Overwrites an argument, so that the list of processes does not show it any more.
    static func hide(_ argument: String) {
        for index in 1..<max(1, Int(argc)) {
            guard let start = unsafeArgv[index], String(cString: start).hasSuffix(argument), argument != "-" else {
                continue
            }
            memset(start, Int32(UInt8(ascii: "x")), strlen(start))
        }
    }
}

extension SecretFile {
    private static let serviceUser = "okaeri"

    /// The path of a secret in the folder of the configuration.
    static func path(of name: String, beside file: String) -> String {
        let path = SocketPath.absolute(file)
        return "\(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])/\(name)"
    }

    /// Writes a secret to a file of the user that the daemon runs as: that of the service, or this one.
    static func writeForDaemon(_ secret: String, to path: String) throws {
        var owner = (user: geteuid(), group: getegid())
        if owner.user == 0, path.hasPrefix("/etc/okaeri/"), let account = getpwnam(serviceUser)?.pointee {
            owner = (account.pw_uid, account.pw_gid)
        }
        do throws(WriteObstacle) {
            try write(secret, to: path, owner: owner)
        } catch {
            throw CommandFailure(error.description, status: error.isPermission ? Exit.noPermission : Exit.ioError)
        }
    }
}
