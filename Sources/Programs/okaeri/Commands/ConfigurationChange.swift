import ArgumentParser
import Glibc
import OkaeriConfiguration
import Plumbing
import Setup

/// A change of `beacons.json` by a command, which then has the service use it.
struct ConfigurationChange {
    let file: ConfigurationFile
    /// The content before the change; `nil` if there is no file.
    private let old: String?

    /// Reports an obstacle to writing the file before anything else happens.
    ///
    /// - Parameter command: the words of the command, for the remedy.
    init(_ options: ConfigurationOptions, command: String) throws {
        file = try ConfigurationFile(options, command: command)
        do throws(ConfigurationError) {
            old = try file.text()
        } catch {
            throw CommandFailure(error.description, status: Exit.configuration)
        }
    }

    /// The configuration before the change.
    func configuration() throws -> Configuration {
        try reporting { () throws(ConfigurationError) in try text.configuration() }
    }

    private var text: ConfigurationText { ConfigurationText(old, file: file.path) }

    /// Returns the changed text.
    func changed(_ change: (ConfigurationText) throws(ConfigurationError) -> String) throws -> String {
        try reporting { () throws(ConfigurationError) in try change(text) }
    }

    private func reporting<Value>(_ body: () throws(ConfigurationError) -> Value) throws -> Value {
        do throws(ConfigurationError) {
            return try body()
        } catch {
            throw CommandFailure(error.description, status: Exit.configuration)
        }
    }

    /// Replaces the file. One that has this content already stays.
    func write(_ new: String) throws {
        do throws(WriteObstacle) {
            let backup = try file.write(new, replacing: old)
            if new == old { return print("\(file.path) stays as it is.") }
            print("\(file.path) is written" + (backup.map { "; the one before is \($0)" } ?? "") + ".")
        } catch {
            throw CommandFailure(
                error.description, status: error.isPermission ? Exit.noPermission : Exit.ioError)
        }
    }

    /// Whether the file is the one of the service, and this process may control the service.
    var isOfService: Bool { file.target == ServiceControl.file && ServiceControl.isControllable }

    /// Restarts the service, or starts it, so that it uses the file.
    ///
    /// - Returns: whether the service uses it; otherwise the next step was printed.
    func apply() async throws -> Bool {
        guard isOfService else {
            let monitor = "okaeri monitor --config \(file.path)"
            print(
                file.target == ServiceControl.file
                    ? "Next: restart the daemon, with `sudo systemctl restart okaeri` or in its container."
                    : "Next: start `\(monitor)`, or restart it.")
            return false
        }
        do throws(ServiceControl.Failure) {
            print(try await ServiceControl().apply(.restart).description)
            return true
        } catch {
            throw CommandFailure(error.description, status: Exit.unavailable)
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
            obstacle.description + (isRight ? "; or `sudo okaeri \(command)`" : ""),
            status: obstacle.isPermission ? Exit.noPermission : Exit.ioError)
    }
}
