import Plumbing
import ServiceLifecycle
package import WiFi

/// Holds the scan while NetworkManager activates a connection, within an ``AntennaBudget``: a Pi has one antenna for
/// Wi-Fi and Bluetooth.
package struct AntennaService: Service {
    private let wifi: any WiFiService
    private let budget: AntennaBudget
    private let hold: @Sendable (Bool) -> Void

    /// - Parameters:
    ///   - budget: the time for which the scan may be held.
    ///   - hold: holds the scan with `true`, and releases it with `false`.
    package init(
        wifi: any WiFiService, budget: AntennaBudget = AntennaBudget(), hold: @escaping @Sendable (Bool) -> Void
    ) {
        self.wifi = wifi
        self.budget = budget
        self.hold = hold
    }

    package func run() async throws {
        let antenna = Antenna(budget: budget, hold: hold)
        await cancelWhenGracefulShutdown {
            for await state in wifi.states() { await antenna.setActivating(state.activating) }
        }
        antenna.stop()
    }
}

/// The present hold, and the alarm for its end or for the next one.
private actor Antenna {
    private var budget: AntennaBudget
    private let hold: @Sendable (Bool) -> Void
    private var isActivating = false
    private var isHeld = false
    private let alarm = Alarm()

    init(budget: AntennaBudget, hold: @escaping @Sendable (Bool) -> Void) {
        self.budget = budget
        self.hold = hold
    }

    func setActivating(_ isActivating: Bool) {
        guard isActivating != self.isActivating else { return }
        self.isActivating = isActivating
        update()
    }

    nonisolated func stop() {
        alarm.clear()
    }

    private func update() {
        let decision = budget.update(isActivating: isActivating, at: .now)
        if let next = decision.next {
            alarm.set(next) { [weak self] in await self?.update() }
        } else {
            alarm.clear()
        }
        guard decision.isHeld != isHeld else { return }
        isHeld = decision.isHeld
        hold(isHeld)
    }
}
