import Events
import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes of the page, for whatever listener.
struct PageEndpoints: Sendable {
    private let backend: any PageBackend

    /// A region with all that can be set of it.
    private static let largestBody = 64 << 10

    /// A name and a few words.
    private static let largestEnrollment = 1024

    init(_ backend: any PageBackend) {
        self.backend = backend
    }

    var all: [Endpoint] { reading + changing + enrolling }

    /// Those of a listener whose clients are logged in. They answer with passphrases.
    var confidential: [Endpoint] {
        [
            endpoint(.get, Route.guests) { backend, _, _ throws(PageFailure) in .json(try await backend.guests()) },
            endpoint(.get, "\(Route.guests)/code") { backend, request, _ throws(PageFailure) in
                guard let ssid = Self.parameter(Route.ssid, request) else {
                    throw PageFailure(
                        .badRequest, "the query names no network; ask for \(Route.guests)/code?\(Route.ssid)=…")
                }
                return .json(try await backend.guestCode(of: ssid), headers: [.cacheControl: "no-store"])
            },
        ]
    }

    private var reading: [Endpoint] {
        [
            endpoint(.get, Route.days) { backend, _, _ throws(PageFailure) in .json(try await backend.days()) },
            endpoint(.get, "\(Route.days)/:day") { backend, request, context throws(PageFailure) in
                let name = context.parameters.get("day") ?? ""
                guard name.hasSuffix(".svg") else {
                    throw PageFailure(.notFound, "there is no such picture; ask for \(Route.days)/2026-11-21.svg")
                }
                let picture = try await backend.picture(
                    PictureQuery(
                        day: String(name.dropLast(4)), from: Self.parameter(Route.from, request),
                        to: Self.parameter(Route.to, request), width: Self.parameter(Route.width, request)))
                return Response(
                    status: .ok, headers: [.contentType: "image/svg+xml", .cacheControl: "no-store"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: picture)))
            },
            endpoint(.get, Route.history) { backend, request, _ throws(PageFailure) in
                guard let from = Self.parameter(Route.from, request), let to = Self.parameter(Route.to, request) else {
                    throw PageFailure(
                        .badRequest, "the query has no time; ask for \(Route.history)?\(Route.from)=…&\(Route.to)=…")
                }
                let query = HistoryQuery(
                    from: from, to: to, region: Self.parameter(Route.region, request),
                    after: Self.parameter(Route.after, request))
                let (events, next) = try await backend.history(query)
                let more = "\"more\":\(next != nil)" + (next.map { ",\"next\":\($0)" } ?? "")
                return Self.json("{\"events\":[\(events.joined(separator: ","))],\(more)}\n")
            },
            endpoint(.get, Route.mistakes) { backend, request, _ throws(PageFailure) in
                Self.json(
                    try await backend.mistakes(
                        of: Self.parameter(Route.region, request), since: Self.parameter(Route.since, request)) + "\n")
            },
            endpoint(.get, Route.signal) { backend, request, _ throws(PageFailure) in
                guard let region = Self.parameter(Route.region, request) else {
                    throw PageFailure(
                        .badRequest, "the query names no region; ask for \(Route.signal)?\(Route.region)=ID")
                }
                return .json(try await backend.signal(of: region))
            },
            endpoint(.get, Route.networks) { backend, _, _ throws(PageFailure) in
                .json(try await backend.networks())
            },
            endpoint(.get, Route.configuration) { backend, _, _ throws(PageFailure) in
                .json(try await backend.configuration())
            },
        ]
    }

    private var changing: [Endpoint] {
        [
            endpoint(.post, "\(Route.configuration)/region") { backend, request, _ throws(PageFailure) in
                .json(try await backend.set(try await Self.body(of: request)))
            },
            endpoint(.post, "\(Route.configuration)/room") { backend, request, _ throws(PageFailure) in
                .json(try await backend.set(room: try await Self.body(of: request)))
            },
            // The name in the query: Hummingbird undoes the percent encoding there, in a path it does not.
            endpoint(.delete, "\(Route.configuration)/region") { backend, request, _ throws(PageFailure) in
                .json(try await backend.remove(region: try Self.region(request, of: "region")))
            },
            endpoint(.delete, "\(Route.configuration)/region/changes") { backend, request, _ throws(PageFailure) in
                .json(try await backend.removeChanges(of: try Self.region(request, of: "region/changes")))
            },
        ]
    }

    private var enrolling: [Endpoint] {
        [
            endpoint(.get, Route.enrollment) { backend, _, _ throws(PageFailure) in
                .json(await backend.enrollment(), headers: [.cacheControl: "no-store"])
            },
            endpoint(.post, Route.enrollment) { backend, request, _ throws(PageFailure) in
                let wanted: EnrollmentRequest = try await Self.value(
                    of: request, "{\"name\": …, \"as\": \"heart-rate\" or \"keyboard\"}")
                return .json(try await backend.enroll(wanted))
            },
            endpoint(.post, "\(Route.enrollment)/answer") { backend, request, _ throws(PageFailure) in
                let answer: EnrollmentAnswer = try await Self.value(
                    of: request, "{\"question\": …, \"agrees\": true or false}")
                return .json(try await backend.answerEnrollment(answer))
            },
            endpoint(.delete, Route.enrollment) { backend, _, _ throws(PageFailure) in
                .json(await backend.endEnrollment())
            },
        ]
    }

    /// Returns the value in the short body of a request.
    ///
    /// - Parameter form: The form of the body, for the message.
    private static func value<Value: Decodable>(
        of request: Request, _ form: String
    ) async throws(PageFailure) -> Value {
        guard let body = try? await request.body.collect(upTo: largestEnrollment) else {
            throw PageFailure(.contentTooLarge, "the body is too large; it has at most \(largestEnrollment) bytes")
        }
        guard let value = try? JSONDecoder().decode(Value.self, from: Data(body.readableBytesView)) else {
            throw PageFailure(.badRequest, "the body is malformed; send \(form)")
        }
        return value
    }

    private static func region(_ request: Request, of path: String) throws(PageFailure) -> String {
        guard let region = parameter(Route.region, request) else {
            throw PageFailure(
                .badRequest, "the query names no region; ask for \(Route.configuration)/\(path)?\(Route.region)=ID")
        }
        return region
    }

    private static func body(of request: Request) async throws(PageFailure) -> [UInt8] {
        guard let body = try? await request.body.collect(upTo: largestBody) else {
            throw PageFailure(.contentTooLarge, "the body is too large; a region has at most \(largestBody) bytes")
        }
        return Array(body.readableBytesView)
    }

    /// An answer that is JSON already.
    private static func json(_ text: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static func parameter(_ name: String, _ request: Request) -> String? {
        request.uri.queryParameters[Substring(name)].map(String.init)
    }

    private typealias Answer =
        @Sendable (any PageBackend, Request, ConnectionContext) async throws(PageFailure) -> Response

    private func endpoint(
        _ method: HTTPRequest.Method, _ path: String, _ answer: @escaping Answer
    ) -> Endpoint {
        Endpoint(method, path) { [backend] request, context in
            do throws(PageFailure) {
                return try await answer(backend, request, context)
            } catch {
                let headers: HTTPFields = error.retryAfter.map { [.retryAfter: "\($0)"] } ?? [:]
                return .failure(error.status, error.sentence, headers: headers)
            }
        }
    }
}
