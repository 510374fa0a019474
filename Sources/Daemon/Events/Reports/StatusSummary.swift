import HCI
import OkaeriPlumbing
import OkaeriWiFi
import RegionMonitoring

/// A status report as text, and as the exit status that cron jobs and plugins use.
package struct StatusSummary: Sendable {
    /// The exit status when there is no daemon, or none to trust.
    package static let noAnswer: Int32 = 3

    package private(set) var report: StatusReport
    private let isHouse: Bool

    /// - Parameters:
    ///   - region: only this one; nil for all.
    ///   - isHouse: whether it is the states of the house: ``StatusReport/ofHouse``.
    /// - Returns: nil when the daemon does not watch that region.
    package init?(_ report: StatusReport, region: String?, isHouse: Bool = false) {
        self.report = report
        self.isHouse = isHouse
        guard let region else { return }
        self.report.regions = report.regions.filter { $0.identifier == region }
        self.report.occupancy = nil
        if self.report.regions.isEmpty { return nil }
    }

    /// 0 inside, 1 outside, 2 unknown, 3 stale. Of several regions: inside if any is, else unknown if any is.
    package var exitStatus: Int32 {
        if report.stale { return Self.noAnswer }
        return switch RegionState(ofAny: report.regions.map(\.state)) {
        case .inside: 0
        case .outside: 1
        case .unknown: 2
        }
    }

    /// Returns a few lines for a person.
    package func text(in language: Language = .english) -> String {
        StatusText(report, isHouse: isHouse, language: language).lines.joined(separator: "\n")
    }

    /// The report as JSON.
    package var json: String { JSON.line(report) }
}

extension PromptSituation {
    /// The circumstance in the status.
    package var words: String {
        switch self {
        case .radioOff: "Wi-Fi is off, and would be switched on"
        case .countryUnset: "Wi-Fi is off, and its country is not set: \(Remedy.machine("raspi-config")) sets it"
        case .ethernet: "this machine is connected by Ethernet"
        case .mobile: "this machine is connected by a mobile network"
        case .otherConnection: "this machine has another connection"
        case .weakTwin: "this machine is connected to an unprotected network of the same name"
        case .hotspot: "the hotspot would be opened"
        case .hotspotRadioOff: "Wi-Fi would be switched on and the hotspot be opened"
        case .hotspotInstead: "the hotspot would be opened, which ends the present connection"
        case .switchOn: "Wi-Fi would be switched on"
        case .leave: "the network would be left"
        case .hotspotOff: "the hotspot would be closed"
        case .switchOff: "Wi-Fi would be switched off"
        case .leaveLoggedIn: "the network would be left; a user is logged in over it"
        case .hotspotOffLoggedIn: "the hotspot would be closed; a user is logged in over it"
        case .switchOffLoggedIn: "Wi-Fi would be switched off; a user is logged in over it"
        }
    }
}

extension StatusReport {
    /// The answer of `GET /v1/status?beacons=false`: all but the judgements of each region's beacons.
    package var withoutJudgements: StatusReport {
        var report = self
        for index in report.regions.indices { report.regions[index].beacons = [] }
        return report
    }

    /// Returns the sentence for a request about a region that the daemon does not watch.
    package func unknownRegion(_ identifier: String, in language: Language) -> String {
        let known = regions.map(\.identifier)
        return known.isEmpty
            ? language(FailurePhrase.noRegions, identifier)
            : language(FailurePhrase.noRegion, identifier, language.list(known))
    }
}
