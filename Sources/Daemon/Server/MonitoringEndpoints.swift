import Events
import HTTPTypes
import Hummingbird
import NIOCore

/// The routes for monitoring systems: `/metrics` and `/v1/health`, for every listener.
package struct MonitoringEndpoints: Sendable {
    private let backend: any APIBackend

    package init(_ backend: any APIBackend) {
        self.backend = backend
    }

    package var all: [Endpoint] {
        [
            Endpoint(.get, Route.metrics) { [backend] request, _ in
                let exposition = Exposition(accepting: request.headers[.accept])
                let measurements = Measurements(await backend.status, await backend.counts)
                return Response(
                    status: .ok, headers: [.contentType: exposition.contentType, .vary: "accept"],
                    body: ResponseBody(byteBuffer: ByteBuffer(string: exposition.text(measurements.families))))
            },
            Endpoint(.get, Route.health) { [backend] _, _ in
                let report = HealthReport(await backend.status)
                return .json(
                    report, status: report.healthy ? .ok : .serviceUnavailable, headers: [.cacheControl: "no-store"])
            },
        ]
    }
}
