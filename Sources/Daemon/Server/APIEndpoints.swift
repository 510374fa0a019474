import Events
import FoundationEssentials
import Hummingbird
import WiFi

/// The routes of the API, for whatever listener.
package struct APIEndpoints: Sendable {
    private let backend: any APIBackend
    private let heartbeat: Duration
    private let connections: Connections
    private let texts: EventTexts

    /// The number of beacons that are reported and written at once, about 16 KiB.
    private static let beaconsAtOnce = 64

    /// An answer is one word.
    private static let largestBody = 1024

    /// - Parameters:
    ///   - heartbeat: The longest silence of an event stream.
    ///   - connections: those of the listener.
    package init(
        _ backend: any APIBackend, heartbeat: Duration = EventStreamField.heartbeat, connections: Connections
    ) {
        self.backend = backend
        self.heartbeat = heartbeat
        self.connections = connections
        texts = EventTexts(backend.hub)
    }

    package var all: [Endpoint] { asking + prompting + house + [notificationTest] }

    private var asking: [Endpoint] {
        [
            Endpoint(.get, Route.status) { [backend] request, _ in
                // The judgements of beacons are most of the answer, and a request for the state alone does not need
                // them.
                let isBrief = request.uri.queryParameters[Substring(Route.judgements)] == "false"
                return .json(isBrief ? await backend.status.withoutJudgements : await backend.status)
            },
            Endpoint(.get, Route.regions) { [backend] _, _ in .json(await backend.regions) },
            Endpoint(.get, Route.beacons) { [backend] _, _ in
                .json(each: { position in
                    let part = await backend.beacons(after: position, limit: Self.beaconsAtOnce)
                    return (part.beacons, part.end)
                })
            },
            Endpoint(.get, Route.thresholds) { request, _ in
                let signals = request.uri.queryParameters[Substring(Route.signals)].map(String.init) ?? ""
                guard let proposal = ThresholdProposal(query: signals) else {
                    return .failure(
                        .badRequest,
                        "\(Route.signals) takes up to \(ThresholdProposal.mostSignals) numbers in dBm, separated by commas"
                    )
                }
                return .json(proposal)
            },
            Endpoint(.get, Route.events) { [backend, heartbeat, connections, texts] request, context in
                EventStream(hub: backend.hub, texts: texts, heartbeat: heartbeat, connections: connections)
                    .response(to: request, context.channel)
            },
        ]
    }

    private var prompting: [Endpoint] {
        [
            Endpoint(.get, Route.prompts) { [backend] _, _ in .json(await backend.prompts) },
            Endpoint(.post, "\(Route.prompts)/:id") { request, context in try await answer(request, context) },
            // The name in the query: Hummingbird undoes the percent encoding there, in a path it does not.
            Endpoint(.delete, Route.never) { [backend] request, _ in
                guard let ssid = request.uri.queryParameters[Substring(Route.ssid)].map(String.init) else {
                    return .failure(
                        .badRequest, "the query names no network; ask for \(Route.never)?\(Route.ssid)=SSID")
                }
                return await backend.clearNever(ssid: ssid)
                    ? .json(await backend.prompts)
                    : .failure(
                        .notFound,
                        "no prompt for “\(ssid)” was answered with never; `okaeri prompts` lists those that were")
            },
        ]
    }

    private var house: [Endpoint] {
        [
            Endpoint(.get, Route.nodes) { [backend] _, _ in await Self.nodes(backend) },
            Endpoint(.delete, "\(Route.nodes)/:name") { [backend] _, context in
                do throws(ForgetFailure) {
                    try await backend.forget(node: (try? context.parameters.require("name")) ?? "")
                    return await Self.nodes(backend)
                } catch {
                    return switch error {
                    case .noHouse, .unknown: .failure(.notFound, error.description)
                    case .online: .failure(.conflict, error.description)
                    case .away: .failure(.serviceUnavailable, error.description)
                    }
                }
            },
        ]
    }

    private var notificationTest: Endpoint {
        Endpoint(.post, Route.notificationTest) { [backend] request, _ in
            guard await request.discardContent(upTo: Self.largestBody) else {
                return .failure(.badRequest, "a test takes no content; send the request without a body")
            }
            do throws(NotificationTestFailure) {
                return .json(try await backend.testNotifications())
            } catch {
                return .failure(error == .noTarget ? .notFound : .conflict, error.description)
            }
        }
    }

    private static func nodes(_ backend: any APIBackend) async -> Response {
        guard let report = await backend.nodes else { return .failure(.notFound, ForgetFailure.noHouse.description) }
        return .json(report)
    }

    private func answer(_ request: Request, _ context: ConnectionContext) async throws -> Response {
        let id = try context.parameters.require("id")
        let body = try? await request.body.collect(upTo: Self.largestBody)
        let asked = body.flatMap { try? JSONDecoder().decode(AnswerRequest.self, from: Data($0.readableBytesView)) }
        guard let answer = asked?.answer else {
            let answers = PromptAnswer.allCases.map(\.rawValue).joined(separator: ", ")
            return .failure(.badRequest, "the body is malformed; send {\"answer\": …} with one of \(answers)")
        }
        do throws(PromptAnswerError) {
            try await backend.answer(prompt: id, answer)
            return .json(await backend.prompts)
        } catch {
            switch error {
            case .noSuchPrompt: return .failure(.notFound, error.description)
            case .closed: return .failure(.conflict, error.description)
            }
        }
    }
}
