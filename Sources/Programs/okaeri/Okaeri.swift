import ArgumentParser
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup

/// The command line.
@main struct Okaeri: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "okaeri",
        abstract: "Watches iBeacon regions and offers to join the home Wi-Fi on arrival.",
        discussion: """
            `okaeri` without a command lists the missing steps of the set-up. \(Remedy.setup()) performs them. \
            `man okaeri` describes the files and the exit statuses, and lists the rarer commands: advertise, agent, \
            connect, decode, devices, gatt, monitor, record, replay.
            """,
        version: "okaeri \(Version())",
        groupedSubcommands: [
            CommandGroup(
                name: "First steps",
                subcommands: [
                    SetupCommand.self, WebCommand.self, JoinCommand.self, EnrollCommand.self, DoctorCommand.self,
                    BluetoothCommand.self,
                    DemoCommand.self,
                ]),
            CommandGroup(
                name: "Presence",
                subcommands: [
                    StatusCommand.self, ExplainCommand.self, HistoryCommand.self, PlotCommand.self, NodesCommand.self,
                    LocateCommand.self, ScanCommand.self, RangeCommand.self, CalibrateCommand.self,
                ]),
            CommandGroup(
                name: "Wi-Fi",
                subcommands: [PromptsCommand.self, AnswerCommand.self, WiFiCommand.self, AgentCommand.self]),
            CommandGroup(
                name: "Service",
                subcommands: [
                    MonitorCommand.self, ConfigCommand.self, NotifyCommand.self, BackupCommand.self,
                    RestoreCommand.self,
                ]),
            CommandGroup(
                name: "Other devices",
                subcommands: [DevicesCommand.self, ConnectCommand.self, AdvertiseCommand.self, GATTCommand.self]),
            CommandGroup(
                name: "Tools", subcommands: [RecordCommand.self, ReplayCommand.self, DecodeCommand.self]),
        ])

    static func main() async {
        Output.reserveStreams()
        Libraries.reportMissing()
        let arguments = Array(CommandLine.arguments.dropFirst())
        var running: (any ParsableCommand.Type)?
        do {
            var command = try parsed(arguments)
            running = type(of: command)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            end(.success)
        } catch {
            CommandFailure.end(error, of: running, arguments: arguments)
        }
    }

    /// Parses the arguments. Programs run `okaeri status` all the time, and its own parser saves an eighth of the whole work; errors and
    /// questions for help are for the parser of all commands.
    static func parsed(_ arguments: [String]) throws -> any ParsableCommand {
        if arguments.first == StatusCommand.configuration.commandName,
            let command = try? StatusCommand.parse(Array(arguments.dropFirst()))
        {
            return command
        }
        return try parseAsRoot(arguments)
    }

    /// Without a command: where a new installation stands.
    func run() async throws {
        let doctor = Doctor(
            configurationFile: try ConfigurationOptions.parse([]).file, client: try SocketOptions.parse([]).client)
        let steps = await doctor.firstSteps()
        for step in steps { print(step.text(in: Terminal.language)) }
        print(
            steps.contains { $0.remedy != nil || $0.verdict == .wrong }
                ? Terminal.language(DoctorPhrase.finish) : Terminal.language(DoctorPhrase.complete))
        if steps.contains(where: { $0.verdict == .wrong }) { throw ExitCode.failure }
    }
}

/// Exit statuses, from sysexits.h.
enum Exit {
    static let usage = ExitCode(64)
    static let dataError = ExitCode(65)
    static let unavailable = ExitCode(69)
    static let ioError = ExitCode(74)
    static let temporary = ExitCode(75)
    static let noPermission = ExitCode(77)
    static let configuration = ExitCode(78)
}
