import ArgumentParser
import Glibc
import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup

/// The end of a command that did not do its work: a sentence on standard error, with `--json` also as an object on standard
/// output, and the exit status.
struct CommandFailure: Error {
    let message: String
    let status: ExitCode

    init(_ message: String, status: ExitCode) {
        self.message = message
        self.status = status
    }

    init(_ failure: APIClient.Failure) {
        let status =
            switch failure {
            case .noDaemon, .noAnswer: Exit.unavailable
            case .notPermitted: Exit.noPermission
            case .refused: ExitCode.failure
            }
        self.init(failure.description, status: status)
    }

    /// Ends the command if a file cannot be written.
    static func reporting<Value>(_ write: () throws(WriteObstacle) -> Value) throws(CommandFailure) -> Value {
        do throws(WriteObstacle) {
            return try write()
        } catch {
            throw CommandFailure(error.description, status: error.isPermission ? Exit.noPermission : Exit.ioError)
        }
    }
}

extension CommandFailure {
    private struct Report: Encodable {
        let error: String
        let status: Int32
    }

    /// The failure as a JSON object: `{"error": "a sentence", "status": 69}`.
    var json: String { JSON.line(Report(error: message, status: status.rawValue)) }

    /// Ends the program as the error demands; see ``CommandFailure``.
    ///
    /// - Parameter arguments: the command line without the program's name.
    static func end(_ error: any Error, arguments: [String]) -> Never {
        let wantsJSON = arguments.prefix { $0 != "--" }.contains("--json")
        // The object of the failure is the last one.
        fflush(nil)
        if let failure = error as? CommandFailure {
            Terminal.printNotice(failure.message)
            if wantsJSON { try? Terminal.print(failure.json) }
            Okaeri.exit(withError: failure.status)
        }
        if error is ConsoleEnded {
            Terminal.printNotice("nothing was written")
            Okaeri.exit(withError: ExitCode.failure)
        }
        let status = Okaeri.exitCode(for: error)
        if !(error is ExitCode), !status.isSuccess {
            // The parser's message would show the key.
            if status == Exit.usage, let sentence = EnrollCommand.sentenceHidingKey(arguments) {
                end(CommandFailure(sentence, status: Exit.usage), arguments: arguments)
            }
            if let sentence = Okaeri.unknownCommand(arguments) {
                end(CommandFailure(sentence, status: Exit.usage), arguments: arguments)
            }
            if wantsJSON { try? Terminal.print(CommandFailure(Okaeri.message(for: error), status: status).json) }
        }
        Okaeri.exit(withError: error)
    }
}

extension Okaeri {
    /// Returns a sentence for a command line that names a command that does not exist and is like another one; nil for any other
    /// command line.
    static func unknownCommand(_ arguments: [String]) -> String? {
        var command: any ParsableCommand.Type = Okaeri.self
        var path = ["okaeri"]
        for argument in arguments {
            let commands = command.configuration.subcommands
            if argument.hasPrefix("-") || commands.isEmpty { return nil }
            if let next = commands.first(where: { $0.configuration.commandName == argument }) {
                (command, path) = (next, path + [argument])
                continue
            }
            guard argument.utf8.count <= 64,
                let similar = nearest(to: argument, among: commands.compactMap { $0.configuration.commandName })
            else { return nil }
            let prefix = path.joined(separator: " ")
            return "there is no command `\(prefix) \(argument.plain())`; did you mean `\(prefix) \(similar)`?"
        }
        return nil
    }
}
