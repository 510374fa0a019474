import DaemonTestSupport
@testable import Server
import HCI
import RegionMonitoring
import TestSupport
import WiFi

@testable import Events

/// A daemon with as many regions as make a long answer.
struct Backend: APIBackend {
    let hub: EventHub
    var bluetooth = BluetoothState.poweredOn
    var waiting: [Prompt] = []
    let given = Watched<[AnswerTokens.Use]>([])

    var status: StatusReport { report }
    var regions: [RegionReport] { report.regions }
    func beacons(after position: BeaconPart.Position?, limit: Int) -> BeaconPart {
        BeaconPart(beacons: [], end: nil)
    }
    var prompts: PromptsReport { PromptsReport(waiting: waiting, never: []) }
    var counts: DaemonCounts { DaemonCounts(started: evening, version: "1", commit: "") }

    private var report: StatusReport {
        var report = statusReport(bluetooth: bluetooth)
        report.regions = (0..<100).map { regionReport("region \($0)", .inside, rssi: -70) }
        return report
    }

    func answer(prompt id: String, _ answer: PromptAnswer) throws(PromptAnswerError) {
        guard let prompt = waiting.first(where: { $0.id == id }) else { throw .noSuchPrompt(id: id) }
        if given.value.contains(where: { $0.prompt == id }) { throw .closed(prompt, .answered(answer)) }
        given.change { $0.append(.init(prompt: id, answer: answer)) }
    }

    func clearNever(ssid: String) -> Bool { false }

    var nodes: NodesReport? {
        NodesReport(node: "hall", site: "home", connected: true, reason: "", nodes: [], regions: [])
    }

    func testNotifications() async throws(NotificationTestFailure) -> [NotificationReport] { throw .noTarget }

    func forget(node: String) throws(ForgetFailure) {
        switch node {
        case "attic": return
        case "hall": throw .online(node)
        case "cellar": throw .away("the broker is off")
        case "alone": throw .noHouse
        default: throw .unknown(node)
        }
    }
}
