import OkaeriAgent
import OkaeriDaemon
import OkaeriEvents
import OkaeriServer
import OkaeriWiFi
import ServiceLifecycle

/// Asks on the terminal whether to join, while `okaeri monitor` runs there.
struct TerminalPrompt: Service {
    let daemon: Daemon
    let events: AsyncStream<Event>
    let language: Language

    private enum News {
        case prompt(ssid: String, PromptSituation?)
        case line(String)
    }

    /// The number of prompts and lines that wait; of more the oldest are dropped.
    private static let backlog = 64

    func run() async throws {
        let (news, continuation) = AsyncStream.makeStream(
            of: News.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        try await cancelWhenGracefulShutdown {
            try await withThrowingDiscardingTaskGroup { group in
                group.addTask { while let line = try await TerminalInput.line() { continuation.yield(.line(line)) } }
                group.addTask {
                    for await event in events {
                        guard case .wifiPrompt(let prompt) = event.kind else { continue }
                        continuation.yield(.prompt(ssid: prompt.ssid, prompt.situation))
                    }
                    continuation.finish()
                }
                for await item in news { await handle(item) }
            }
        }
        // The events end before this service is asked to.
        try await gracefulShutdown()
    }

    private func handle(_ news: News) async {
        switch news {
        case .prompt(let ssid, let situation): ask(ssid, situation)
        case .line(let line):
            // The oldest prompt is the one that is on the screen.
            guard let prompt = await daemon.prompts.waiting.first else { return }
            guard let answer = language.answer(line) else { return ask(prompt.ssid, prompt.situation) }
            do throws(PromptAnswerError) {
                try await daemon.answer(prompt: prompt.id, answer)
            } catch {
                Terminal.printNotice(error.description)
            }
        }
    }

    private func ask(_ ssid: String, _ situation: PromptSituation?) {
        // A line of its own: events go on being printed while the answer is typed.
        try? Terminal.print(language.terminalQuestion(ssid: ssid, situation))
    }
}
