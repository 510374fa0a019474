import HTTPTypes
import Hummingbird
import NIOCore
package import OkaeriEvents
import OkaeriPlumbing
package import OkaeriWiFi

/// The prompts: they are answered by clients of the API, and by links that need no login.
package struct PromptEndpoints: Sendable {
    private let hub: EventHub
    private let links: AnswerLinks
    private let prompts: @Sendable () async -> PromptsReport
    private let answer: @Sendable (_ id: String, PromptAnswer) async throws(PromptAnswerError) -> Void
    private let clearNever: @Sendable (_ ssid: String) async -> Bool

    /// - Parameters:
    ///   - hub: has the name of this machine.
    ///   - links: The links that answer prompts.
    ///   - prompts: Returns the prompts.
    ///   - answer: Answers a prompt.
    ///   - clearNever: Takes `never` back for a network. Returns whether there was one.
    package init(
        hub: EventHub, links: AnswerLinks, prompts: @escaping @Sendable () async -> PromptsReport,
        answer: @escaping @Sendable (_ id: String, PromptAnswer) async throws(PromptAnswerError) -> Void,
        clearNever: @escaping @Sendable (_ ssid: String) async -> Bool
    ) {
        self.hub = hub
        self.links = links
        self.prompts = prompts
        self.answer = answer
        self.clearNever = clearNever
    }

    package var all: [Endpoint] {
        [
            Endpoint(.get, Route.prompts, .readers) { _ in .json(await prompts()) },
            Endpoint(.post, "\(Route.prompts)/:id", .socket) { exchange in
                guard let answer = await exchange.value(AnswerRequest.self)?.answer else {
                    let answers = PromptAnswer.allCases.map(\.rawValue).joined(separator: ", ")
                    throw PageFailure(
                        .badRequest, request: .body, "{\"answer\": …} with one of \(answers)")
                }
                do throws(PromptAnswerError) {
                    try await self.answer(exchange.component("id"), answer)
                    return .json(await prompts())
                } catch {
                    let status: HTTPResponse.Status = if case .noSuchPrompt = error { .notFound } else { .conflict }
                    throw PageFailure(status, LocalizedText(error.description, japanese: error.japanese))
                }
            },
            Endpoint(.delete, Route.never, .socket) { exchange in
                let ssid = try exchange.query(
                    Route.ssid, or: .noNetwork, "\(Route.never)?\(Route.ssid)=SSID")
                guard await clearNever(ssid) else {
                    throw PageFailure(
                        .notFound, request: .never, ssid)
                }
                return .json(await prompts())
            },
        ]
            // The token takes the place of a login, and a foreign page does not have it.
            + ["/\(Route.answers)", "/\(Route.answers)/:token"].flatMap { path in
                [
                    Endpoint(.get, path, .unrestricted) { await question(of: $0) },
                    Endpoint(.post, path, .unrestricted) { try await takeAnswer(of: $0) },
                ]
            }
    }

    // MARK: - Links

    /// Nothing from elsewhere, no script, and a form that is sent to this machine alone.
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    private static let ended =
        "the link answers no prompt any more: it was answered or withdrawn, or the daemon has restarted; `okaeri prompts` lists "
        + "those that wait"

    /// Shows the question of a link, and answers nothing.
    private func question(of exchange: Exchange) async -> Response {
        guard let use = links.use(of: exchange.component("token")) else { return await wrongLink(exchange) }
        let prompt = await prompts().waiting.first { $0.id == use.prompt }
        guard let prompt else { return Self.refusal(.gone, exchange.request) }
        return Self.page(.question(prompt, node: hub.node, use.answer), exchange.request)
    }

    private func takeAnswer(of exchange: Exchange) async throws(PageFailure) -> Response {
        guard await exchange.discardContent(upTo: Exchange.shortBody) else {
            throw PageFailure(.badRequest, request: .content, "an answer")
        }
        guard let use = links.take(exchange.component("token")) else { return await wrongLink(exchange) }
        do throws(PromptAnswerError) {
            try await answer(use.prompt, use.answer)
            return Self.page(.answered(use.answer), exchange.request)
        } catch {
            return Self.refusal(.gone, exchange.request)
        }
    }

    private func wrongLink(_ exchange: Exchange) async -> Response {
        await exchange.delayWrongLink()
        return Self.refusal(.notFound, exchange.request)
    }

    /// Returns a page for a browser, and an error for a program.
    private static func refusal(_ status: HTTPResponse.Status, _ request: Request) -> Response {
        guard request.headers[.accept]?.contains("text/html") == true else { return .failure(status, ended) }
        return page(.ended, request, status)
    }

    private static func page(
        _ content: AnswerPage.Content, _ request: Request, _ status: HTTPResponse.Status = .ok
    ) -> Response {
        let language = request.language
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy,
                .vary: "Accept-Language, Accept",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: AnswerPage(content: content, language: language).html)))
    }
}

extension PromptAnswerError {
    fileprivate var japanese: String {
        switch self {
        case .noSuchPrompt(let id): Language.japanese(RequestPhrase.noPrompt, id)
        case .closed(let prompt, let withdrawal):
            Language.japanese(withdrawal.phrase, prompt.id, prompt.ssid.plain(replacesFormat: true))
        }
    }
}

extension PromptWithdrawal {
    fileprivate var phrase: RequestPhrase {
        switch self {
        case .answered: .promptAnswered
        case .departed: .promptDeparted
        case .arrived: .promptArrived
        case .connected, .reconfigured: .promptNeedless
        }
    }
}
