import ArgumentParser
import Glibc
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup

/// The result of a command that changes `beacons.json`, for `--json`.
struct ChangeReport: Encodable {
    /// The path of the file.
    var file: String
    /// Whether the content of the file is another one now.
    var changed = false
    /// The path of the former file; absent if there is none.
    var backup: String?
    /// Whether the service uses the file now.
    var applied = false
    /// The address that the page listens at.
    var address: String?
    /// The links that log one browser in.
    var links: [String]?
    var site: String?
    var node: String?
    var room: String?
    var identifier: String?
    /// The hub of the house.
    var hub: String?
    var standby: Bool?
    /// The commands that are left, with their purpose.
    var next: [String]?
}

/// A change of `beacons.json` by a command, which then has the service use it.
struct ConfigurationChange {
    let file: ConfigurationFile
    var report: ChangeReport
    /// The content before the change; `nil` if there is no file.
    private let old: String?
    private let wantsJSON: Bool

    /// Reports an obstacle to writing the file before anything else happens.
    ///
    /// - Parameters:
    ///   - command: the words of the command, for the remedy.
    ///   - json: Whether the report is printed at the end, and nothing else.
    init(_ options: ConfigurationOptions, command: String, json: Bool) throws {
        file = try ConfigurationFile(options, command: command)
        report = ChangeReport(file: file.path)
        wantsJSON = json
        do throws(ConfigurationError) {
            old = try file.text()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The configuration before the change.
    func configuration() throws -> Configuration {
        try reporting { () throws(ConfigurationError) in try text().configuration() }
    }

    private func text() throws(ConfigurationError) -> ConfigurationText {
        try ConfigurationText(old, file: file.path)
    }

    /// Returns the changed text.
    func changed(_ change: (ConfigurationText) throws(ConfigurationError) -> String) throws -> String {
        try reporting { () throws(ConfigurationError) in try change(try text()) }
    }

    private func reporting<Value>(_ body: () throws(ConfigurationError) -> Value) throws -> Value {
        do throws(ConfigurationError) {
            return try body()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Replaces the file. One that has this content already stays.
    mutating func write(_ new: String) throws {
        let backup = try CommandFailure.reporting { () throws(WriteObstacle) in try file.write(new, replacing: old) }
        (report.changed, report.backup) = (new != old, backup)
        if new == old { return say("\(file.path) stays as it is.") }
        say("\(file.path) is written" + (backup.map { "; the one before is \($0)" } ?? "") + ".")
    }

    /// The absolute path of a file in the folder of the configuration.
    func path(of name: String) -> String {
        let path = SocketPath.absolute(file.target)
        return "\(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])/\(name)"
    }

    /// Prints a sentence for a person.
    func say(_ sentence: String) { if !wantsJSON { print(sentence) } }

    /// Prints the report for a program.
    func printReport() { if wantsJSON { print(JSON.line(report)) } }

    /// Whether the file is the one of the service, and this process may control the service.
    var isOfService: Bool { file.target == ServiceControl.file && ServiceControl.isControllable }

    /// Reloads the service, or starts it, so that it uses the file.
    ///
    /// - Returns: whether the service uses it; otherwise the next step was printed.
    mutating func apply() async throws -> Bool {
        guard isOfService else {
            let next =
                file.target == ServiceControl.file
                ? Remedy.reload().order("reload the daemon with ")
                : "start `okaeri monitor --config \(file.path)`, or send SIGHUP to it"
            report.next = [next]
            say("Next: \(next).")
            return false
        }
        do throws(ServiceControl.Failure) {
            let outcome = try await WaitingLine.during("waiting for the service to read its configuration") {
                () async throws(ServiceControl.Failure) in try await ServiceControl().apply()
            }
            say(Terminal.language(outcome.phrase))
            report.applied = true
            return true
        } catch {
            throw CommandFailure(error, status: Exit.unavailable)
        }
    }
}

extension ConfigurationFile {
    /// The file that a command is to write. An obstacle to that ends the command.
    ///
    /// - Parameter command: the words of the command, for the remedy.
    init(_ options: ConfigurationOptions, command: String) throws(CommandFailure) {
        self.init(
            Configuration.fileToWrite(
                named: options.file, isRoot: geteuid() == 0, isService: ServiceControl.isInstalled))
        guard let obstacle else { return }
        let isRight = obstacle.isPermission && geteuid() != 0
        throw CommandFailure(
            obstacle.sentence(in: .english, orBy: isRight ? command : nil),
            localized: obstacle.sentence(in: Terminal.language, orBy: isRight ? command : nil),
            status: obstacle.isPermission ? Exit.noPermission : Exit.ioError)
    }
}

extension WriteObstacle {
    /// Returns the sentence, with the same command by `sudo` as a way out.
    fileprivate func sentence(in language: Language, orBy command: String?) -> String {
        let sentence = sentence(in: language)
        return command.map { language(FailurePhrase.orBySudo, sentence, $0) } ?? sentence
    }
}
