import ArgumentParser
import OkaeriClient
import OkaeriEvents

struct NodesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "nodes", abstract: "List the Pis of a house, their radios and the states of its regions.",
        subcommands: [NodesListCommand.self, NodesForgetCommand.self], defaultSubcommand: NodesListCommand.self)
}

struct NodesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the nodes, their radios and the states of the regions.",
        discussion: "Exit status: 0; 1 if there is no house; 69 if no daemon answers.")

    @OptionGroup var socket: SocketOptions
    @OptionGroup var log: LogOptions

    @Flag(help: "Continue, and print each change; other than on a terminal as a JSON object a line.")
    var watch = false

    @Flag(help: "Print JSON.")
    var json = false

    /// The interval of the requests: an answer needs no work at the nodes.
    private static let interval = Duration.seconds(1)

    func run() async throws {
        let client = socket.client
        guard watch else {
            try await exitingOnFailure { () async throws(APIClient.Failure) in
                if json {
                    print(try await client.text(Route.nodes), terminator: "")
                } else {
                    print(try await client.get(Route.nodes, as: NodesReport.self).lines.joined(separator: "\n"))
                }
            }
            return
        }
        try await untilInterrupted(logger: log.logger) { try await follow(client) }
    }

    /// Asks again and again; once the daemon has answered, its return is waited for.
    private func follow(_ client: APIClient) async throws {
        var screen = Terminal.isInteractive && !json ? LiveScreen() : nil
        var last: String?
        var isLost = false
        while true {
            var answer = last
            do throws(APIClient.Failure) {
                answer =
                    screen == nil
                    ? try await client.text(Route.nodes)
                    : try await client.get(Route.nodes, as: NodesReport.self).lines.prefix(Terminal.rows - 1)
                        .joined(separator: "\n")
                isLost = false
            } catch {
                guard last != nil, error.isTemporary else { throw CommandFailure(error) }
                if !isLost { Terminal.printNotice(error.description) }
                isLost = true
            }
            if let answer, answer != last {
                try screen?.draw(answer.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
                if screen == nil { try Terminal.write(answer, to: .output) }
            }
            last = answer
            try await Task.sleep(for: Self.interval)
        }
    }
}

struct NodesForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Delete a node that will not come back.",
        discussion: """
            The regions no longer wait for its radio, and its device disappears from Home Assistant. A node that is online \
            cannot be deleted: exit status 1.
            """)

    @OptionGroup var socket: SocketOptions

    @Argument(help: "The node's name in `okaeri nodes`.")
    var name: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            _ = try await socket.client.forget(node: name)
            print(json ? JSON.line(["forgotten": name]) : "\(name) is forgotten")
        }
    }
}
