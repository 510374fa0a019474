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

    /// A few lines for a person.
    package var text: String {
        var lines = report.regions.flatMap(lines)
        if lines.isEmpty { lines = ["Regions    none yet; `sudo okaeri setup` finds your beacon"] }
        if let occupancy = report.occupancy, !report.regions.isEmpty { lines.append(Self.line(occupancy)) }
        let bluetooth = report.bluetooth
        let listening = bluetooth.listening ? "listening" : "not listening"
        lines.append("Bluetooth  \(bluetooth.state.rawValue), \(listening) on \(report.source)")
        if bluetooth.state != .poweredOn { lines.append("           \(bluetooth.reason)") }
        if bluetooth.listening, let scan = bluetooth.scan { lines.append("           \(scan.text)") }
        lines.append("Wi-Fi      \(wifi)")
        lines += (report.networks ?? []).map { "           \($0.line)" }
        lines += (report.services ?? []).map(line)
        if let mqtt = report.mqtt { lines += Self.lines(mqtt) }
        lines += (report.notifications ?? []).map(Self.line)
        if let kept = report.kept {
            lines.append("State      \(kept.reason)")
            if let problem = kept.problem { lines.append("           NOT KEPT: \(kept.file): \(problem)") }
            if let problem = kept.historyProblem { lines.append("           NO HISTORY: \(problem)") }
        }
        for listener in report.listeners ?? [] {
            if let refused = listener.refused {
                lines.append("\(listener.name.padding(to: 10)) served on \(listener.address); NOT on \(refused)")
            }
            if let discovery = listener.discovery { lines.append("mDNS       \(discovery.sentence)") }
            guard let problem = listener.problem else { continue }
            lines.append("\(listener.name.padding(to: 10)) NOT SERVED on \(listener.address): \(problem)")
        }
        if let loaded = report.configuration { lines += Self.lines(loaded) }
        for problem in report.saved?.problems ?? [] { lines.append("Regions    NOT USED: \(problem)") }
        for prompt in report.prompts {
            let note = prompt.situation.map { "  (\($0.words))" } ?? ""
            lines.append(
                "Prompt \(prompt.id)   \(prompt.action.rawValue) \"\(prompt.ssid)\"?\(note)  okaeri answer \(prompt.id) join|later|never"
            )
        }
        for ssid in report.never ?? [] { lines.append("Never      \(NeverSentence(ssid))") }
        if report.counters.dropped > 0 {
            lines.append(
                "Dropped    \(quantity(report.counters.dropped, "packet")) came faster than the daemon fetched them")
        }
        if !report.simulated.isEmpty { lines.append("NOT REAL   \(report.simulated.joined(separator: ", "))") }
        lines += report.allFindings.filter(isLeft).map { "WRONG      \($0.subject): \($0.reason)" }
        if report.stale {
            lines.append("STALE      the daemon is stuck; restart it with `\(StatusReport.Loaded.restart)`")
        }
        return lines.joined(separator: "\n")
    }

    /// The findings that the lines of their subjects show.
    private static let shown: Set<Finding.Code> = [
        .stale, .notPoweredOn, .notKept, .noHistory, .notRead, .brokerAway, .brokerUnsuitable, .notServed, .notMoved,
        .notDelivered, .notUsed, .notReal, .peripheralNotConnected,
    ]

    private func isLeft(_ finding: Finding) -> Bool {
        finding.verdict == .wrong && finding.code.flatMap(Finding.Code.init).map { !Self.shown.contains($0) } ?? true
    }

    /// The report as JSON.
    package var json: String { JSON.line(report) }

    private static func line(_ occupancy: Occupancy) -> String {
        let all = occupancy.inside + occupancy.outside + occupancy.unknown
        let unknown = occupancy.unknown > 0 ? ", \(occupancy.unknown) unknown" : ""
        return "Regions    \(occupancy.inside) of \(all) inside\(unknown)"
    }

    private static func lines(_ mqtt: StatusReport.MQTT) -> [String] {
        let since = mqtt.since.map { ", since \(LocalTime.text(stamp: $0))" } ?? ""
        var lines = ["MQTT       \(mqtt.reason)\(mqtt.connected ? since : "")"]
        if !mqtt.connected, !since.isEmpty { lines.append("           not connected\(since)") }
        return lines
    }

    private static func line(_ notified: NotificationReport) -> String {
        var parts = [notified.lastSent.map { "the last one at \(LocalTime.text(stamp: $0))" } ?? "none sent yet"]
        if notified.waiting > 0 { parts.append("\(notified.waiting) wait") }
        if let problem = notified.problem { parts.append("NOT DELIVERED: \(problem)") }
        return "Notify     \(notified.type) at \(notified.address): \(parts.joined(separator: "; "))"
    }

    private static func lines(_ loaded: StatusReport.Loaded) -> [String] {
        var lines = (loaded.restart ?? []).map {
            "Restart    pending for \($0.key): \($0.reason); run `\(StatusReport.Loaded.restart)`"
        }
        guard let problem = loaded.problem else { return lines }
        lines.append("NOT READ   the configuration of \(LocalTime.text(stamp: loaded.time)) stays in force:")
        lines += problem.split(separator: "\n").map { "           \($0)" }
        return lines
    }

    private func line(_ service: ServiceReport) -> String {
        let name = (service.identifier ?? service.service).padding(to: 10)
        guard let address = service.address else {
            return "\(name) not connected" + (service.reason.map { ": \($0)" } ?? "")
        }
        return "\(name) connected to \(service.name.map { "\($0), \(address)" } ?? address)"
    }

    private func lines(_ region: RegionReport) -> [String] {
        [line(region)]
            + (region.battery?.warning.map { ["           BATTERY LOW: \($0); \(BatteryReport.remedy)"] } ?? [])
    }

    private func line(_ region: RegionReport) -> String {
        if isHouse { return "\(region.identifier.padding(to: 10)) \(region.house?.words ?? region.state.rawValue)" }
        var line = "\(region.identifier.padding(to: 10)) \(region.state.rawValue)"
        if region.state == .unknown, region.lastKnown != .unknown {
            line += " (last known: \(region.lastKnown.rawValue))"
        }
        if let since = region.since { line += " since \(LocalTime.text(stamp: since))" }
        let battery = region.battery.map { "  battery \($0.percent) %" } ?? ""
        guard let beacon = region.beacon else { return line + battery }
        line += beacon.isPhone ? "  phone" : "  major \(beacon.major) minor \(beacon.minor)"
        if let rssi = beacon.rssi { line += "  \(rssi) dBm" }
        if beacon.accuracy >= 0 { line += "  \(beacon.accuracy) m \(beacon.proximity)" }
        return line + "  heard \(beacon.age) s ago" + battery
    }

    private var wifi: String {
        let wifi = report.wifi
        guard wifi.managerRunning else { return "NetworkManager does not answer" }
        guard wifi.hardwareEnabled else { return "off, by a switch or key of this machine" }
        guard wifi.radioEnabled else { return "off; `nmcli radio wifi on` switches it on" }
        guard let device = wifi.device else { return "no Wi-Fi device" }
        if wifi.activating { return "connecting, \(device)" }
        guard let ssid = wifi.connectedSSID else {
            if let reason = wifi.reason { return "not usable: \(reason)" }
            let other = wifi.otherConnection.map { "; another connection works (\($0))" } ?? ""
            return "not connected, \(device)\(other)"
        }
        if let security = wifi.weakSecurity {
            return
                "connected to \"\(ssid)\", \(device), WITHOUT WPA2 OR WPA3 (\(security)): anyone can set up such a network"
        }
        let connected = "connected to \"\(ssid)\", \(device)"
        return switch wifi.limitation {
        case "captivePortal": "\(connected); a login on a web page is required"
        case "noInternet": "\(connected); without Internet"
        default: connected + (wifi.isHome == true ? "; an arrival has nothing to ask" : "")
        }
    }
}

extension PromptSituation {
    /// The circumstance in the status.
    package var words: String {
        switch self {
        case .radioOff: "Wi-Fi is off, and would be switched on"
        case .countryUnset: "Wi-Fi is off, and its country is not set: `sudo raspi-config` sets it"
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
    package func unknownRegion(_ identifier: String) -> String {
        let known = regions.map(\.identifier).joined(separator: ", ")
        return "there is no region \"\(identifier)\"; the daemon watches \(known.isEmpty ? "none" : known)"
    }
}
