import ArgumentParser
import Events

/// The command line.
@main struct Okaeri: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "okaeri",
        abstract: "Watches iBeacon regions and offers to join the home Wi-Fi on arrival.",
        discussion: """
            Start with `okaeri scan` to find your beacon, put it into beacons.json (`okaeri config example`), and run \
            `okaeri monitor`. `okaeri doctor` tells what is missing.
            """,
        version: "okaeri 0.1.0",
        subcommands: [
            MonitorCommand.self, ReplayCommand.self, StatusCommand.self, ExplainCommand.self, ScanCommand.self,
            RangeCommand.self, LocateCommand.self, CalibrateCommand.self, HistoryCommand.self, PlotCommand.self,
            PromptsCommand.self,
            AnswerCommand.self, AgentCommand.self, DecodeCommand.self, RecordCommand.self, DoctorCommand.self,
            ConfigCommand.self, BluetoothCommand.self, PeripheralsCommand.self, ConnectCommand.self,
            AdvertiseCommand.self, PeripheralCommand.self,
        ])
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
