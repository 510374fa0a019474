import Events
import FoundationEssentials
import HTTPTypes
@testable import Server
import Plumbing
import WiFi

/// A house that is always the same.
struct Household: APIBackend {
    private static let report = """
        {"time":"2026-11-20T18:42:00Z","source":"hci0","simulated":[],"stale":false,"bluetooth":{"state":"poweredOn",
        "reason":"","listening":true},"wifi":{"managerRunning":true,"radioEnabled":true,"hardwareEnabled":true,
        "activating":false},"regions":[],"prompts":[],"counters":{"reports":1,"iBeacons":1,"malformed":0,"dropped":0}}
        """

    var status: StatusReport {
        get async {
            guard let report = try? JSONDecoder().decode(StatusReport.self, from: Data(Self.report.utf8)) else {
                fatalError("the report is none")
            }
            return report
        }
    }
    var regions: [RegionReport] { get async { [] } }
    func beacons(after position: BeaconPart.Position?, limit: Int) async -> BeaconPart {
        BeaconPart(beacons: [], end: nil)
    }
    var prompts: PromptsReport { get async { PromptsReport(waiting: [], never: ["home"]) } }

    var counts: DaemonCounts { get async { DaemonCounts(started: 0, version: "1", commit: "") } }

    /// It is closed: a stream has the last three events at most, and ends.
    let hub: EventHub = {
        let hub = EventHub(node: "pi")
        hub.resume(after: 4)
        for time: Int64 in 5...7 { hub.happened(.didExitRegion(region: "home"), at: time) }
        hub.close()
        return hub
    }()

    func answer(prompt id: String, _ answer: PromptAnswer) async throws(PromptAnswerError) {
        if id == "2" { throw .closed(Prompt(id: id, ssid: "home", regions: [], arrival: 1), .answered(answer)) }
        if id != "1" { throw .noSuchPrompt(id: id) }
    }

    var nodes: NodesReport? {
        get async {
            NodesReport(
                node: "pi", site: "home", connected: true, reason: "",
                nodes: [NodeReport(name: "attic", online: false)],
                regions: [])
        }
    }

    func testNotifications() async throws(NotificationTestFailure) -> [NotificationReport] { throw .noTarget }

    func forget(node: String) async throws(ForgetFailure) {
        if node == "pi" { throw .online(node) }
        if node != "attic" { throw .unknown(node) }
    }

    func clearNever(ssid: String) async -> Bool { ssid == "home" }
}

/// The page's requests: every kind of answer, and nothing that takes long.
extension Household: PageBackend {
    func days() throws(PageFailure) -> DaysReport { DaysReport(first: "2026-11-20", last: "2026-11-21") }

    func picture(_ query: PictureQuery) throws(PageFailure) -> String {
        guard query.day == "2026-11-21" else { throw PageFailure(.badRequest, "\(query.day.plain()) is no day") }
        return "<svg/>"
    }

    func history(_ query: HistoryQuery) throws(PageFailure) -> (events: [String], next: Int64?) {
        (["{}"], query.after.flatMap { Int64($0) })
    }

    func mistakes(of region: String?, since: String?) throws(PageFailure) -> String { "{}" }

    func signal(of region: String) throws(PageFailure) -> SignalReport { SignalReport([], of: region) }

    func networks() throws(PageFailure) -> NetworksReport { throw PageFailure(.serviceUnavailable, "no radio") }

    func guests() throws(PageFailure) -> GuestsReport {
        GuestsReport(networks: [.init(ssid: "HomeNet", regions: ["home"])])
    }

    func guestCode(of ssid: String) throws(PageFailure) -> GuestCodeReport {
        GuestCodeReport(ssid: ssid, text: "WIFI:T:WPA;S:HomeNet;P:correct horse;;")
    }

    func configuration() throws(PageFailure) -> ConfigurationReport { try set([]) }

    func set(_ request: [UInt8]) throws(PageFailure) -> ConfigurationReport {
        if request.count > 1000 { throw PageFailure(.conflict, "the file was changed") }
        return ConfigurationReport(
            file: "beacons.json", writable: true, reason: nil, text: String(decoding: request, as: UTF8.self),
            redacted: false)
    }

    func set(room: [UInt8]) throws(PageFailure) -> ConfigurationReport { try set(room) }

    func removeChanges(of region: String) throws(PageFailure) -> ConfigurationReport { try remove(region: region) }

    func enrollment() -> EnrollmentReport { EnrollmentReport(state: .idle) }

    func enroll(_ request: EnrollmentRequest) throws(PageFailure) -> EnrollmentReport {
        guard request.name != "taken" else { throw PageFailure(.conflict, "one runs already") }
        var report = EnrollmentReport(state: .preparing)
        (report.name, report.as) = (request.name.plain(), request.as?.plain())
        return report
    }

    func answerEnrollment(_ answer: EnrollmentAnswer) -> EnrollmentReport {
        EnrollmentReport(state: answer.agrees ? .settling : .advertising)
    }

    func endEnrollment() -> EnrollmentReport { EnrollmentReport(state: .ending) }

    func remove(region: String) throws(PageFailure) -> ConfigurationReport {
        throw PageFailure(.notFound, "there is no region \(region.plain())")
    }
}
