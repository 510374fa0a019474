import ArgumentParser
import Events
import Glibc
import OkaeriConfiguration
import Setup
import SystemPackage

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Save the configuration and the state in one file.",
        discussion: """
            The file is a tar archive of mode 0600 with beacons.json, the files with passphrases, passwords and certificates \
            that it names, the regions and the logins of the page, the state and the history. It holds secrets: keep it where \
            only you can read it. The daemon may run. `okaeri restore` puts the files back, also on another machine. With - \
            the archive goes to standard output. Exit status: 0; 65 if the history is damaged; 74 if the file exists already \
            or cannot be written; 77 without the right to read a file; 78 if the configuration has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var state: StateOptions

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

    func run() throws {
        let backup: Backup
        do throws(ConfigurationError) {
            backup = Backup(
                configurationFile: try Configuration.file(named: config.file), directory: state.holdingState,
                version: Version().number)
        } catch {
            throw CommandFailure(error.description, status: Exit.configuration)
        }
        guard file != "-" else {
            guard !Terminal.isInteractive else {
                throw CommandFailure(
                    "cannot write a backup to a terminal; name a file, or redirect standard output", status: Exit.usage)
            }
            let report = try write(backup, to: .standardOutput)
            return Self.lines(report, of: "the backup").forEach(Terminal.complain)
        }
        let output = try Self.created(file)
        defer { try? output.close() }
        let report: Backup.Report
        do {
            report = try write(backup, to: output)
            guard fsync(output.rawValue) == 0 else { throw Self.failure(file, Errno(rawValue: errno)) }
        } catch {
            unlink(file)
            throw error
        }
        if json {
            print(JSON.line(Report(file: file, content: report)))
        } else {
            Self.lines(report, of: file).forEach { print($0) }
        }
    }

    private func write(_ backup: Backup, to output: FileDescriptor) throws -> Backup.Report {
        do throws(BackupFailure) {
            return try backup.write(to: output)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func created(_ file: String) throws -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                FilePath(file), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec, .noFollow],
                permissions: .ownerReadWrite)
        } catch {
            throw failure(file, error as? Errno ?? .ioError)
        }
    }

    private static func failure(_ file: String, _ errno: Errno) -> CommandFailure {
        let remedy = errno == .fileExists ? "name another file, or remove it first" : "check the folder"
        return CommandFailure("cannot create \(file): \(errno.description); \(remedy)", status: Exit.ioError)
    }

    private static func lines(_ report: Backup.Report, of name: String) -> [String] {
        ["\(name) contains \(report.files.joined(separator: ", "))"]
            + report.missing.map { "not contained: \($0.path): \($0.reason)" }
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
            }
        self.init(failure.description, status: status)
    }
}
