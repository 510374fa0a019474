import ArgumentParser
import Glibc
import OkaeriConfiguration
import OkaeriDaemon
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put the files of a backup back, here or on another machine.",
        discussion: """
            It checks the backup and its configuration, lists the files that change, and asks. Then it stops the service, \
            replaces the files, and starts the service again; the former files stay beside the new ones as .bak. If a file \
            cannot be replaced, all are put back. It writes files with secrets only into the folder of beacons.json, under names \
            that end in psk, passphrase, password, token, secret, irk, key, pem, crt or cer; others, and links out of the \
            folder, are left out, and named. It lists the commands that the configuration of the backup runs, and asks about \
            each one that the present configuration does not run for the same event of the same beacons, phones or services. It \
            asks about each broker, notified server, and address of the page and the metrics that the present configuration does \
            not name, and once about all of them if this machine has no configuration; about the download of backups from the page \
            it asks each time, if the present configuration does not offer it. The logins of the page stay those of this \
            machine. The name of the node and its room are those of the backup. It asks for the passphrase of an encrypted backup, as \
            the page and `age -p` write it. Exit status: 0; 1 if you ended it; 64 without a \
            terminal and --yes, or with --yes and a new command or server; 65 if the backup is damaged, or of a newer okaeri; 69 \
            if the service does not stop or start; 74 if a file cannot be written; 77 without the right to do so; 78 if its \
            configuration has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var state: StateOptions

    @Flag(help: "Ask nothing. New commands require --allow-commands, new servers --allow-servers.")
    var yes = false

    @Flag(help: "Let the restored configuration run its commands.")
    var allowCommands = false

    @Flag(
        help:
            "Let the restored configuration use its servers. They receive events, and passwords and tokens of this machine."
    )
    var allowServers = false

    @Flag(help: "Restore the logins of the page, too. Sessions that were revoked after the backup are valid again.")
    var logins = false

    @OptionGroup var passphrase: BackupPassphraseOptions

    @Flag(help: "Print JSON. Requires --yes.")
    var json = false

    @Argument(help: "The file that `okaeri backup` wrote.", completion: .file())
    var file: String

    fileprivate struct Report: Encodable {
        let node: String
        let time: String
        let version: String
        let files: [RestorePlan.Change]
        /// The commands that are new on this machine, or new for their event.
        let commands: [[String]]
        /// The keys of the configuration that change the receivers and the causes of events.
        let changedKeys: [String]
        /// The servers that are new on this machine.
        let servers: [RestorePlan.Server]
        /// The browsers that the backup logs in.
        let logins: [String]
        /// Whether the service uses the files now.
        var applied = false
        /// The steps that are left to the user.
        var next: [String] = []

        init(_ plan: RestorePlan) {
            (node, time, version, files) = (plan.node, plan.time, plan.version, plan.changes)
            (changedKeys, servers) = (plan.changedKeys, plan.newServers)
            (commands, logins) = (plan.newCommands.map(\.command.arguments), plan.restoresLogins ? plan.logins : [])
        }
    }

    func validate() throws {
        if json, !yes { throw ValidationError("--json requires --yes, because nothing is asked then") }
    }

    func run() async throws {
        let target = Configuration.fileToWrite(
            named: config.file, isRoot: geteuid() == 0, isService: ServiceControl.isInstalled)
        let isEncrypted = try await blocking("reading the backup") { [file] () throws(BackupFailure) in
            try RestorePlan.isEncrypted(file)
        }
        let typed = try await passphrase.bytes(isEncrypted: isEncrypted, asks: !json)
        let plan = try await blocking("reading the backup") {
            [file, directory = state.forDaemon, logins] () throws(BackupFailure) in
            try RestorePlan(
                of: file, configurationFile: target, directory: directory,
                format: StateFormat(
                    problem: StateText.problem, logins: StateText.logins, replacingLogins: StateText.replacingLogins),
                passphrase: typed, restoresLogins: logins)
        }
        if !json { plan.lines.forEach { print($0) } }
        guard plan.changesAnything else { return finish(plan, Report(plan)) }
        try await confirm(plan)
        let signals = await EndingSignals()
        let staged = try await blocking("writing the files") {
            [interruption = signals.interruption]
            () throws(BackupFailure) in
            try plan.stage(interruption)
        }
        // From here to the end the service would stay stopped.
        guard await signals.ignore() else {
            staged.discard()
            throw CommandFailure(.nothingWritten, status: .failure)
        }
        finish(plan, try await exchange(staged, plan))
    }

    private func confirm(_ plan: RestorePlan) async throws {
        let commands = allowCommands ? [] : plan.newCommands.map(\.line)
        let servers = allowServers ? [] : plan.newServers.map(\.line)
        guard !yes else { return try Self.refuse(commands, servers) }
        guard Terminal.canAsk else {
            throw CommandFailure("there is no terminal to ask on; use `--yes`", status: Exit.usage)
        }
        let console = TerminalConsole()
        let downloads = allowServers ? [] : plan.newServers.filter(\.isDownload).map(\.line)
        let others = servers.filter { !downloads.contains($0) }
        let uses = (plan.isFirst && !others.isEmpty ? [others.joined(separator: ", ")] : others) + downloads
        let questions = commands.map { "run \($0)" } + uses.map { "use \($0)" }
        for question in questions where try await !console.confirm("Let the service \(question)?", default: false) {
            throw CommandFailure(.nothingWritten, status: .failure)
        }
        guard try await console.confirm("Change these files?", default: true) else {
            throw CommandFailure(.nothingWritten, status: .failure)
        }
    }

    /// Throws if something is new, because nothing is asked.
    private static func refuse(_ commands: [String], _ servers: [String]) throws {
        let new = [("runs", commands, "`--allow-commands`"), ("uses", servers, "`--allow-servers`")].filter {
            !$0.1.isEmpty
        }
        guard !new.isEmpty else { return }
        throw CommandFailure(
            "the configuration of the backup "
                + new.map { "\($0.0) \($0.1.joined(separator: ", "))" }.joined(separator: ", and ")
                + "; if you trust it, add \(new.map(\.2).joined(separator: " and "))", status: Exit.usage)
    }

    /// Exchanges the files while the service is stopped.
    private func exchange(_ staged: StagedRestore, _ plan: RestorePlan) async throws -> Report {
        var report = Report(plan)
        let isOfService = plan.configurationFile == ServiceControl.file && ServiceControl.isControllable
        let service = ServiceControl()
        let wasRunning = isOfService ? await service.isRunning : false
        do throws(ServiceControl.Failure) {
            if wasRunning { try await service.stop() }
        } catch {
            staged.discard()
            throw CommandFailure(error.description, status: Exit.unavailable)
        }
        do {
            try await blocking("replacing the files") { () throws(BackupFailure) in try staged.exchange() }
        } catch {
            if wasRunning { try? await service.start() }
            throw error
        }
        guard wasRunning else {
            // The runtime starts the daemon.
            guard Installation.current == .machine else {
                Terminal.printNotice(Remedy.restart().order())
                return report
            }
            report.next = [
                isOfService ? "sudo systemctl enable --now okaeri" : "okaeri monitor --config \(plan.configurationFile)"
            ]
            return report
        }
        do throws(ServiceControl.Failure) {
            try await service.start()
            report.applied = true
            return report
        } catch {
            throw CommandFailure(
                "the files are replaced, and the former ones are beside them as .bak, but \(error)",
                status: Exit.unavailable)
        }
    }

    private func finish(_ plan: RestorePlan, _ report: Report) {
        for remark in ConfigurationCheck(plan.configuration, file: plan.configurationFile).remarks {
            Terminal.printNotice(
                "\(plan.configurationFile.escapedName): \(remark.sentence(in: Terminal.language))")
        }
        if json { return print(JSON.line(report)) }
        if report.applied { print("The service okaeri runs with these files.") }
        for step in report.next { print("Next: `\(step.escapedName)`.") }
    }
}

extension RestorePlan {
    fileprivate var changesAnything: Bool { changes.contains { ![.unchanged, .leftOut].contains($0.action) } }

    /// The plan, for a person.
    fileprivate var lines: [String] {
        ["The backup is of node \(node), of \(time), by okaeri \(version)."]
            + changes.map { "  \($0.path.escapedName): \($0.sentence)\(remedy(for: $0))" }
            + (changes.contains { $0.action == .replaced }
                ? ["Each former file stays beside the new one as .bak."] : [])
            + commands.map {
                "Its configuration runs a command that \($0.isNew ? "is new here" : "this machine runs already"): \($0.line)"
            }
            + (changedKeys.isEmpty ? [] : [keyLine])
            + loginLines
    }

    /// The command that writes a file which the restoring leaves out.
    private func remedy(for change: Change) -> String {
        guard change.action == .leftOut, let command = installCommand(for: change.path) else { return "" }
        return "; if you trust the backup, run `\(command.escapedName)`"
    }

    private var keyLine: String {
        "The beacons.json of the backup changes these keys of \(configurationFile.escapedName): "
            + changedKeys.joined(separator: ", ")
    }

    private var loginLines: [String] {
        guard !logins.isEmpty else { return [] }
        guard restoresLogins else {
            return ["Its logins of the page are left out: \(logins.count); --logins restores them."]
        }
        return ["Its logins of the page replace those of this machine: \(logins.joined(separator: ", ").escapedName)"]
    }
}

extension RestorePlan.Command {
    /// The command as a line of a shell, and its event, without control characters.
    fileprivate var line: String {
        "`\(command.arguments.map(\.shellQuoted).joined(separator: " "))` for \(cause)".escapedName
    }
}

extension RestorePlan.Server {
    fileprivate var line: String {
        let purpose = isDownload ? "\(key), the download of all keys and passwords by browsers with a session" : key
        return "\(address) for \(purpose)".escapedName
    }
}

extension RestorePlan.Change {
    fileprivate var sentence: String {
        switch action {
        case .replaced: "is replaced"
        case .created: "is created"
        case .unchanged: "is the same already"
        case .removed: "is set aside as .bak, because the backup has no such file"
        case .leftOut: "is left out, because \(obstacle?.sentence ?? "")"
        }
    }
}

extension RestorePlan.Change.Obstacle {
    fileprivate var sentence: String {
        switch self {
        case .folder: "it is not in the folder of beacons.json"
        case .name: "its name is not for its purpose"
        case .link: "a link leads to another folder or name"
        }
    }
}
