import ArgumentParser
import Bluetooth
import Events
import Listening
import Plumbing

struct BluetoothCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bluetooth", abstract: "Whether there is Bluetooth, and why not; and switch it on.",
        subcommands: [BluetoothStatusCommand.self, BluetoothOnCommand.self],
        defaultSubcommand: BluetoothStatusCommand.self)
}

/// `--adapter` and `--timeout`: which adapter is asked, and how long it is waited for.
struct AdapterOptions: ParsableArguments {
    @Option(help: "Which adapter, such as hci0; the first that is switched on by default.")
    var adapter: String?

    @Option(help: "Wait no longer than this many seconds for its answer.")
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
        commandName: "status", abstract: "The state of Bluetooth, and why it is so.",
        discussion: """
            The states are CoreBluetooth's: unsupported, unauthorized, poweredOff, poweredOn; resetting or unknown while the \
            adapter does not answer. Exit status: 0 poweredOn, 77 unauthorized, else 69.
            """)

    @OptionGroup var options: AdapterOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        let bluetooth = BluetoothManager(adapter: options.adapter)
        let update = await bluetooth.authorize(within: .seconds(options.timeout))
        print(json ? update.fields.json : "\(update.state.rawValue)  \(update.reason)")
        try update.demandPower()
    }
}

struct BluetoothOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Switch Bluetooth on.",
        discussion: """
            Says what it will do (lift rfkill's block, switch the adapter on) and asks before it does; then waits until \
            the adapter answers. A block by a switch or key of the machine is named, and nothing is done. Exit status: 0 \
            when Bluetooth is on, 1 if the answer was no, 69 if it stays off, 77 if this user may not switch it on.
            """)

    @OptionGroup var options: AdapterOptions

    @Flag(name: .customLong("no-power-alert"), help: "Do it without a question, and silently.")
    var isSilent = false

    func run() async throws {
        let limit = Duration.seconds(options.timeout)
        let bluetooth = BluetoothManager(adapter: options.adapter)
        var update = await bluetooth.authorize(within: limit)
        if update.state == .poweredOff, let adapter = update.adapter {
            try await switchOn(adapter)
            update = await bluetooth.poweredOn(within: limit)
        }
        guard update.state == .poweredOn else {
            Terminal.complain(update.reason)
            return try update.demandPower()
        }
        if !isSilent { print(update.reason) }
    }

    private func switchOn(_ adapter: String) async throws {
        do {
            let plan = try PowerPlan(adapter: adapter)
            if !isSilent, !plan.steps.isEmpty { try await demandConsent(to: plan) }
            try await plan.carryOut()
        } catch let failure as PowerFailure {
            Terminal.complain(failure.reason)
            throw failure.cause == .notPermitted ? Exit.noPermission : Exit.unavailable
        }
    }

    /// Asks, and ends the command unless the answer is yes.
    private func demandConsent(to plan: PowerPlan) async throws {
        guard Terminal.canAsk else {
            Terminal.complain(
                "\(plan.adapter.name) is switched off, and there is no terminal to ask on, so nothing is done; run the command on "
                    + "a terminal, or use `--no-power-alert` to \(plan.intention)")
            throw Exit.unavailable
        }
        try? Terminal.write("okaeri will \(plan.intention). Go on? [y/N] ", to: .output)
        let answer = try await BlockingThread.run(BlockingThread.StartError.init) {
            () throws(BlockingThread.StartError) in readLine()?.lowercased() ?? ""
        }
        guard answer == "y" || answer == "yes" else {
            Terminal.complain("nothing was done")
            throw ExitCode.failure
        }
    }
}

extension AdapterUpdate {
    /// Ends the command with the status that fits, unless Bluetooth is on.
    fileprivate func demandPower() throws {
        switch state {
        case .poweredOn: return
        case .unauthorized: throw Exit.noPermission
        case .unknown, .resetting, .unsupported, .poweredOff: throw Exit.unavailable
        }
    }
}
