import HTTPTypes
import Hummingbird
import NIOCore
package import OkaeriEvents

/// The endpoints of more than one line that need nothing of their feature but a function.
extension Endpoint {
    /// The event stream.
    ///
    /// - Parameter heartbeat: The longest silence of a stream.
    package static func events(_ hub: EventHub, heartbeat: Duration = EventStreamField.heartbeat) -> Endpoint {
        let texts = EventTexts(hub)
        return Endpoint(.get, Route.events, .readers) { exchange in
            EventStream(hub: hub, texts: texts, heartbeat: heartbeat, connections: exchange.connections)
                .response(to: exchange.request, exchange.channel)
        }
    }

    /// The thresholds that the signals of the query propose.
    package static let thresholds = Endpoint(.get, Route.thresholds, .readers) { exchange in
        guard let proposal = ThresholdProposal(query: exchange.query(Route.signals) ?? "") else {
            throw PageFailure(
                .badRequest, request: .thresholds, Route.signals, "\(ThresholdProposal.mostSignals)")
        }
        return .json(proposal)
    }

    /// The endpoints for monitoring systems.
    package static func monitoring(
        status: @escaping @Sendable () async -> StatusReport, counts: @escaping @Sendable () async -> DaemonCounts
    ) -> [Endpoint] {
        [
            Endpoint(.get, Route.metrics, .monitoring) { exchange in
                let exposition = Exposition(accepting: exchange.request.headers[.accept])
                let measurements = Measurements(await status(), await counts())
                return .text(
                    exposition.text(measurements.families),
                    headers: [.contentType: exposition.contentType, .vary: "accept"])
            },
            Endpoint(.get, Route.health, .monitoring) { _ in
                let report = HealthReport(await status())
                return .json(
                    report, status: report.healthy ? .ok : .serviceUnavailable, headers: [.cacheControl: "no-store"])
            },
        ]
    }

    /// The nodes of the house.
    ///
    /// - Parameters:
    ///   - report: Returns the nodes; `nil` without a house.
    ///   - forget: Forgets a node that no longer exists.
    package static func nodes(
        _ report: @escaping @Sendable () async -> NodesReport?,
        forget: @escaping @Sendable (_ name: String) async throws(ForgetFailure) -> Void
    ) -> [Endpoint] {
        let answer = { @Sendable () async throws(PageFailure) -> Response in
            guard let report = await report() else {
                throw PageFailure(.notFound, LocalizedText(ForgetFailure.noHouse.description))
            }
            return .json(report)
        }
        return [
            Endpoint(.get, Route.nodes, .readers) { _ in try await answer() },
            Endpoint(.delete, "\(Route.nodes)/:name", .socket) { exchange in
                do throws(ForgetFailure) {
                    try await forget(exchange.component("name"))
                } catch {
                    throw switch error {
                    case .noHouse, .unknown: PageFailure(.notFound, LocalizedText(error.description))
                    case .online: PageFailure(.conflict, LocalizedText(error.description))
                    case .away: PageFailure(.serviceUnavailable, LocalizedText(error.description))
                    }
                }
                return try await answer()
            },
        ]
    }

    /// A test of the servers that are notified.
    ///
    /// - Parameter test: Sends a test to each, and returns the results.
    package static func notificationTest(
        _ test: @escaping @Sendable () async throws(NotificationTestFailure) -> [NotificationReport]
    ) -> Endpoint {
        Endpoint(.post, Route.notificationTest, .socket) { exchange in
            try await exchange.discardContent(of: "a test")
            do throws(NotificationTestFailure) {
                return .json(try await test())
            } catch {
                throw PageFailure(error == .noTarget ? .notFound : .conflict, LocalizedText(error.description))
            }
        }
    }
}
