import ArgumentParser
import Glibc
import HCI
import OkaeriConfiguration
import OkaeriDaemon
import OkaeriEvents
import OkaeriHouse
import OkaeriPlumbing
import OkaeriSetup
import RegionMonitoring

struct EnrollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enroll", abstract: "Make a phone or a watch a beacon, by its key.",
        discussion: """
            Pairs with the phone, or imports its key from another program; docs/phones.md has the steps. Writes the key to \
            NAME.irk beside beacons.json, with mode 0600, adds a region NAME with this phone, and after a pairing waits up to ten \
            minutes until the phone is received. The bond is kept, unless --forget is given. If the pairing fails or is ended, \
            the adapter and its bonds are as before. Exit status: 0; 1 if it was ended, or there is no such phone; 64 for a text \
            that is not a key; 69 if Bluetooth, the phone, the broker or the service does not answer; 74 if the file is there \
            already; 77 without the right to pair or to write the files; 78 if beacons.json has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions

    @Argument(help: "The name of the phone and of its region: letters, digits, hyphens and underscores.")
    var name: String

    @Option(
        name: .customLong("import"),
        help: """
            A file with the key: 32 hexadecimal digits, base64, BlueZ's file of the device, or an export of the Windows registry; - asks \
            for the key, or reads it from standard input. A key on the command line is refused: every user could read it in the list of processes.
            """, completion: .file())
    var source: String?

    @Flag(
        name: .customLong("from-broker"),
        help: "Take the key that ESPresense has published at the broker of beacons.json.")
    var fromBroker = false

    @Flag(help: "Write without a question.")
    var yes = false

    @OptionGroup var pairing: PairingOptions
    @OptionGroup var log: LogOptions

    func validate() throws {
        if !Configuration.isNodeName(name) {
            throw ValidationError("NAME has 1 to 64 letters of ASCII, digits, hyphens and underscores")
        }
        if IdentityResolvingKey(name) != nil { throw ValidationError("NAME is a name for the phone, not its key") }
        if source != nil, fromBroker {
            throw ValidationError("name one origin of the key: --import or --from-broker; without both the phone pairs")
        }
        // The path is not shown: it may be a key.
        if let source, source != "-", access(source, F_OK) != 0 {
            throw ValidationError(
                "--import takes a file that exists, or -; a key on the command line is not used: if it was one, delete it in the "
                    + "history of the shell\(Installation.words(" and in the log of sudo", or: ""))")
        }
    }

    func run() async throws {
        let origin = fromBroker ? " --from-broker" : isPairing ? "" : " --import -"
        let files = try PhoneFiles(config, name: name, command: "enroll \(name)\(origin)")
        // First of all: after a pairing the phone has a bond, and a question would come too late.
        try await files.consent(isConfirmed: yes)
        guard !isPairing else {
            return try await TerminalEnrollment(name, pairing, in: files, logger: log.logger).run()
        }
        let identity = fromBroker ? try await published(files.before) : try await imported()
        if try await files.store(identity) { files.sayUnproven() }
    }

    private var isPairing: Bool { source == nil && !fromBroker }

    private func imported() async throws -> DeviceIdentity {
        guard let source, source != "-" else {
            let console = TerminalConsole()
            let typed =
                isatty(STDIN_FILENO) == 1
                ? try await console.askSecret(Terminal.canAsk ? "Key of \(name): " : "")
                : try await console.pipedSecret(limit: IdentityFile.limit)
            guard let identity = DeviceIdentity(typed) else {
                throw CommandFailure(
                    "this is not a key; a key has 32 hexadecimal digits, or is base64 of 16 bytes; a file of BlueZ or an export of the "
                        + "Windows registry must have the key of one device", status: Exit.usage)
            }
            return identity
        }
        do throws(IdentityFileError) {
            return try IdentityFile.load(source, user: ServiceAccount.sudoCaller)
        } catch {
            throw CommandFailure(error.description, status: Exit.usage)
        }
    }

    private func published(_ configuration: Configuration) async throws -> DeviceIdentity {
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
        let found = directory.phones(named: name)
        if found.count > 1 { throw CommandFailure(Self.ambiguous(name), status: .failure) }
        if let found = found.first { return DeviceIdentity(key: found.key) }
        let names = directory.phones.enumerated().map { "\($0 + 1)  \($1.name)" }
        guard !names.isEmpty, Terminal.canAsk else {
            let others = names.isEmpty ? "" : ", only \(directory.phones.map(\.name).joined(separator: ", "))"
            throw CommandFailure(
                "the broker has no key of \(name) from ESPresense\(others); enroll the phone there first, or use `--import -`",
                status: .failure)
        }
        print(names.joined(separator: "\n"))
        return try await TerminalConsole().ask("Which one is \(name)? [1-\(names.count)] ") { answer in
            guard let number = Int(answer), 1...names.count ~= number else { throw Mistake("") }
            let chosen = directory.phones[number - 1]
            guard directory.phones(named: chosen.name).count == 1 else { throw Mistake(Self.ambiguous(chosen.name)) }
            return DeviceIdentity(key: chosen.key)
        }
    }

    private static func ambiguous(_ name: String) -> String {
        "the broker has several keys named \(name), and any of its clients can publish one; rename or delete the wrong ones in "
            + "ESPresense, or use `--import -`"
    }
}

extension EnrollCommand {
    /// The number of bytes of the shortest text of a key: 16 bytes in base64 without padding.
    private static let shortestKey = 22

    /// Returns a sentence for an invalid command line of `enroll` with values in which a key may be, of any form and in any number of
    /// pieces; `nil` for any other. The parser's message would show the values.
    static func sentenceHidingKey(_ arguments: [String]) -> String? {
        // The command may follow "--", which ends the options.
        let own = arguments.drop { $0 != configuration.commandName }
        let values = own.dropFirst().map { argument in
            guard argument.hasPrefix("--") else { return argument[...] }
            return argument.split(separator: "=", maxSplits: 1).dropFirst().first ?? ""
        }
        guard !own.isEmpty,
            values.reduce(0, { $0 + $1.utf8.count }) >= shortestKey
        else { return nil }
        return
            "the command line is not valid, and is not shown, because it may have a key; `okaeri enroll --help` lists the options, and "
            + "`okaeri enroll NAME --import -` asks for a key"
    }
}
