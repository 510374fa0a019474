import Events
import HTTPTypes
import Hummingbird
import NIOCore
import WiFi

/// Answers prompts for clients with a link in place of a login.
struct AnswerEndpoint: Sendable {
    let backend: any APIBackend
    let links: AnswerLinks

    /// The delay of the answer to a token of no link, so that guessing costs the client connections.
    private static let wrongLinkDelay = TimeAmount.seconds(1)

    /// A form without fields.
    private static let largestBody = 1024

    /// Nothing from elsewhere, no script, and a form that is sent to this machine alone.
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    private static let ended =
        "the link answers no prompt any more: it was answered or withdrawn, or the daemon has restarted; `okaeri prompts` lists "
        + "those that wait"

    /// Shows the question for GET, and answers it for POST.
    func response(to request: Request, token: String, on channel: any Channel) async -> Response {
        guard request.method == .post else {
            guard let use = links.use(of: token) else { return await wrongLink(request, channel) }
            let prompt = await backend.prompts.waiting.first { $0.id == use.prompt }
            guard let prompt else { return Self.refusal(.gone, request) }
            return Self.page(.question(prompt, node: backend.hub.node, use.answer), request)
        }
        guard await request.discardContent(upTo: Self.largestBody) else {
            return .failure(.badRequest, "an answer takes no content here; send the request without a body")
        }
        guard let use = links.take(token) else { return await wrongLink(request, channel) }
        do throws(PromptAnswerError) {
            try await backend.answer(prompt: use.prompt, use.answer)
            return Self.page(.answered(use.answer), request)
        } catch {
            return Self.refusal(.gone, request)
        }
    }

    private func wrongLink(_ request: Request, _ channel: any Channel) async -> Response {
        try? await channel.eventLoop.scheduleTask(in: Self.wrongLinkDelay) {}.futureResult.get()
        return Self.refusal(.notFound, request)
    }

    /// Returns a page for a browser, and an error for a program.
    private static func refusal(_ status: HTTPResponse.Status, _ request: Request) -> Response {
        guard request.headers[.accept]?.contains("text/html") == true else { return .failure(status, ended) }
        return page(.ended, request, status)
    }

    private static func page(
        _ content: AnswerPage.Content, _ request: Request, _ status: HTTPResponse.Status = .ok
    ) -> Response {
        let language = Language(accepted: request.headers[.acceptLanguage] ?? "")
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: policy,
                .vary: "Accept-Language, Accept",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: AnswerPage(content: content, language: language).html)))
    }
}
