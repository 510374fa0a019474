import ArgumentParser
import Glibc
import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup
import SystemPackage

/// The end of a command that did not do its work: a sentence on standard error, with `--json` also as an object on standard
/// output, and the exit status.
struct CommandFailure: Error {
    /// The sentence in English, for programs.
    let message: String
    /// The sentence in the language of the terminal.
    let localized: String
    let status: ExitCode

    init(_ message: String, localized: String? = nil, status: ExitCode) {
        self.message = message
        self.localized = localized ?? message
        self.status = status
    }

    init(_ failure: some LocalizedFailure, status: ExitCode) {
        self.init(
            failure.sentence(in: .english), localized: failure.sentence(in: Terminal.language), status: status)
    }

    /// The configuration does not load.
    init(_ error: ConfigurationError) { self.init(error, status: Exit.configuration) }

    /// A file cannot be written.
    init(_ obstacle: WriteObstacle) {
        self.init(obstacle, status: obstacle.isPermission ? Exit.noPermission : Exit.ioError)
    }

    init(_ phrase: FailurePhrase, _ values: String..., status: ExitCode) {
        self.init(
            Language.english(phrase, values), localized: Terminal.language(phrase, values), status: status)
    }

    init(_ failure: APIClient.Failure) {
        let status =
            switch failure {
            case .noDaemon, .noAnswer: Exit.unavailable
            case .notPermitted: Exit.noPermission
            case .refused: ExitCode.failure
            }
        self.init(failure, status: status)
    }

    /// Ends the command if a file cannot be written.
    static func reporting<Value>(_ write: () throws(WriteObstacle) -> Value) throws(CommandFailure) -> Value {
        do throws(WriteObstacle) {
            return try write()
        } catch {
            throw CommandFailure(error)
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
    /// - Parameters:
    ///   - command: The command that was run; `nil` if the arguments have mistakes.
    ///   - arguments: the command line without the program's name.
    static func end(_ error: any Error, of command: (any ParsableCommand.Type)? = nil, arguments: [String]) -> Never {
        let wantsJSON = arguments.prefix { $0 != "--" }.contains("--json")
        if let failure = error as? CommandFailure {
            Terminal.printNotice(failure.localized)
            if wantsJSON { print(failure.json) }
            Okaeri.end(failure.status)
        }
        if error is ConsoleEnded {
            Terminal.printNotice(Terminal.language(FailurePhrase.nothingWritten))
            Okaeri.end(.failure)
        }
        if let errno = error as? Errno {
            if Output.problem != nil { Okaeri.end(Exit.ioError) }
            end(CommandFailure("the output cannot be written: \(errno)", status: Exit.ioError), arguments: arguments)
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
            if wantsJSON { print(CommandFailure(Okaeri.message(for: error), status: status).json) }
        }
        let message = command.flatMap { Okaeri.message(for: error, of: $0) } ?? Okaeri.fullMessage(for: error)
        if !message.isEmpty { try? Terminal.write(message + "\n", to: status.isSuccess ? .output : .errors) }
        Okaeri.end(status)
    }
}

extension Okaeri {
    /// Returns the message for a mistake in the arguments that a command has found while it ran, with the usage of that command. The
    /// parser would show the usage of the whole program.
    fileprivate static func message(for error: any Error, of command: any ParsableCommand.Type) -> String? {
        guard let mistake = error as? ValidationError, let path = path(to: command) else { return nil }
        return """
            Error: \(mistake.message)
            Usage: \(usageString(for: command))
              See '\((["okaeri"] + path).joined(separator: " ")) --help' for more information.
            """
    }

    /// Returns the words of a command behind the name of the program.
    private static func path(
        to command: any ParsableCommand.Type, from parent: any ParsableCommand.Type = Okaeri.self
    ) -> [String]? {
        if parent == command { return [] }
        return parent.configuration.subcommands.lazy.compactMap { next in
            path(to: command, from: next).map { [next.configuration.commandName ?? ""] + $0 }
        }.first
    }

    /// Ends the program, with another exit status if a part of the output is lost.
    static func end(_ status: ExitCode) -> Never {
        guard let problem = Output.problem else { exit(withError: status) }
        Terminal.printNotice("standard output cannot be written: \(problem)")
        exit(withError: Exit.ioError)
    }

    /// Returns a sentence for a command line that names a command that does not exist; `nil` for any other command line.
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
            let prefix = path.joined(separator: " ")
            let names = commands.compactMap { $0.configuration.commandName }
            let similar = argument.utf8.count <= 64 ? nearest(to: argument, among: names) : nil
            // They may be arguments of the default command.
            if similar == nil, command.configuration.defaultSubcommand != nil { return nil }
            return "there is no command `\(prefix) \(String(argument.prefix(64)).plain())`; "
                + (similar.map { "did you mean `\(prefix) \($0)`?" } ?? "`\(prefix) --help` lists the commands")
        }
        return nil
    }
}
