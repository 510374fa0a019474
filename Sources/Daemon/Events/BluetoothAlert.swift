package import HCI
import OkaeriPlumbing

/// Decides when people are notified that Bluetooth does not work. A value without a clock: the states of the adapter go in with
/// their time, and the actions come out.
///
///     works        → off      the adapter is poweredOff, unauthorized or unsupported
///     off          → alerted  after 10 s, and an hour after the last alert at the earliest
///     off, alerted → works    the adapter is poweredOn: the alert is withdrawn
///
/// The states `resetting` and `unknown` lead to none of these: an adapter that comes back passes through them.
package struct BluetoothAlert: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package enum Action: Sendable, Equatable {
        /// Notify people of the reason, which names the remedy.
        case alert(AdapterUpdate)
        /// Bluetooth works again: take the alert away.
        case withdraw
    }

    /// The delays of an alert.
    package struct Limits: Sendable {
        /// The length of an interruption that causes no alert: a restart of bluetoothd, or a power cycle of the adapter.
        package var grace = Duration.seconds(10)
        /// The shortest time between two alerts.
        package var pause = Duration.seconds(3600)

        package init() {}
    }

    private enum State: Sendable {
        case works
        /// `update` is `nil` while the adapter is on its way back.
        case off(since: Instant, update: AdapterUpdate?)
        case alerted
    }

    private let limits: Limits
    private var state = State.works
    private var lastAlert: Instant?

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// The time at which ``advanced(to:)`` has something to do, if no state comes before.
    package var deadline: Instant? {
        guard case .off(let since, update: .some) = state else { return nil }
        let due = since + limits.grace
        return lastAlert.map { max(due, $0 + limits.pause) } ?? due
    }

    /// Handles the state of the adapter.
    package mutating func updated(_ update: AdapterUpdate, at now: Instant) -> Action? {
        switch (update.state, state) {
        case (.poweredOn, .alerted):
            state = .works
            return .withdraw
        case (.poweredOn, _):
            state = .works
            return nil
        case (.poweredOff, .works), (.unauthorized, .works), (.unsupported, .works):
            state = .off(since: now, update: update)
        case (.poweredOff, .off(let since, _)), (.unauthorized, .off(let since, _)), (.unsupported, .off(let since, _)):
            state = .off(since: since, update: update)
        case (.resetting, .off(let since, _)), (.unknown, .off(let since, _)):
            state = .off(since: since, update: nil)
        case (_, .alerted), (.resetting, .works), (.unknown, .works):
            return nil
        }
        return advanced(to: now)
    }

    /// The clock has come to `now`.
    package mutating func advanced(to now: Instant) -> Action? {
        guard let deadline, deadline <= now, case .off(_, let update?) = state else { return nil }
        (state, lastAlert) = (.alerted, now)
        return .alert(update)
    }
}

/// The words of the alert.
extension Language {
    /// Returns the title of the alert about a machine.
    package func bluetoothTitle(on node: String) -> String {
        let machine = node.plain(replacement: "\u{FFFD}", replacesFormat: true)
        return self == .english ? "\(machine): Bluetooth does not work" : "\(machine)：Bluetooth が使えません"
    }

    /// Returns the reason, the effect and the remedy.
    package func bluetoothReason(_ update: AdapterUpdate) -> String {
        let name = (update.adapter ?? "Bluetooth").plain(replacement: "\u{FFFD}", replacesFormat: true)
        let effect = "ビーコンを受信できません。"
        switch (self, update.state) {
        case (.english, _):
            return
                "No beacon is received, because \(update.reason.plain(replacement: "\u{FFFD}", replacesFormat: true))"
        case (.japanese, .unauthorized):
            return "\(name) を使う権限がないため、\(effect)\(Remedy.okaeri("doctor")) で対処方法を確認してください。"
        case (.japanese, .unsupported):
            return "使える Bluetooth アダプターがないため、\(effect)"
                + "Bluetooth LE 対応のアダプターを接続し、\(Remedy.okaeri("doctor")) で確認してください。"
        case (.japanese, _):
            return "\(name) がオフのため、\(effect)\(Remedy.okaeri("bluetooth on")) でオンにしてください。"
                + "機器のスイッチでオフになっている場合は、先にスイッチを切り替えてください。"
        }
    }
}
