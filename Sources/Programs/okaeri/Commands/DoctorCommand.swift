import ArgumentParser
import Setup

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check every precondition, and say how to mend what is wrong.",
        discussion: "Exit status 0 if nothing is wrong, else 1.")

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var socket: SocketOptions

    func run() async throws {
        print("okaeri \(Version())")
        var isWell = true
        await Doctor(configurationFile: config.file, client: socket.client).examine { finding in
            isWell = isWell && finding.verdict != .wrong
            print(finding.text)
        }
        if !isWell { throw ExitCode.failure }
    }
}
