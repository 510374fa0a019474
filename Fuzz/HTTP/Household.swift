import FoundationEssentials
import HTTPTypes
import OkaeriEvents
@testable import OkaeriServer
import OkaeriPlumbing
import OkaeriWiFi

/// A house that is always the same: every kind of answer, and nothing that takes long.
enum Household {
    private static let report = """
        {"time":"2026-11-20T18:42:00Z","source":"hci0","simulated":[],"stale":false,"bluetooth":{"state":"poweredOn",
        "reason":"","listening":true},"wifi":{"managerRunning":true,"radioEnabled":true,"hardwareEnabled":true,
        "activating":false},"regions":[],"prompts":[],"counters":{"reports":1,"iBeacons":1,"malformed":0,"dropped":0}}
        """

    private static let status: @Sendable () -> StatusReport = {
        guard let report = try? JSONDecoder().decode(StatusReport.self, from: Data(report.utf8)) else {
            fatalError("the report is not a report")
        }
        return report
    }

    /// The endpoints as a daemon has them.
    static func endpoints(_ logins: LoginEndpoints, _ links: AnswerLinks) -> [Endpoint] {
        // It is closed: a stream has the last three events at most, and ends.
        let hub = EventHub(node: "pi")
        hub.resume(after: 4)
        for time: Int64 in 5...7 { hub.happened(.didExitRegion(region: "home"), at: time) }
        hub.close()
        let prompts = PromptEndpoints(
            hub: hub, links: links, prompts: { PromptsReport(waiting: [], never: ["home"]) },
            answer: { id, answer throws(PromptAnswerError) in
                if id == "2" { throw .closed(Prompt(id: id, ssid: "home", regions: [], arrival: 1), .answered(answer)) }
                if id != "1" { throw .noSuchPrompt(id: id) }
            }, clearNever: { $0 == "home" })
        let reports: [Endpoint] = [
            Endpoint(.get, Route.status, .readers) { _ in .json(status()) },
            Endpoint(.get, Route.regions, .readers) { _ in .json([RegionReport]()) },
            Endpoint(.get, Route.beacons, .readers) { _ in .json(each: { (_: Int?) in ([BeaconReport](), nil) }) },
            .events(hub),
            .notificationTest { () throws(NotificationTestFailure) in throw .noTarget },
        ]
        let nodes = Endpoint.nodes(
            {
                NodesReport(
                    node: "pi", site: "home", connected: true, reason: "",
                    nodes: [NodeReport(name: "attic", online: false)], regions: [])
            },
            forget: { node throws(ForgetFailure) in
                if node == "pi" { throw .online(node) }
                if node != "attic" { throw .unknown(node) }
            })
        let monitoring = Endpoint.monitoring(
            status: status, counts: { DaemonCounts(started: 0, version: "1", commit: "") })
        return reports + prompts.all + nodes + monitoring + page + logins.all + PageFile.endpoints
    }

    /// Queries, short and long bodies, and passphrases.
    private static let page: [Endpoint] = [
        Endpoint(.get, Route.days, .readers) { _ in .json(DaysReport(first: "2026-11-20", last: "2026-11-21")) },
        Endpoint(.get, "\(Route.days)/:day", .readers) { exchange in
            let day = exchange.component("day")
            guard day == "2026-11-21.svg" else {
                throw PageFailure(.badRequest, LocalizedText("\(day.plain()) is not a day"))
            }
            return .text("<svg/>", headers: [.contentType: "image/svg+xml"])
        },
        Endpoint(.get, Route.networks, .readers) { _ in
            throw PageFailure(.serviceUnavailable, LocalizedText("no radio"))
        },
        Endpoint(.get, Route.guests) { _ in
            .json(GuestsReport(networks: [.init(ssid: "HomeNet", regions: ["home"])]))
        },
        Endpoint(.get, "\(Route.guests)/code") { exchange in
            let ssid = try exchange.query(Route.ssid, or: .noNetwork, Route.ssid)
            return .json(GuestCodeReport(ssid: ssid, text: "WIFI:T:WPA;S:HomeNet;P:correct horse;;"))
        },
        Endpoint(.get, Route.configuration, .readers) { _ in .json(configuration([])) },
        Endpoint(.post, "\(Route.configuration)/region", .socket) { exchange in
            let body = try await exchange.body(upTo: 64 << 10, of: "a region")
            if body.count > 1000 { throw PageFailure(.conflict, LocalizedText("the file was changed")) }
            return .json(configuration(body))
        },
        Endpoint(.delete, "\(Route.configuration)/region", .socket) { exchange in
            let region = try exchange.query(Route.region, or: .noRegion, Route.region)
            throw PageFailure(.notFound, LocalizedText("there is no region \(region.plain())"))
        },
        Endpoint(.get, Route.enrollment, .socket) { _ in .json(EnrollmentReport(state: .idle)) },
        Endpoint(.post, Route.enrollment, .socket) { exchange in
            let request = try await exchange.value(EnrollmentRequest.self, "{\"name\": …}")
            guard request.name != "taken" else { throw PageFailure(.conflict, LocalizedText("one runs already")) }
            var report = EnrollmentReport(state: .preparing)
            (report.name, report.as) = (request.name.plain(), request.as?.plain())
            return .json(report)
        },
        Endpoint(.delete, Route.enrollment, .socket) { _ in .json(EnrollmentReport(state: .ending)) },
    ]

    private static func configuration(_ text: [UInt8]) -> ConfigurationReport {
        ConfigurationReport(
            file: "beacons.json", writable: true, reason: nil, text: String(decoding: text, as: UTF8.self),
            redacted: false)
    }
}
