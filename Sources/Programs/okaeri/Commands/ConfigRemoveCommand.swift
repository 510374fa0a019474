import ArgumentParser
import Glibc
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing

/// The removal of a region, or of one of its signs.
struct ConfigRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a region, or one of its signs.",
        discussion: """
            --sign takes the beacon as UUID/MAJOR/MINOR, with an asterisk for any, or the name of the phone, or the path of \
            its key file; the region keeps its other signs. It removes from beacons.json and from the regions that the page has \
            saved, keeps each earlier file as .bak, and reloads the service. A key file of the page is deleted with its sign; \
            one that beacons.json names stays. Exit status: 64 if the region or the sign is unknown; 69 if the service does not \
            answer; 77 without the right to write the files; 78 if a file has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var state: StateOptions

    @Argument(help: "The name of the region.")
    var region: String

    @Option(help: "The sign to remove. Without it the whole region is removed.")
    var sign: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        var change = try ConfigurationChange(config, command: "config remove", json: json)
        let directory = config.savedDirectory(of: change.file.path, named: state.directory)
        let files = RegionFiles(file: change.file.path, directory: directory, user: geteuid(), isCommand: true)
        let edits = try Self.reporting { () throws(RegionFiles.Refusal) in
            let content = try files.content()
            guard let sign else { return try files.removing(region, from: content) }
            return try files.removing(sign: sign, from: region, in: content)
        }
        try CommandFailure.reporting { () throws(WriteObstacle) in
            if let obstacle = edits.lazy.compactMap(\.obstacle).first { throw obstacle }
            try RegionFiles.write(edits)
        }
        change.report.changed = true
        change.report.identifier = region
        for edit in edits { change.say("\(edit.path) is written.") }
        _ = try await change.apply()
        change.printReport()
    }

    private static func reporting<Value>(_ body: () throws(RegionFiles.Refusal) -> Value) throws -> Value {
        do throws(RegionFiles.Refusal) {
            return try body()
        } catch {
            throw switch error {
            case .invalid(let error), .unreadable(let error): CommandFailure(error)
            case .forbidden(let text), .unknown(let text), .name(let text):
                CommandFailure(text, status: Exit.usage)
            }
        }
    }
}
