package import Logging
import ServiceLifecycle
import WiFi

/// Answers to prompts on their way from the broker's thread to the prompter.
package final class PromptAnswers: Sendable {
    private let stream = AsyncStream.makeStream(
        of: (prompt: String, word: String).self, bufferingPolicy: .bufferingNewest(16))

    package init() {}

    package func give(_ prompt: String, _ word: String) { stream.continuation.yield((prompt, word)) }

    /// Gives them to the prompter, for as long as it lasts.
    func deliver(to homecoming: Homecoming, _ logger: Logger) async {
        for await (prompt, word) in stream.stream {
            guard let answer = PromptAnswer(rawValue: word) else {
                logger.warning("somebody answers a prompt over MQTT with a word that is none: join, later or never")
                continue
            }
            do throws(PromptAnswerError) {
                try await homecoming.answered(prompt, answer)
            } catch {
                logger.notice("\(error)")
            }
        }
    }
}

package struct PromptAnswersService: Service {
    private let answers: PromptAnswers
    private let homecoming: Homecoming
    private let logger: Logger

    package init(_ answers: PromptAnswers, to homecoming: Homecoming, logger: Logger) {
        self.answers = answers
        self.homecoming = homecoming
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await answers.deliver(to: homecoming, logger) }
        try await gracefulShutdown()
    }
}
