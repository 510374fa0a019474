import ArgumentParser
import FoundationEssentials
import Glibc
import OkaeriAgent
import OkaeriEvents
import OkaeriPlumbing

struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Show Wi-Fi prompts as desktop notifications with buttons.",
        discussion: """
            It runs in the desktop session\(Installation.words(" (`systemctl --user start okaeri-agent`)", or: "")), follows the daemon, and shows each \
            prompt until it is answered. The language is English, or Japanese by the locale.
            """, shouldDisplay: false)

    @OptionGroup var socket: SocketOptions
    @OptionGroup var log: LogOptions

    func run() async throws {
        // A daemon that ends in the middle of a request is an error, not our end.
        signal(SIGPIPE, SIG_IGN)
        let environment = ProcessInfo.processInfo.environment
        let directory = environment["XDG_RUNTIME_DIR"]
        // The desktop's autostart and the user unit may both start one.
        let lock = directory.flatMap { SessionLock("\($0)/\(SessionLock.agentFile)") }
        guard lock?.isHeld != false else {
            return Terminal.printNotice("an agent runs already in this session")
        }
        defer { withExtendedLifetime(lock) {} }
        let agent = Agent(
            client: { [socket] in socket.client }, directory: directory, language: Language(environment: environment),
            logger: log.logger)
        try await agent.runUntilSignal()
    }
}
