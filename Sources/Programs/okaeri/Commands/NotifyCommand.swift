import ArgumentParser
import OkaeriClient
import OkaeriEvents

struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify", abstract: "Test the servers that are notified of arrivals and prompts.",
        subcommands: [NotifyTestCommand.self])
}

struct NotifyTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Send a test to each server, and print the results.",
        discussion: """
            The daemon sends it to the servers of "notify" in beacons.json. Exit status: 0 if each accepted it; 1 if one did not, \
            or there is none; 69 if no daemon answers. --json prints an object a line: target, type, address, sent, failed \
            and problem.
            """)

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        var hasFailed = false
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            for report in try await socket.client.testNotifications() {
                hasFailed = hasFailed || report.problem != nil
                print(
                    json ? JSON.line(report) : "\(report.label): \(report.problem.map { "not sent: \($0)" } ?? "sent")")
            }
        }
        if hasFailed { throw ExitCode.failure }
    }
}
