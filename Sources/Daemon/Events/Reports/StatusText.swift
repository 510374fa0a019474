import HCI
import OkaeriPlumbing
import OkaeriWiFi
import RegionMonitoring

/// The lines of `okaeri status` in a language.
struct StatusText {
    private let report: StatusReport
    private let isHouse: Bool
    private let language: Language

    init(_ report: StatusReport, isHouse: Bool, language: Language) {
        (self.report, self.isHouse, self.language) = (report, isHouse, language)
    }

    var lines: [String] {
        var lines = report.regions.flatMap(lines)
        if lines.isEmpty { lines = [line(.regions, text(.noRegions))] }
        if let occupancy = report.occupancy, !report.regions.isEmpty { lines.append(line(.regions, words(occupancy))) }
        lines += bluetooth + network
        lines += (report.services ?? []).map(line)
        if let mqtt = report.mqtt { lines += self.lines(mqtt) }
        lines += (report.notifications ?? []).map(line)
        if let kept = report.kept { lines += self.lines(kept) }
        lines += (report.listeners ?? []).flatMap(self.lines)
        if let loaded = report.configuration { lines += self.lines(loaded) }
        lines += (report.saved?.problems ?? []).map { line(.regions, text(.notUsed, $0)) }
        lines += report.prompts.map(line)
        lines += (report.never ?? []).map { line(.never, language.never($0)) }
        if report.counters.dropped > 0 {
            lines.append(line(.dropped, text(.droppedPackets, "\(report.counters.dropped)")))
        }
        if !report.simulated.isEmpty { lines.append(line(.notReal, language.simulated(report.simulated))) }
        lines += report.allFindings.filter(isLeft).map { line(.wrong, "\($0.subject): \($0.reason(in: language))") }
        if report.stale { lines.append(line(.stale, text(.stuck))) }
        return lines
    }

    /// The columns of the labels.
    private static let labelWidth = 11

    private func text(_ phrase: StatusPhrase, _ values: String...) -> String { language(phrase, values) }

    private func line(_ label: StatusPhrase, _ text: String) -> String { line(language(label), text) }

    private func line(_ label: String, _ text: String) -> String {
        language.column(label, width: Self.labelWidth) + text
    }

    /// A further line below a label.
    private func line(_ text: String) -> String { String(repeating: " ", count: Self.labelWidth) + text }

    /// The findings that the lines of their subjects show.
    private static let shown: Set<Finding.Code> = [
        .stale, .notPoweredOn, .notKept, .noHistory, .notRead, .brokerAway, .brokerUnsuitable, .notServed, .notMoved,
        .notDelivered, .notUsed, .notReal, .peripheralNotConnected,
    ]

    private func isLeft(_ finding: Finding) -> Bool {
        finding.verdict == .wrong && finding.code.flatMap(Finding.Code.init).map { !Self.shown.contains($0) } ?? true
    }
}

// MARK: Regions

extension StatusText {
    private func words(_ occupancy: Occupancy) -> String {
        let all = occupancy.inside + occupancy.outside + occupancy.unknown
        let phrase = occupancy.unknown > 0 ? StatusPhrase.unknownOfAll : .insideOfAll
        return text(phrase, "\(occupancy.inside)", "\(all)", "\(occupancy.unknown)")
    }

    private func lines(_ region: RegionReport) -> [String] {
        guard let battery = region.battery, battery.low else { return [line(region)] }
        let warning = text(
            .batteryLow, "\(battery.major)", "\(battery.minor)", "\(battery.percent)",
            LocalTime.text(stamp: battery.time))
        return [line(region), line(text(.replaceBattery, warning))]
    }

    private func line(_ region: RegionReport) -> String {
        let name = region.identifier
        if isHouse { return line(name, words(region.house, region.state)) }
        var state = language(StatusPhrase(region.state))
        if region.state == .unknown, region.lastKnown != .unknown {
            state = text(.lastKnown, state, language(StatusPhrase(region.lastKnown)))
        }
        if let since = region.since { state = text(.since, state, LocalTime.text(stamp: since)) }
        let battery = region.battery.map { text(.battery, "\($0.percent)") }
        return line(name, ([state] + facts(region.beacon) + [battery].compactMap(\.self)).joined(separator: "  "))
    }

    private func facts(_ beacon: BeaconReport?) -> [String] {
        guard let beacon else { return [] }
        return [
            beacon.isPhone ? text(.phone) : text(.beacon, "\(beacon.major)", "\(beacon.minor)"),
            beacon.rssi.map { "\($0) dBm" },
            beacon.accuracy < 0 ? nil : text(.distance, "\(beacon.accuracy)", beacon.proximity),
            text(.received, "\(beacon.age)"),
        ].compactMap(\.self)
    }

    private func words(_ house: HouseReport?, _ state: RegionState) -> String {
        house?.text(in: language) ?? language(StatusPhrase(state))
    }
}

// MARK: Bluetooth and Wi-Fi

extension StatusText {
    private var bluetooth: [String] {
        let bluetooth = report.bluetooth
        let state = language(StatusPhrase(bluetooth.state))
        var lines = [line(.bluetooth, text(bluetooth.listening ? .listening : .notListening, state, report.source))]
        if bluetooth.state != .poweredOn {
            lines.append(
                line(language.bluetooth(code: bluetooth.code, adapter: bluetooth.adapter, reason: bluetooth.reason)))
        }
        if bluetooth.listening, let scan = bluetooth.scan { lines.append(line(language.scan(scan))) }
        return lines
    }

    private var network: [String] { [line(.wifi, wifi)] + (report.networks ?? []).map { line(words($0)) } }

    private func words(_ network: NetworkPromptsReport) -> String {
        let start =
            switch network.prompts {
            case 0: text(.noPrompt, network.ssid)
            case 1: text(.onePrompt, network.ssid)
            default: text(.prompts, network.ssid, "\(network.prompts)")
            }
        guard let until = network.coolDownUntil, let reason = network.coolDownReason else { return start }
        return text(.coolDown, start, LocalTime.text(stamp: until), language.coolDown(network.coolDownCode, reason))
    }

    private var wifi: String {
        let wifi = report.wifi
        guard wifi.managerRunning else { return text(.noNetworkManager) }
        guard wifi.hardwareEnabled else { return text(.hardwareOff) }
        guard wifi.radioEnabled else { return text(.radioOff) }
        guard let device = wifi.device else { return text(.noDevice) }
        if wifi.activating { return text(.connecting, device) }
        guard let ssid = wifi.connectedSSID else {
            if let reason = wifi.reason { return text(.notUsable, language.reason(wifi.obstacle ?? "", reason)) }
            return wifi.otherConnection.map { text(.otherConnection, device, $0) } ?? text(.notConnected, device)
        }
        if let security = wifi.weakSecurity { return text(.withoutSecurity, ssid, device, security) }
        return switch wifi.limitation {
        case "captivePortal": text(.captivePortal, ssid, device)
        case "noInternet": text(.noInternet, ssid, device)
        default: text(wifi.isHome == true ? .isHome : .connected, ssid, device)
        }
    }
}

// MARK: The other parts

extension StatusText {
    private func line(_ service: ServiceReport) -> String {
        let name = service.identifier ?? service.service
        guard let address = service.address else {
            let reason = service.reason.map { (language == .english ? ": " : "：") + $0 } ?? ""
            return line(name, text(.peripheralNotConnected) + reason)
        }
        return line(name, text(.peripheralConnected, service.name.map { "\($0), \(address)" } ?? address))
    }

    private func lines(_ mqtt: StatusReport.MQTT) -> [String] {
        let reason = language.broker(code: mqtt.code, address: mqtt.broker, reason: mqtt.reason)
        guard let since = mqtt.since.map({ LocalTime.text(stamp: $0) }) else { return [line(.mqtt, reason)] }
        return mqtt.connected
            ? [line(.mqtt, text(.sinceTime, reason, since))]
            : [line(.mqtt, reason), line(text(.notConnectedSince, since))]
    }

    private func line(_ notified: NotificationReport) -> String {
        var parts = [
            notified.lastSent.map { text(.lastNotification, LocalTime.text(stamp: $0)) } ?? text(.noNotification)
        ]
        if notified.waiting > 0 { parts.append(text(.waiting, "\(notified.waiting)")) }
        if let problem = notified.problem { parts.append(text(.notDelivered, problem)) }
        return line(.notify, text(.notifies, notified.type, notified.address, language.parts(parts)))
    }

    private func lines(_ kept: StatusReport.Kept) -> [String] {
        [
            line(.state, language.start(of: kept)), kept.problem.map { line(text(.notKept, kept.file, $0)) },
            kept.historyProblem.map { line(text(.noHistory, $0)) },
        ].compactMap(\.self)
    }

    private func lines(_ listener: ListenerReport) -> [String] {
        let label = language(listener.name == "web" ? StatusPhrase.page : .metrics)
        let place =
            listener.problem.map { text(.notServed, listener.address, $0) }
            ?? listener.refused.map { text(.notMoved, listener.address, $0) }
            ?? text(.served, listener.url ?? listener.address)
        return [line(label, place)] + (listener.discovery.map { [line(.mDNS, language.discovery($0))] } ?? [])
    }

    private func lines(_ loaded: StatusReport.Loaded) -> [String] {
        let pending = (loaded.restart ?? []).map {
            line(.restart, text(.pending, $0.key, $0.reason))
        }
        guard let problem = loaded.problem else { return pending }
        return pending + [line(.notRead, text(.inForce, LocalTime.text(stamp: loaded.time)))]
            + problem.split(separator: "\n").map { line(String($0)) }
    }

    private func line(_ prompt: Prompt) -> String {
        let answers = "okaeri answer \(prompt.id) join|later|never"
        guard language == .english else {
            let question =
                language.question(ssid: prompt.ssid, prompt.situation) + (language.note(prompt.situation) ?? "")
            return line(text(.prompt, prompt.id), "\(question)  \(answers)")
        }
        let note = prompt.situation.map { "  (\($0.words))" } ?? ""
        return line(text(.prompt, prompt.id), "\(prompt.action.rawValue) \"\(prompt.ssid)\"?\(note)  \(answers)")
    }
}

// MARK: Reasons of the daemon, by their codes

extension Language {
    /// Returns the share of the time in which the adapter receives, and the reason.
    func scan(_ scan: ScanReport) -> String {
        guard self == .japanese, let reason = ScanMode.Reason(rawValue: scan.reason) else { return scan.text }
        return scan.share >= 1
            ? self(StatusPhrase.scanAll, self(reason))
            : self(StatusPhrase.scanPart, self(reason), "\(Int((min(1, max(0, scan.share)) * 100).rounded()))")
    }

    /// Returns the reason of a cool-down: a later version may have other codes, whose reasons are returned as they are.
    func coolDown(_ code: String?, _ reason: String) -> String {
        code.flatMap(NetworkCoolDown.Cause.init).map { self($0) } ?? reason
    }

    /// Returns the result of the restoration at the start.
    func start(of kept: StatusReport.Kept) -> String {
        guard self == .japanese else { return kept.reason }
        return switch kept.start {
        case "nothing": self(StatusPhrase.stateNew)
        case "restored":
            kept.age.map { self(StatusPhrase.stateRestored, span(seconds: $0)) } ?? self(StatusPhrase.stateOfUnknownAge)
        case "stale": self(StatusPhrase.stateStale, span(seconds: kept.age ?? 0))
        default: kept.reason
        }
    }

    /// Returns the simulated parts; a later version may have others, which are returned as they are.
    func simulated(_ parts: [String]) -> String {
        list(
            parts.map { part in
                switch part {
                case "capture": self(StatusPhrase.capture)
                case "wifi": self(StatusPhrase.simulatedWiFi)
                default: part
                }
            })
    }

    func discovery(_ discovery: ListenerReport.Discovery) -> String {
        discovery.name.map { self(StatusPhrase.discovered, $0) }
            ?? self(StatusPhrase.notDiscovered, discovery.problem ?? self(StatusPhrase.noNameYet))
    }

    /// Returns the sentence about a network whose prompt was answered with never, with the command that takes the answer back.
    package func never(_ ssid: String) -> String {
        let name = ssid.plain(replacesFormat: true)
        // The shell reads nothing but the closing quote between single quotes.
        let quoted = name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
        return self(StatusPhrase.neverAsked, name, "'\(quoted)'")
    }

    /// Returns a length of time in its largest unit.
    private func span(seconds: Double) -> String {
        let minutes = Int(min(max(0, seconds), 1e9) / 60)
        return switch minutes {
        case 0: "\(Int(min(max(0, seconds), 59))) 秒"
        case ..<120: "\(minutes) 分"
        case ..<2880: "\(minutes / 60) 時間"
        default: "\(minutes / 1440) 日"
        }
    }
}
