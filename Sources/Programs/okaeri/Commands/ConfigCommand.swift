import ArgumentParser
import IBeacon
import OkaeriConfiguration
import RegionMonitoring

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check a configuration, or print one to start from.",
        subcommands: [Check.self, Example.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Say what is wrong with the configuration.",
            discussion: """
                Also checks the programs of hooks, the owners and modes of files with secrets, and the addresses. For \
                /etc/okaeri/beacons.json the rights of the service's user count; run it with sudo to see all files. Exit status: 0 \
                if there are only warnings, 78 otherwise.
                """)

        @OptionGroup var config: ConfigurationOptions

        func run() throws {
            let (configuration, file) = try config.load()
            for notice in configuration.notices { Terminal.complain("\(file): warning: \(notice)") }
            let remarks = ConfigurationCheck(configuration, file: file).remarks
            for remark in remarks { Terminal.complain("\(file): \(remark)") }
            guard !remarks.contains(where: \.isError) else { throw Exit.configuration }
            let regions = configuration.regions.map { "\($0.identifier) (\($0.monitored.region.constraint))" }
            print("\(file) is fine: \(regions.isEmpty ? "no region" : regions.joined(separator: ", "))")
        }
    }

    struct Example: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "example", abstract: "Print a configuration to start from.")

        func run() {
            print(OkaeriConfiguration.Configuration.example, terminator: "")
        }
    }
}
