import ArgumentParser
import IBeacon
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriReceivers
import RegionMonitoring

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check a configuration, print one to start from, or remove a region or a sign.",
        subcommands: [Check.self, Example.self, ConfigRemoveCommand.self])

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Check the configuration, and the files and addresses that it names.",
            discussion: """
                It checks the keys, the programs of hooks, the owners and modes of files with secrets, and the addresses. \
                For /etc/okaeri/beacons.json the rights of the service's user count; run it \(Installation.words("with sudo", or: "as root")) to see all files. Exit \
                status: 0 if there are only warnings, 78 otherwise. --json prints one object: the file, the regions, and the \
                remarks with place, found, remedy, isError and, in a region, its name.
                """)

        @OptionGroup var config: ConfigurationOptions
        @OptionGroup var state: StateOptions

        @Flag(help: "Print JSON.")
        var json = false

        private struct Report: Encodable {
            let file: String
            let regions: [String]
            let notices: [String]
            let remarks: [ConfigurationCheck.Remark]
        }

        func run() throws {
            let (merged, file) = try config.merged(directory: state.directory)
            let configuration = merged.configuration
            guard !json else { return try printReport(on: configuration, file) }
            for notice in configuration.notices { Terminal.printNotice("\(file): warning: \(notice)") }
            let remarks = ConfigurationCheck(configuration, file: file).remarks
            for remark in remarks { Terminal.printNotice("\(file): \(remark.sentence(in: Terminal.language))") }
            guard !remarks.contains(where: \.isError) else { throw Exit.configuration }
            let regions = merged.own.map { "\($0.identifier) (\($0.monitored.signsText))" }
            print("\(file) is fine: \(regions.isEmpty ? "no region yet" : regions.joined(separator: ", "))")
            guard let saved = merged.saved.file else { return }
            let added = configuration.regions.filter { merged.saved.added.contains($0.identifier) }.map {
                "\($0.identifier) (\($0.monitored.signsText))"
            }
            let changed = merged.saved.changed.sorted()
            if !added.isEmpty { print("\(saved) adds \(added.joined(separator: ", "))") }
            let receivers = merged.saved.receivers.map { "\($0.make.title) \($0.name)" }
            if !receivers.isEmpty { print("\(saved) adds the receivers \(receivers.joined(separator: ", "))") }
            if let room = merged.saved.room { print("\(saved) sets the room of this machine: \(room)") }
            if !changed.isEmpty { print("\(saved) changes \(changed.joined(separator: ", "))") }
        }

        private func printReport(on configuration: OkaeriConfiguration.Configuration, _ file: String) throws {
            let remarks = ConfigurationCheck(configuration, file: file).remarks
            print(
                JSON.line(
                    Report(
                        file: file, regions: configuration.regions.map(\.identifier),
                        notices: configuration.notices.map { "\($0)" }, remarks: remarks)))
            if remarks.contains(where: \.isError) { throw Exit.configuration }
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
