import ArgumentParser
import OkaeriDaemon

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "What the daemon knows.",
        discussion: """
            Exit status: 0 inside, 1 outside, 2 unknown, 3 no daemon or a stale answer. Without --region, 0 if any \
            region is inside. With --nagios: 0 OK (inside), 1 WARNING (outside), 2 CRITICAL (Bluetooth does not \
            work), 3 UNKNOWN.
            """)

    @OptionGroup var socket: SocketOptions

    @Option(help: "Only this region.")
    var region: String?

    @Flag(exclusivity: .exclusive, help: "How to tell it.")
    var form = Form.text

    enum Form: String, EnumerableFlag {
        case text, json, nagios
        static func help(for value: Form) -> ArgumentHelp? {
            switch value {
            case .text: "A few lines for people (the default)."
            case .json: "As JSON."
            case .nagios: "As a Nagios or Icinga plugin."
            }
        }
    }

    func run() async throws {
        let status: StatusReport
        do throws(APIClient.Failure) {
            status = try await socket.client.get("/v1/status")
        } catch {
            if form == .nagios { print("OKAERI UNKNOWN - \(error)") } else { Terminal.complain(error.description) }
            throw ExitCode(StatusSummary.noAnswer)
        }
        guard let summary = StatusSummary(status, region: region) else {
            let sentence = status.unknownRegion(region ?? "")
            if form == .nagios { print("OKAERI UNKNOWN - \(sentence)") } else { Terminal.complain(sentence) }
            throw form == .nagios ? ExitCode(StatusSummary.noAnswer) : Exit.usage
        }
        switch form {
        case .text: print(summary.text)
        case .json: print(summary.json)
        case .nagios: print(summary.nagios.line)
        }
        throw ExitCode(form == .nagios ? summary.nagios.exitStatus : summary.exitStatus)
    }
}
