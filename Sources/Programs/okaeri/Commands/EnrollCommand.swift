import ArgumentParser
import OkaeriEvents
import Glibc
import HCI
import OkaeriHouse
import OkaeriConfiguration
import OkaeriDaemon
import OkaeriPlumbing
import RegionMonitoring
import OkaeriSetup

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
            The key: 32 hexadecimal digits, or base64. Prefer -, which asks for it, or reads it from standard input: a key on \
            the command line stays in the history of the shell and in the log of sudo, and while the command runs under sudo, \
            every user sees it in the list of processes.
            """)
    var key: String?

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
        if key != nil, fromBroker {
            throw ValidationError("name one origin of the key: --import or --from-broker; without both the phone pairs")
        }
    }

    func run() async throws {
        if let key { CommandLine.hide(key) }
        if let key, key != "-" {
            Terminal.printNotice(
                "the key on the command line stays in the history of the shell and in the log of sudo, and in the list of processes "
                    + "while sudo waits; delete it there, and use `--import -` next time")
        }
        let origin = fromBroker ? " --from-broker" : isPairing ? "" : " --import -"
        let files = try PhoneFiles(config, name: name, command: "enroll \(name)\(origin)")
        // First of all: after a pairing the phone has a bond, and a question would come too late.
        try await files.consent(isConfirmed: yes)
        guard !isPairing else {
            return try await TerminalEnrollment(name, pairing, in: files, logger: log.logger).run()
        }
        guard let identity = fromBroker ? try await published(files.before) : try await typed() else {
            throw CommandFailure(
                "this is not a key; a key has 32 hexadecimal digits, or is base64 of 16 bytes", status: Exit.usage)
        }
        if try await files.store(identity) { files.sayUnproven() }
    }

    private var isPairing: Bool { key == nil && !fromBroker }

    private func typed() async throws -> DeviceIdentity? {
        guard let key, key == "-" else { return key.flatMap { DeviceIdentity($0) } }
        return DeviceIdentity(try await TerminalConsole().askSecret(Terminal.canAsk ? "Key of \(name): " : ""))
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
        return try await TerminalConsole().ask("Which one is \(name)? [1-\(names.count)] ") { answer in
            guard let number = Int(answer), 1...names.count ~= number else { throw Mistake("") }
            return DeviceIdentity(key: directory.phones[number - 1].key)
        }
    }
}

extension EnrollCommand {
    /// Returns a sentence without the key for an invalid command line of `enroll` that has one; `nil` for any other.
    static func sentenceHidingKey(_ arguments: [String]) -> String? {
        func isKey(_ argument: String) -> Bool {
            let value = argument.hasPrefix("--") ? argument.split(separator: "=", maxSplits: 1).last : argument[...]
            return value.flatMap { IdentityResolvingKey($0) } != nil
        }
        guard arguments.first == configuration.commandName, arguments.contains(where: isKey) else { return nil }
        return "the command line is not valid, and has a key that no message shows; use `okaeri enroll NAME --import -`"
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
