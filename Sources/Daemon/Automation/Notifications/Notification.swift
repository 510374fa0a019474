import HCI
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriRooms
import OkaeriWiFi
import RegionMonitoring

/// An arrival, a departure, a prompt or a fault of Bluetooth that servers are notified of.
struct Notification: Sendable, Equatable {
    var event: Event
    var occasion: Configuration.NotificationTarget.Occasion
    /// The region that was entered or left; `nil` for a prompt without one.
    var region: String?
    /// The room of an arrival, if the house has determined it.
    var room: String?
    /// The prompt to answer.
    var prompt: Event.WiFi?
    /// The result of a join.
    var result: Result?
    /// The reason why Bluetooth does not work.
    var fault: AdapterUpdate?

    enum Result: Sendable, Equatable {
        case completed(NetworkAction, ssid: String)
        case notCompleted(NetworkAction, ssid: String, code: String, reason: String)
        case limited(ssid: String, code: String, reason: String)
    }

    /// The alert that Bluetooth does not work.
    ///
    /// - Parameter event: The latest event of the adapter's state.
    init(_ fault: AdapterUpdate, _ event: Event) {
        (self.event, self.fault, occasion) = (event, fault, .bluetooth)
    }

    /// - Returns: `nil` for an event that is not one of them, or that another node of the house notifies of.
    init?(_ event: Event, regions: [Configuration.Region]) {
        self.event = event
        func isOf(_ scope: Configuration.Scope, _ region: String, _ isWanted: KeyPath<MonitoredRegion, Bool>) -> Bool {
            regions.contains { $0.identifier == region && $0.scope == scope && $0.monitored[keyPath: isWanted] }
        }
        switch event.kind {
        case .didEnterRegion(let region, _) where isOf(.node, region, \.notifyOnEntry):
            (occasion, self.region) = (.enter, region)
        case .didExitRegion(let region) where isOf(.node, region, \.notifyOnExit):
            (occasion, self.region) = (.exit, region)
        case .house(let region, .didEnterRegion(room: let room, isOwner: true))
        where isOf(.house, region, \.notifyOnEntry):
            (occasion, self.region, self.room) = (.enter, region, room)
        case .house(let region, .didExitRegion(isOwner: true)) where isOf(.house, region, \.notifyOnExit):
            (occasion, self.region) = (.exit, region)
        case .wifiPrompt(let prompt) where prompt.id != nil:
            (occasion, self.region, self.prompt) = (.prompt, prompt.region, prompt)
        case .wifiJoined(let wifi, _):
            (occasion, self.region, result) = (.wifi, wifi.region, .completed(.join, ssid: wifi.ssid))
        case .wifiJoinFailed(let wifi, let code, let reason):
            (occasion, self.region) = (.wifi, wifi.region)
            result = .notCompleted(.join, ssid: wifi.ssid, code: code, reason: reason)
        case .wifiActionCompleted(let wifi, let action, _):
            (occasion, self.region, result) = (.wifi, wifi.region, .completed(action, ssid: wifi.ssid))
        case .wifiActionFailed(let wifi, let action, let code, let reason):
            (occasion, self.region) = (.wifi, wifi.region)
            result = .notCompleted(action, ssid: wifi.ssid, code: code, reason: reason)
        case .wifiAccessLimited(let wifi, let code, let reason):
            (occasion, self.region) = (.wifi, wifi.region)
            result = .limited(ssid: wifi.ssid, code: code, reason: reason)
        default: return nil
        }
    }

    /// The subject with whose end it is not news any more.
    var subject: Outbox.Subject? { prompt?.id.map(Outbox.Subject.prompt) ?? fault.map { _ in .bluetooth } }

    /// Whether a server is to be notified of it.
    func isFor(_ target: Configuration.NotificationTarget) -> Bool {
        guard target.occasions.contains(occasion) else { return false }
        // It concerns every region.
        if occasion == .bluetooth { return true }
        return target.regions.map { regions in region.map(regions.contains) ?? false } ?? true
    }
}

/// The addresses that answer a prompt, once.
package struct AnswerAddresses: Sendable, Equatable {
    package var join, notNow: String

    package init(join: String, notNow: String) {
        (self.join, self.notNow) = (join, notNow)
    }
}

extension Notification {
    /// Returns the content of the request to a server.
    func body(
        for target: Configuration.NotificationTarget, _ language: Language, _ answers: AnswerAddresses?
    ) -> [UInt8] {
        switch target.kind {
        case .webhook: Array(webhook(answers).json.utf8)
        case .ntfy:
            Array(Self.ntfy(target, title(language), message(language, answers), tag, buttons(language, answers)).utf8)
        }
    }

    /// The event as in the event stream, and the addresses of the answers.
    private func webhook(_ answers: AnswerAddresses?) -> [EventField] {
        event.fields
            + (answers.map {
                [EventField("answers", .object([.init("join", .text($0.join)), .init("notNow", .text($0.notNow))]))]
            } ?? [])
    }

    /// A test, which is not an event.
    static func test(
        for target: Configuration.NotificationTarget, at time: Int64, node: String, _ language: Language
    ) -> [UInt8] {
        let sentence =
            switch language {
            case .english: "A test of the notifications of \(node)."
            case .japanese: "\(node) の通知のテストです。"
            }
        let fields =
            EventField.text("time", Timestamp.text(time)) + EventField.text("event", "test")
            + EventField.text("node", node)
        return switch target.kind {
        case .webhook: Array(fields.json.utf8)
        case .ntfy: Array(ntfy(target, "Okaeri", sentence, "bell", []).utf8)
        }
    }

    /// The request of ntfy (https://docs.ntfy.sh/publish/#publish-as-json).
    private static func ntfy(
        _ target: Configuration.NotificationTarget, _ title: String, _ message: String, _ tag: String,
        _ buttons: [[EventField]]
    ) -> String {
        let fields =
            EventField.text("topic", target.url.topic?.name) + EventField.text("title", title)
            + EventField.text("message", message) + [EventField("tags", .values([.text(tag)]))]
        return (fields + (buttons.isEmpty ? [] : [EventField("actions", .list(buttons))])).json
    }

    /// The names of emoji.
    private var tag: String {
        switch occasion {
        case .enter: "house"
        case .exit: "wave"
        case .prompt, .wifi: "signal_strength"
        case .bluetooth: "warning"
        }
    }

    private func buttons(_ language: Language, _ answers: AnswerAddresses?) -> [[EventField]] {
        guard let answers else { return [] }
        return [(language.label(.join, prompt?.situation), answers.join), (language.notNow, answers.notNow)].map {
            label, url in
            EventField.text("action", "http") + EventField.text("label", label) + EventField.text("url", url)
                + EventField.text("method", "POST") + [EventField("clear", .flag(true))]
        }
    }
}

// MARK: Words

extension Notification {
    private func title(_ language: Language) -> String {
        if let prompt { return language.question(ssid: prompt.ssid, prompt.situation, on: event.node) }
        if let result { return language.title(of: result, on: event.node) }
        if fault != nil { return language.bluetoothTitle(on: event.node) }
        let name = region ?? ""
        return switch (language, occasion == .enter) {
        case (.english, true): "\(name): entered"
        case (.english, false): "\(name): left"
        case (.japanese, true): "\(name)：入りました"
        case (.japanese, false): "\(name)：出ました"
        }
    }

    /// With the time, because a server may be reached late.
    private func message(_ language: Language, _ answers: AnswerAddresses?) -> String {
        let parts = [LocalTime.clock(event.time), occasion == .enter || occasion == .exit ? room : region]
        let place = parts.compactMap(\.self).joined(separator: language == .english ? ", " : "、")
        let note =
            prompt.flatMap { language.note($0.situation) } ?? result.flatMap(language.reason)
            ?? fault.map(language.bluetoothReason)
        // Some sentences have their full stop, those of failures do not.
        let sentences = [note, answers == nil ? command(language) : nil].compactMap(\.self).map { sentence in
            ".。".contains(sentence.last ?? ".") ? String(sentence.dropLast()) : sentence
        }
        return ([place] + sentences).joined(separator: language == .english ? ". " : "。")
    }

    /// The command in the place of buttons.
    private func command(_ language: Language) -> String? {
        prompt?.id.map { id in
            switch language {
            case .english: "To answer on the machine, run: okaeri answer \(id) join"
            case .japanese: "回答するには、この機器で okaeri answer \(id) join を実行してください"
            }
        }
    }
}

extension Language {
    fileprivate func title(of result: Notification.Result, on node: String) -> String {
        let machine = node.plain(replacement: "\u{FFFD}", replacesFormat: true)
        func shown(_ name: String) -> String { name.plain(replacement: "\u{FFFD}", replacesFormat: true) }
        return switch (self, result) {
        case (.english, .completed(.join, let ssid)): "\(machine) is connected to “\(shown(ssid))”"
        case (.english, .notCompleted(.join, let ssid, _, _)): "\(machine) could not join “\(shown(ssid))”"
        case (.english, .limited(let ssid, _, _)): "\(machine) is connected to “\(shown(ssid))”, with a limitation"
        case (.japanese, .completed(.join, let ssid)): "\(machine) が「\(shown(ssid))」に接続しました"
        case (.japanese, .notCompleted(.join, let ssid, _, _)): "\(machine) は「\(shown(ssid))」に接続できませんでした"
        case (.japanese, .limited(let ssid, _, _)): "\(machine) が「\(shown(ssid))」に接続しましたが、制限があります"
        case (.english, .completed(let action, let ssid)): "\(machine): \(completed(action, ssid: ssid))"
        case (.japanese, .completed(let action, let ssid)): "\(machine)：\(completed(action, ssid: ssid))"
        case (.english, .notCompleted(let action, let ssid, _, _)): "\(machine): \(notCompleted(action, ssid: ssid))"
        case (.japanese, .notCompleted(let action, let ssid, _, _)): "\(machine)：\(notCompleted(action, ssid: ssid))"
        }
    }

    fileprivate func reason(_ result: Notification.Result) -> String? {
        switch result {
        case .completed: nil
        case .notCompleted(_, _, let code, let reason), .limited(_, let code, let reason): self.reason(code, reason)
        }
    }
}
