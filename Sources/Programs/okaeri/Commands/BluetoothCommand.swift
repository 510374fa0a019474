import ArgumentParser
import OkaeriBluetooth
import OkaeriEvents
import OkaeriListening
import OkaeriSetup

struct BluetoothCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluetooth", abstract: "Show the state of Bluetooth and its reason, or switch it on.",
        subcommands: [BluetoothStatusCommand.self, BluetoothOnCommand.self],
        defaultSubcommand: BluetoothStatusCommand.self)
}

/// `--adapter` and `--timeout`: which adapter is asked, and how long it is waited for.
struct AdapterOptions: ParsableArguments {
    @Option(help: "The adapter, such as hci0; default: the first that is switched on.")
    var adapter: String?

    @Option(help: "The time limit of the adapter's answer, in seconds.")
    var timeout = 10.0

    func validate() throws {
        guard timeout > 0, timeout <= 3600 else {
            throw ValidationError("--timeout takes a number of seconds above zero and at most 3600")
        }
        if let adapter { try SourceOptions.validate(adapter: adapter) }
    }
}

struct BluetoothStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of Bluetooth and its reason.",
        discussion: """
            The states are CoreBluetooth's: unsupported, unauthorized, poweredOff, poweredOn, and resetting or unknown while \
            the adapter does not answer. Exit status: 0 poweredOn, 77 unauthorized, else 69.
            """)

    @OptionGroup var options: AdapterOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        let bluetooth = BluetoothManager(adapter: options.adapter)
        let update = await bluetooth.authorize(within: .seconds(options.timeout))
        print(json ? update.fields.json : "\(update.state.rawValue)  \(update.reason)")
        throw update.exitStatus
    }
}

struct BluetoothOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Switch Bluetooth on.",
        discussion: """
            Names the steps (remove rfkill's block, switch the adapter on), asks for consent, performs them, and waits \
            until the adapter answers. It reports a block by a switch or key of the machine and changes nothing. Exit \
            status: 0 Bluetooth is on, 1 consent was refused, 69 it stays off, 77 this user may not switch it on.
            """)

    @OptionGroup var options: AdapterOptions

    @Flag(help: "Do not ask for consent, and print nothing.")
    var yes = false

    func run() async throws {
        let limit = Duration.seconds(options.timeout)
        let bluetooth = BluetoothManager(adapter: options.adapter)
        var update = await bluetooth.authorize(within: limit)
        if update.state == .poweredOff, let adapter = update.adapter {
            try await switchOn(adapter)
            update = await bluetooth.poweredOn(within: limit)
        }
        guard update.state == .poweredOn else {
            return try update.demandPower()
        }
        if !yes { print(update.reason) }
    }

    private func switchOn(_ adapter: String) async throws {
        do {
            let plan = try PowerPlan(adapter: adapter)
            if !yes, !plan.steps.isEmpty { try await demandConsent(to: plan) }
            try await plan.carryOut()
        } catch let failure as PowerFailure {
            throw CommandFailure(
                failure.reason, status: failure.cause == .notPermitted ? Exit.noPermission : Exit.unavailable)
        }
    }

    /// Asks, and ends the command unless the answer is yes.
    private func demandConsent(to plan: PowerPlan) async throws {
        guard Terminal.canAsk else {
            throw CommandFailure(
                "\(plan.adapter.name) is switched off, and there is no terminal to ask on, so nothing is done; run the command on "
                    + "a terminal, or use `--yes` to \(plan.intention)", status: Exit.unavailable)
        }
        // The end of the input is not consent.
        let isAgreed = try? await TerminalConsole().confirm("okaeri will \(plan.intention). Go on?", default: false)
        guard isAgreed == true else {
            throw CommandFailure("nothing was done", status: .failure)
        }
    }
}

extension AdapterUpdate {
    /// The exit status of the state.
    fileprivate var exitStatus: ExitCode {
        switch state {
        case .poweredOn: .success
        case .unauthorized: Exit.noPermission
        case .unknown, .resetting, .unsupported, .poweredOff: Exit.unavailable
        }
    }

    /// Ends the command, unless Bluetooth is on.
    fileprivate func demandPower() throws(CommandFailure) {
        if state != .poweredOn { throw CommandFailure(reason, status: exitStatus) }
    }
}
