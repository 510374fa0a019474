package import Logging
import ServiceLifecycle
import WiFi

/// Answers to prompts on their way from the broker's thread to the prompter.
package final class PromptAnswers: Sendable {
    private let stream = AsyncStream.makeStream(
        of: (prompt: String, word: String).self, bufferingPolicy: .bufferingNewest(16))

    package init() {}

    package func give(_ prompt: String, _ word: String) { stream.continuation.yield((prompt, word)) }

    /// The shortest time between two messages about wrong answers. Any client of the broker can publish them.
    private static let pause = Duration.seconds(60)

    /// Passes the answers to the prompter until the task is cancelled.
    func deliver(to arrivalJoin: ArrivalJoin, _ logger: Logger) async {
        var loggedAt: ContinuousClock.Instant?
        func isQuiet() -> Bool { loggedAt.map { ContinuousClock.now - $0 < Self.pause } ?? false }
        for await (prompt, word) in stream.stream {
            do throws(PromptAnswerError) {
                if let answer = PromptAnswer(rawValue: word) {
                    try await arrivalJoin.answered(prompt, answer)
                } else if !isQuiet() {
                    loggedAt = .now
                    logger.warning("an answer to a prompt over MQTT is ignored: it is not join, later or never")
                }
            } catch {
                guard !isQuiet() else { continue }
                loggedAt = .now
                logger.notice("\(error)")
            }
        }
    }
}

package struct PromptAnswersService: Service {
    private let answers: PromptAnswers
    private let arrivalJoin: ArrivalJoin
    private let logger: Logger

    package init(_ answers: PromptAnswers, to arrivalJoin: ArrivalJoin, logger: Logger) {
        self.answers = answers
        self.arrivalJoin = arrivalJoin
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { await answers.deliver(to: arrivalJoin, logger) }
        try await gracefulShutdown()
    }
}
