import OkaeriDaemonTestSupport
@testable import OkaeriServer
import HCI
import HTTPTypes
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring

@testable import OkaeriEvents

/// The endpoints of a daemon with as many regions as make a long answer.
struct Backend: Sendable {
    let hub: EventHub
    var bluetooth = BluetoothState.poweredOn
    var waiting: [Prompt] = []
    var links = AnswerLinks(digest: { $0 })
    let given = Watched<[AnswerTokens.Use]>([])

    func endpoints(heartbeat: Duration = .seconds(15)) -> [Endpoint] {
        let prompts = PromptEndpoints(
            hub: hub, links: links, prompts: { PromptsReport(waiting: waiting, never: []) }, answer: answer,
            clearNever: { _ in false })
        return [
            .thresholds,
            Endpoint(.get, Route.status, .readers) { _ in .json(report) },
            .events(hub, heartbeat: heartbeat),
            .notificationTest { () throws(NotificationTestFailure) in throw .noTarget },
        ] + prompts.all
            + Endpoint.monitoring(
                status: { report }, counts: { DaemonCounts(started: evening, version: "1", commit: "") })
            + Endpoint.nodes(
                { NodesReport(node: "hall", site: "home", connected: true, reason: "", nodes: [], regions: []) },
                forget: forget)
            + PageFile.endpoints
    }

    private var report: StatusReport {
        var report = statusReport(bluetooth: bluetooth)
        report.regions = (0..<100).map { regionReport("region \($0)", .inside, rssi: -70) }
        return report
    }

    @Sendable private func answer(prompt id: String, _ answer: PromptAnswer) throws(PromptAnswerError) {
        guard let prompt = waiting.first(where: { $0.id == id }) else { throw .noSuchPrompt(id: id) }
        if given.value.contains(where: { $0.prompt == id }) { throw .closed(prompt, .answered(answer)) }
        given.change { $0.append(.init(prompt: id, answer: answer)) }
    }

    @Sendable private func forget(node: String) throws(ForgetFailure) {
        switch node {
        case "attic", "Pi-2_b.c~d+e&f=g/ü": return
        case "hall": throw .online(node)
        case "cellar": throw .away("the broker is off")
        case "alone": throw .noHouse
        default: throw .unknown(node)
        }
    }
}
