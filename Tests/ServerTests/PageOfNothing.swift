import HTTPTypes

@testable import Events
@testable import Server

/// The page's requests to a daemon that stores nothing.
struct PageOfNothing: PageBackend {
    private static let nothing = PageFailure(.notFound, "no history is kept")

    func days() throws(PageFailure) -> DaysReport { DaysReport(first: nil, last: nil) }

    func picture(_ query: PictureQuery) throws(PageFailure) -> String {
        guard query.day == "2026-11-21" else { throw Self.nothing }
        return "<svg>\(query.from ?? "-") \(query.to ?? "-")\(query.width.map { " \($0)" } ?? "")</svg>"
    }

    func history(_ query: HistoryQuery) throws(PageFailure) -> (events: [String], next: Int64?) {
        let others = [query.region, query.after].map { $0 ?? "-" }.joined(separator: " ")
        return (["{\"from\":\"\(query.from)\"}", "{\"to\":\"\(query.to)\"}", "\"\(others)\""], 7)
    }

    func mistakes(of region: String?, since: String?) throws(PageFailure) -> String {
        "{\"region\":\"\(region ?? "-")\",\"since\":\"\(since ?? "-")\"}"
    }

    func signal(of region: String) throws(PageFailure) -> SignalReport {
        SignalReport(points: region == "お帰り" ? [.init(time: "2026-11-21T07:00:00Z", rssi: -61.5)] : [])
    }

    func networks() throws(PageFailure) -> NetworksReport {
        throw PageFailure(.serviceUnavailable, "no radio", retryAfter: 2)
    }

    func guests() throws(PageFailure) -> GuestsReport { GuestsReport(networks: [.init(ssid: "Home", regions: [])]) }

    func guestCode(of ssid: String) throws(PageFailure) -> GuestCodeReport {
        GuestCodeReport(ssid: ssid, text: "WIFI:")
    }

    func configuration() throws(PageFailure) -> ConfigurationReport {
        ConfigurationReport(file: "beacons.json", writable: true, reason: nil, text: "{}", redacted: false)
    }

    func set(_ request: [UInt8]) throws(PageFailure) -> ConfigurationReport {
        ConfigurationReport(
            file: "beacons.json", writable: false, reason: "no", text: String(decoding: request, as: UTF8.self),
            redacted: false, written: false)
    }

    func set(room: [UInt8]) throws(PageFailure) -> ConfigurationReport { try set(room) }

    func removeChanges(of region: String) throws(PageFailure) -> ConfigurationReport {
        try remove(region: region)
    }

    func enrollment() -> EnrollmentReport { EnrollmentReport(state: .idle) }

    func enroll(_ request: EnrollmentRequest) throws(PageFailure) -> EnrollmentReport {
        guard request.name != "taken" else { throw PageFailure(.conflict, "one runs already") }
        var report = EnrollmentReport(state: .preparing)
        (report.name, report.as) = (request.name, request.as)
        return report
    }

    func answerEnrollment(_ answer: EnrollmentAnswer) -> EnrollmentReport {
        EnrollmentReport(state: answer.agrees ? .settling : .advertising)
    }

    func endEnrollment() -> EnrollmentReport { EnrollmentReport(state: .ending) }

    func remove(region: String) throws(PageFailure) -> ConfigurationReport {
        guard region == "お帰り" else { throw PageFailure(.forbidden, "\(region) is in beacons.json") }
        return ConfigurationReport(
            file: "regions.json", writable: true, reason: nil, text: "{}", redacted: false, written: true)
    }
}
