import ArgumentParser
import Glibc
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup
import SystemPackage

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Save the configuration and the state in one file.",
        discussion: """
            The file is a tar archive of mode 0600 with beacons.json, the files with passphrases, passwords and certificates \
            that it names, the regions, the logins and the phones of the page, the state and the history. It holds secrets: keep it where \
            only you can read it. The daemon may run. `okaeri restore` puts the files back, also on another machine. With - \
            the archive goes to standard output, and the mode of the file is that of your shell. With --passphrase-file the \
            archive is encrypted in the format of `age`, which `okaeri restore` and `age -d` read. Exit status: 0; 1 if you ended \
            it; 65 if the history is damaged; 74 if the file exists already \
            or cannot be written; 77 without the right to read a file; 78 if the configuration has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var state: StateOptions

    @OptionGroup var passphrase: BackupPassphraseOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: "A new file; - is standard output. Existing files are not overwritten.", completion: .file())
    var file: String

    private struct Report: Encodable {
        let file: String
        let content: Backup.Report
    }

    func validate() throws {
        if json, file == "-" { throw ValidationError("--json requires a file, because standard output is the backup") }
    }

    func run() async throws {
        let backup: Backup
        do throws(ConfigurationError) {
            backup = Backup(
                configurationFile: try Configuration.file(named: config.file), directory: state.holdingState,
                version: Version().number)
        } catch {
            throw CommandFailure(error)
        }
        guard file != "-" else {
            guard !Terminal.isInteractive else {
                throw CommandFailure(
                    "cannot write a backup to a terminal; name a file, or redirect standard output", status: Exit.usage)
            }
            let report = try await write(backup, to: .standardOutput, EndingSignals())
            return Self.lines(report, of: "the backup").forEach(Terminal.printNotice)
        }
        let report = try await writeFile(backup)
        if json {
            print(JSON.line(Report(file: file, content: report)))
        } else {
            Self.lines(report, of: file).forEach { print($0) }
        }
    }

    private func writeFile(_ backup: Backup) async throws -> Backup.Report {
        let signals = await EndingSignals()
        let output = try Self.created(file)
        do {
            return try await write(backup, to: output.descriptor, signals)
        } catch {
            output.remove()
            throw error
        }
    }

    private func write(
        _ backup: Backup, to output: FileDescriptor, _ signals: EndingSignals
    ) async throws -> Backup.Report {
        let passphrase = try passphrase.new
        return try await blocking("saving") { [interruption = signals.interruption, file] () throws(BackupFailure) in
            let report = try backup.write(to: output, passphrase: passphrase, interruption)
            // A pipe has nothing to synchronize.
            guard file == "-" || fsync(output.rawValue) == 0 else {
                throw BackupFailure("cannot write \(file)", Errno(rawValue: errno), command: "backup FILE")
            }
            return report
        }
    }

    private static func created(_ file: String) throws -> OutputFile {
        do throws(FilePlace.Problem) {
            return try OutputFile(creating: file, permissions: .ownerReadWrite)
        } catch {
            throw CommandFailure(
                "cannot create \(file.escapedName): \(error.description.escapedName); \(error.outputRemedy)",
                status: Exit.ioError)
        }
    }

    private static func lines(_ report: Backup.Report, of name: String) -> [String] {
        ["\(name.escapedName) contains \(report.files.map(\.escapedName).joined(separator: ", "))"]
            + report.missing.map { "not contained: \($0.path.escapedName): \($0.reason.escapedName)" }
            + ["it holds secrets: keep it where only you can read it"]
    }
}

extension CommandFailure {
    init(_ failure: BackupFailure) {
        let status =
            switch failure.kind {
            case .data: Exit.dataError
            case .configuration: Exit.configuration
            case .permission: Exit.noPermission
            case .io: Exit.ioError
            case .service: Exit.unavailable
            case .interrupted: ExitCode.failure
            }
        // An error of a configuration has several lines, and is escaped.
        self.init(
            failure.kind == .configuration ? failure.description : failure.description.escapedName, status: status)
    }
}
