import Agent
import ArgumentParser
import FoundationEssentials
import Glibc

struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Ask on the desktop: Wi-Fi prompts as notifications with buttons.",
        discussion: """
            Runs in the desktop session (packaging/okaeri-agent.service), follows the daemon and shows its prompts \
            until they are answered, here or elsewhere. In English, or in Japanese where the locale says so.
            """)

    @OptionGroup var socket: SocketOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        // A daemon that ends in the middle of a request is an error, not our end.
        signal(SIGPIPE, SIG_IGN)
        let agent = Agent(
            client: { [socket] in socket.client }, language: Language(environment: ProcessInfo.processInfo.environment),
            logger: log.logger)
        try await agent.runUntilSignal()
    }
}
