import ArgumentParser
import Setup
import Events

/// The command line.
@main struct Okaeri: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "okaeri",
        abstract: "Watches iBeacon regions and offers to join the home Wi-Fi on arrival.",
        discussion: """
            `okaeri` alone lists what is missing and what to do next. `okaeri setup` finds your beacon and writes \
            beacons.json; then run `okaeri monitor`. `okaeri doctor` looks more closely.
            """,
        version: "okaeri \(Version())",
        subcommands: [
            SetupCommand.self, MonitorCommand.self, ReplayCommand.self, StatusCommand.self, ExplainCommand.self,
            ScanCommand.self,
            RangeCommand.self, LocateCommand.self, CalibrateCommand.self, HistoryCommand.self, PlotCommand.self,
            NodesCommand.self, WebCommand.self,
            PromptsCommand.self, AnswerCommand.self, AgentCommand.self, DecodeCommand.self,
            RecordCommand.self, DoctorCommand.self,
            ConfigCommand.self, BluetoothCommand.self, PeripheralsCommand.self, ConnectCommand.self,
            AdvertiseCommand.self, PeripheralCommand.self,
        ])

    /// Without a command: where a new installation stands.
    func run() async throws {
        let doctor = Doctor(
            configurationFile: try ConfigurationOptions.parse([]).file, client: try SocketOptions.parse([]).client)
        let steps = await doctor.firstSteps()
        for step in steps { print(step.text) }
        print(
            steps.contains { $0.mend != nil }
                ? "Begin with the first arrow, then run `okaeri` again; `okaeri --help` lists the commands."
                : "All is set: `okaeri status` shows the regions, `okaeri --help` lists the commands.")
        if steps.contains(where: { $0.verdict == .wrong }) { throw ExitCode.failure }
    }
}

/// Exit statuses, from sysexits.h.
enum Exit {
    static let usage = ExitCode(64)
    static let dataError = ExitCode(65)
    static let unavailable = ExitCode(69)
    static let ioError = ExitCode(74)
    static let noPermission = ExitCode(77)
    static let configuration = ExitCode(78)
}
