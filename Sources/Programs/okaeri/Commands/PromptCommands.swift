public import ArgumentParser
import OkaeriClient
import OkaeriEvents
public import OkaeriWiFi

struct PromptsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prompts", abstract: "List the pending Wi-Fi prompts.")

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "Allow prompts for this network (SSID) again, after the answer never.")
    var clear: String?

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            if json, clear == nil {
                print(try await socket.client.text(Route.prompts), terminator: "")
                return
            }
            let report =
                if let clear {
                    try await socket.client.clearNever(ssid: clear)
                } else {
                    try await socket.client.get(Route.prompts, as: PromptsReport.self)
                }
            for prompt in report.waiting {
                let note = prompt.situation.map { "; \($0.words)" } ?? ""
                print(
                    "\(prompt.id)  \(prompt.action.rawValue) \"\(prompt.ssid)\"?  (\(prompt.regions.joined(separator: ", "))\(note))"
                )
            }
            for ssid in report.never { print("never: \(Terminal.language.never(ssid))") }
            if report.waiting.isEmpty { Terminal.printNotice("no prompt is pending") }
        }
    }
}

struct AnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answer a Wi-Fi prompt.",
        discussion:
            "join is yes, also to a question about another action than a join; later asks the next time; never does nothing more for this network, until `okaeri prompts --clear`."
    )

    @OptionGroup var socket: SocketOptions

    @Argument(help: "The prompt's number in `okaeri prompts`.")
    var id: String

    @Argument(help: "join, later or never.")
    var answer: PromptAnswer

    @Flag(help: "Print the prompts that are left as JSON.")
    var json = false

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            let report = try await socket.client.answer(id, answer)
            if json { print(JSON.line(report)) }
        }
    }
}

extension PromptAnswer: ExpressibleByArgument {}
