import OkaeriEvents
package import OkaeriWiFi
import Synchronization

/// The links that answer prompts without a login: each is good for one answer to one prompt, once.
///
/// Only digests of the tokens are stored, and only in memory.
package struct AnswerTokens: Sendable {
    /// The answer of a link.
    package struct Use: Sendable, Equatable {
        package var prompt: String
        package var answer: PromptAnswer
    }

    /// The maximum number of links: beyond it the oldest are deleted.
    private static let mostLinks = 64

    private let digest: Logins.Digest
    private let random: @Sendable () -> [UInt8]
    private var links: [(digest: [UInt8], use: Use)] = []

    /// - Parameters:
    ///   - digest: A one-way hash.
    ///   - random: Returns 32 bytes that cannot be guessed, others each time.
    package init(digest: @escaping Logins.Digest, random: @escaping @Sendable () -> [UInt8] = Logins.randomBytes) {
        self.digest = digest
        self.random = random
    }

    /// Makes a link for each answer. Earlier links of the prompt end.
    package mutating func make(prompt: String, _ answers: [PromptAnswer]) -> [String] {
        end(prompt)
        links.removeFirst(max(0, links.count + answers.count - Self.mostLinks))
        return answers.map { answer in
            let token = BrowserSession.text(random())
            links.append((digest(Array(token.utf8)), Use(prompt: prompt, answer: answer)))
            return token
        }
    }

    /// Returns the use of a link; `nil` for a token of no link.
    package func use(of token: String) -> Use? {
        let offered = digest(Array(token.utf8))
        // All are compared, each in the same time.
        return links.filter { Logins.isEqual($0.digest, offered) }.first?.use
    }

    /// Returns the use of a link, and ends the links of its prompt.
    package mutating func take(_ token: String) -> Use? {
        let use = use(of: token)
        if let use { end(use.prompt) }
        return use
    }

    private mutating func end(_ prompt: String) { links.removeAll { $0.use.prompt == prompt } }
}

/// The links of a running daemon, used from any thread.
package final class AnswerLinks: Sendable {
    private let tokens: Mutex<AnswerTokens>

    package init(digest: @escaping Logins.Digest) {
        tokens = Mutex(AnswerTokens(digest: digest))
    }

    /// Returns the paths that answer a prompt with `join` and with `later`, without the first slash.
    package func paths(answering prompt: String) -> (join: String, later: String) {
        let made = tokens.withLock { $0.make(prompt: prompt, [.join, .later]) }
        return ("\(Route.answers)/\(made[0])", "\(Route.answers)/\(made[1])")
    }

    func use(of token: String) -> AnswerTokens.Use? { tokens.withLock { $0.use(of: token) } }

    func take(_ token: String) -> AnswerTokens.Use? { tokens.withLock { $0.take(token) } }
}
