import HCI
import OkaeriPlumbing

/// A judgement about a part of Okaeri or of its machine, and the remedy. `okaeri doctor`, the page, the monitoring systems and the
/// status show the same findings: those of the daemon are its judgement of its own report, those of the machine are the doctor's.
package struct Finding: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable, CaseIterable {
        case ok
        /// Okaeri does not do its work like this.
        case wrong
        /// It works, but something may be missed.
        case note
    }

    /// The effect on the states of regions, as a monitoring system grades it; the gravest first.
    package enum Alarm: String, Codable, Sendable, CaseIterable {
        /// The states cannot be determined.
        case critical
        /// The states are not determined yet.
        case unknown
        /// The states are right, and a restart loses them or the events.
        case warning
    }

    /// The part: `mqtt`, or the name of a listener.
    package var subject: String
    package var verdict: Verdict
    /// A ``Code``, or one of a later version; `nil` for what is ok, and for what the doctor has found itself.
    package var code: String?
    /// `nil` if the states of regions do not depend on it.
    package var alarm: Alarm?
    /// The end of a sentence that begins with the subject.
    package var sentence: String
    /// The command or action that fixes it; `nil` if there is none, or the sentence names it.
    package var remedy: String?
    /// The values of the sentence, for texts in another language; `nil` without any.
    package var values: [String]?
    /// The texts in Japanese, of a finding of this program; `nil` for those of a daemon, whose texts follow from ``code`` and ``values``.
    package var japanese: Translation?

    /// The kind of a finding of the daemon that is not ok. The page has its texts by these names, which a later version keeps.
    package enum Code: String, Sendable, CaseIterable {
        case stale, notPoweredOn, notScanned
        case notKept, noHistory, restartPending, notRead, notUsed
        case brokerAway, brokerUnsuitable, brokerWasAway, brokerOpen
        case notServed, notMoved, notAnnounced, notDelivered, noneDelivered, peripheralNotConnected
        case lowBattery, longSilence, sharedIdentity, changingIdentity, notReal
    }

    private enum CodingKeys: String, CodingKey {
        case subject, verdict, code, alarm, values
        case sentence = "finding"
        case remedy = "fix"
    }

    package init(
        _ subject: String, _ verdict: Verdict, _ code: Code?, _ sentence: String, remedy: String? = nil,
        alarm: Alarm? = nil, values: [String]? = nil
    ) {
        (self.subject, self.verdict, self.code, self.alarm) = (subject, verdict, code?.rawValue, alarm)
        (self.sentence, self.remedy, self.values) = (sentence, remedy, values)
    }

    /// A finding of this program, in both languages.
    ///
    /// - Parameter phrase: The finding, and after an arrow the remedy, if there is one.
    package init(_ subject: String, _ verdict: Verdict, _ phrase: some Phrase, _ values: [String]) {
        let english = Translation(Language.english(phrase, values))
        self.init(subject, verdict, nil, english.sentence, remedy: english.remedy)
        japanese = Translation(Language.japanese(phrase, values))
    }

    package static func ok(_ subject: String, _ sentence: String, values: [String]? = nil) -> Finding {
        Finding(subject, .ok, nil, sentence, values: values)
    }

    /// - Parameter japanese: The sentence in Japanese; `nil`: it is the same.
    package static func wrong(
        _ subject: String, _ sentence: String, remedy: String? = nil, japanese: String? = nil
    ) -> Finding {
        var finding = Finding(subject, .wrong, nil, sentence, remedy: remedy)
        finding.japanese = japanese.map { Translation($0) }
        return finding
    }

    /// - Parameter japanese: The sentence in Japanese; `nil`: it is the same.
    package static func note(
        _ subject: String, _ sentence: String, remedy: String? = nil, japanese: String? = nil
    ) -> Finding {
        wrong(subject, sentence, remedy: remedy, japanese: japanese).asNote
    }

    package static func ok(_ subject: String, _ phrase: some Phrase, _ values: String...) -> Finding {
        Finding(subject, .ok, phrase, values)
    }

    package static func wrong(_ subject: String, _ phrase: some Phrase, _ values: String...) -> Finding {
        Finding(subject, .wrong, phrase, values)
    }

    package static func note(_ subject: String, _ phrase: some Phrase, _ values: String...) -> Finding {
        Finding(subject, .note, phrase, values)
    }

    /// The same finding, as something that may be as it is.
    package var asNote: Finding {
        var note = self
        note.verdict = .note
        return note
    }

    /// The sentence with the remedy.
    package var reason: String { reason(in: .english) }

    /// Returns the sentence with the remedy.
    package func reason(in language: Language) -> String {
        let (sentence, remedy) = texts(in: language)
        return language.parts([sentence, remedy].compactMap(\.self))
    }

    /// Returns `wrong  adapter: hci0 is down` and, indented, the remedy.
    package func text(in language: Language = .english) -> String {
        let (sentence, remedy) = texts(in: language)
        let title = language == .english ? "\(subject): " : "\(language.part(subject))："
        return language.column(language(verdict), width: 7) + title + sentence
            + (remedy.map { "\n         → \($0)" } ?? "")
    }

    private func texts(in language: Language) -> (sentence: String, remedy: String?) {
        guard language == .japanese, let translation else { return (sentence, remedy) }
        return (translation.sentence, translation.remedy)
    }
}

// MARK: The daemon

extension StatusReport {
    /// The findings of the daemon. Those of a daemon of an earlier version, which sends none, follow from the rest of its report.
    package var allFindings: [Finding] { findings ?? judged }

    /// The judgement of this report: the only place that decides what is wrong with a running daemon.
    ///
    /// `/v1/health` reports an alarm as a problem, and what is wrong without one as a warning. `okaeri status --nagios` takes the gravest
    /// alarm. The page and `okaeri status` show what is wrong, and `okaeri doctor` everything.
    package var judged: [Finding] {
        loop + radio + disk + loaded + broker + access + served + notified + peripherals + unused + batteries + silences
            + identities + simulation
    }

    private var loop: [Finding] {
        stale
            ? [
                Finding(
                    "daemon", .wrong, .stale, "the daemon is stuck",
                    remedy: Remedy.restart().order("restart it with "), alarm: .critical)
            ]
            : [.ok("daemon", "it runs, with \(quantity(regions.count, "region"))", values: ["\(regions.count)"])]
    }

    /// The time for which the scan may pause, in seconds: for a join, which shares the antenna, or because it begins anew.
    private static let longestPause = 60.0

    private var radio: [Finding] {
        guard bluetooth.state == .poweredOn else {
            // It is unknown at the start, and resetting while the adapter comes back.
            let isPassing = bluetooth.state == .unknown || bluetooth.state == .resetting
            return [
                Finding(
                    "bluetooth", bluetooth.state == .unknown ? .note : .wrong, .notPoweredOn, bluetooth.reason,
                    alarm: isPassing ? .unknown : .critical,
                    values: [bluetooth.code ?? "", bluetooth.adapter ?? "Bluetooth", bluetooth.reason])
            ]
        }
        guard !bluetooth.listening, bluetooth.pausedFor ?? .infinity > Self.longestPause else { return [] }
        let time = bluetooth.pausedFor.map { " for \(Int(min(max(0, $0), 1e9))) s" } ?? ""
        return [
            Finding(
                "bluetooth", .wrong, .notScanned, "\(source) has not been scanned\(time)",
                remedy: "look for the reason \(Installation.words("with", or: "in")) \(Remedy.log())", alarm: .critical,
                values: [source, "\(Int(min(max(0, bluetooth.pausedFor ?? 0), 1e9)))"])
        ]
    }

    private var disk: [Finding] {
        guard let kept else { return [] }
        let state = kept.problem.map { problem in
            Finding(
                "state", .wrong, .notKept, "\(kept.file) cannot be written: \(problem)",
                remedy: "check the disk with `df -h`",
                alarm: .critical, values: ["\(kept.file): \(problem)"])
        }
        let history = kept.historyProblem.map {
            Finding("history", .wrong, .noHistory, $0, alarm: .warning, values: [$0])
        }
        return [state, history].compactMap(\.self)
    }

    private var loaded: [Finding] {
        guard let configuration else { return [] }
        let pending = (configuration.restart ?? []).map { change in
            Finding(
                "restart", .note, .restartPending, "pending for \(change.key): \(change.reason)",
                remedy: Remedy.restart().order(), values: [change.key, change.reason])
        }
        guard let problem = configuration.problem else { return pending }
        let lines = problem.split(separator: "\n").joined(separator: "; ")
        return pending + [
            Finding(
                "configuration", .wrong, .notRead,
                "the daemon keeps the configuration of \(LocalTime.text(stamp: configuration.time)), because the file cannot be used: \(lines)",
                remedy: "correct the file, check it with `okaeri config check`, then \(Remedy.reload().order())",
                values: [problem])
        ]
    }

    private var broker: [Finding] {
        guard let mqtt else { return [] }
        let since = mqtt.since.map { "since \(LocalTime.text(stamp: $0))" }
        guard mqtt.connected else {
            let away = ["not connected", since].compactMap(\.self).joined(separator: " ")
            return [
                Finding(
                    "mqtt", .wrong, .brokerAway, "\(away): \(mqtt.reason)",
                    values: [mqtt.code ?? "", mqtt.broker ?? "", mqtt.reason])
            ]
        }
        let connected =
            mqtt.problem.map {
                Finding("mqtt", .wrong, .brokerUnsuitable, $0, values: [mqtt.code ?? "", mqtt.broker ?? "", $0])
            }
            ?? .ok(
                "mqtt", [mqtt.reason, since].compactMap(\.self).joined(separator: ", "),
                values: mqtt.broker.map { [$0] })
        guard let error = mqtt.lastError, let time = mqtt.lastErrorTime else { return [connected] }
        let last = "the last problem was at \(LocalTime.text(stamp: time)): \(error)"
        return [connected, Finding("mqtt", .note, .brokerWasAway, last, values: [LocalTime.text(stamp: time), error])]
    }

    /// The access to the broker. On this machine an open broker may be for its own programs alone.
    private var access: [Finding] {
        guard let mqtt, mqtt.connected, mqtt.open == true else { return [] }
        let isLocal = mqtt.local == true
        return [
            Finding(
                "access", isLocal ? .note : .wrong, isLocal ? nil : .brokerOpen,
                "the MQTT broker accepts messages without a login, so each program that reaches it can publish receptions of this house, and "
                    + "thereby have commands run",
                remedy: "set up logins and an access list, as /usr/share/doc/okaeri/broker.md shows")
        ]
    }

    private var served: [Finding] {
        let listeners = listeners ?? []
        let announcements = listeners.compactMap(\.discovery).map { discovery in
            let sentence = Language.english.discovery(discovery)
            return discovery.name.map { .ok("mDNS", sentence, values: [$0]) }
                ?? Finding("mDNS", .note, .notAnnounced, sentence, values: [discovery.problem ?? ""])
        }
        return listeners.map(Self.served) + announcements
    }

    private static func served(_ listener: ListenerReport) -> Finding {
        let (name, address) = (listener.name, listener.address)
        if let problem = listener.problem {
            return Finding(
                name, .wrong, .notServed, "not served on \(address): \(problem)", values: [name, address, problem])
        }
        guard let refused = listener.refused else { return .ok(name, "served on \(address)", values: [address]) }
        return Finding(
            name, .wrong, .notMoved, "still served on \(address), because \(refused)",
            remedy: "correct \"\(name)\" in beacons.json, then \(Remedy.reload().order())", values: [name, refused])
    }

    private var notified: [Finding] {
        (notifications ?? []).map { report in
            if let problem = report.problem {
                return Finding(
                    "notify", .wrong, .notDelivered, "\(report.label): \(problem)", values: [report.label, problem])
            }
            let none = "\(report.label): none sent since the start; `okaeri notify test` sends one"
            return report.sent > 0
                ? .ok(
                    "notify", "\(report.label): \(report.sent) sent since the start",
                    values: [report.label, "\(report.sent)"])
                : Finding("notify", .note, .noneDelivered, none, values: [report.label])
        }
    }

    /// The peripherals that are received and cannot be connected. One that is out of range is not wrong.
    private var peripherals: [Finding] {
        (services ?? []).compactMap { service in
            let label = service.identifier ?? service.service
            return service.reason.map { reason in
                Finding(
                    "services", .wrong, .peripheralNotConnected, "\"\(label)\": \(reason)", values: [label, reason])
            }
        }
    }

    /// The parts of the regions of the page that the daemon does not use.
    private var unused: [Finding] {
        guard let saved else { return [] }
        return (saved.problems ?? []).map {
            Finding(
                "regions", .wrong, .notUsed, $0,
                remedy: "correct \(saved.file) or delete it, then \(Remedy.reload().order())", values: [$0])
        }
    }

    private var batteries: [Finding] {
        regions.compactMap { region in
            guard let battery = region.battery, let warning = battery.warning else { return nil }
            return Finding(
                "battery", .note, .lowBattery, "\"\(region.identifier)\": \(warning)", remedy: BatteryReport.remedy,
                values: [
                    region.identifier, "\(battery.major)", "\(battery.minor)", "\(battery.percent)",
                    LocalTime.text(stamp: battery.time),
                ])
        }
    }

    /// The beacons whose learned exit time is held at the longest there is.
    private var silences: [Finding] {
        regions.flatMap { region in
            region.beacons.filter(\.isHeldAtLongest).map { beacon in
                Finding(
                    "exitTime", .note, .longSilence,
                    "\"\(region.identifier)\": major \(beacon.major) minor \(beacon.minor) is silent for longer than the longest exit "
                        + "time, \(beacon.exitAfter.plain) s, so that exits are often false",
                    remedy:
                        "set a shorter advertising interval in the beacon, or set \"scan\": \"continuous\" in beacons.json",
                    values: [region.identifier, "\(beacon.major)", "\(beacon.minor)", beacon.exitAfter.plain])
            }
        }
    }

    /// The beacons whose identity several devices send, or that change it.
    private var identities: [Finding] {
        regions.flatMap { region in
            region.beacons.flatMap { beacon in
                beacon.identityNotes.map { note in
                    Finding(
                        "identity", .note, note.code,
                        "\"\(region.identifier)\": major \(beacon.major) minor \(beacon.minor): \(note.sentence)",
                        remedy: note.remedy,
                        values: [region.identifier, "\(beacon.major)", "\(beacon.minor)"] + note.values)
                }
            }
        }
    }

    private var simulation: [Finding] {
        guard !simulated.isEmpty else { return [] }
        return [
            Finding(
                "source", .wrong, .notReal, "NOT REAL: \(simulated.joined(separator: ", "))", values: simulated)
        ]
    }
}

/// The answer of `GET /v1/health`: whether the daemon fulfils its purpose.
package struct HealthReport: Codable, Sendable, Equatable {
    /// Whether there is no problem: 200, else 503.
    package var healthy: Bool
    /// The problems that make it unhealthy: it cannot determine the states of regions, or would lose them.
    package var problems: [Remark]
    /// The warnings beside that: presence is right in spite of them.
    package var warnings: [Remark]

    package struct Remark: Codable, Sendable, Equatable {
        /// The subject of the finding: daemon, bluetooth, state, history, mqtt, configuration, notify, services, regions, source or a
        /// listener's name.
        package var part: String
        /// The state, its reason and the remedy.
        package var reason: String
    }

    package init(_ status: StatusReport) {
        let findings = status.allFindings
        func remarks(_ isIncluded: (Finding) -> Bool) -> [Remark] {
            findings.filter(isIncluded).map { Remark(part: $0.subject, reason: $0.reason) }
        }
        problems = remarks { $0.alarm != nil }
        warnings = remarks { $0.alarm == nil && $0.verdict == .wrong }
        healthy = problems.isEmpty
    }
}
