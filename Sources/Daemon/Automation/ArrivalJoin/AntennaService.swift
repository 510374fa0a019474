package import OkaeriPlumbing
package import OkaeriWiFi
import ServiceLifecycle

/// Divides the antenna between Wi-Fi and Bluetooth: a Pi has one for both.
///
/// It holds the scan while NetworkManager activates a connection, for 60 s of any 120 s at most, however many activations
/// NetworkManager tries: without a DHCP server it retries an activation four times, and a limit for each would leave the node without
/// observations for minutes. Otherwise it passes on whether 2.4 GHz Wi-Fi is in use.
package struct AntennaService: Service {
    private let wifi: any WiFiService
    private let budget: TimeBudget
    private let hold: @Sendable (Bool) -> Void
    private let wifiChanged: @Sendable (_ isUsed: Bool?) -> Void

    /// The time for which joins may hold the scan. Shorter holds would switch the scan off and on and help no activation.
    package static var usualBudget: TimeBudget {
        TimeBudget(limit: .seconds(60), window: .seconds(120), useful: .seconds(10))
    }

    /// - Parameters:
    ///   - budget: the time for which the scan may be held.
    ///   - hold: holds the scan with `true`, and releases it with `false`.
    ///   - wifiChanged: receives whether 2.4 GHz Wi-Fi is in use; `nil`: unknown.
    package init(
        wifi: any WiFiService, budget: TimeBudget = usualBudget,
        hold: @escaping @Sendable (Bool) -> Void, wifiChanged: @escaping @Sendable (_ isUsed: Bool?) -> Void
    ) {
        self.wifi = wifi
        self.budget = budget
        self.hold = hold
        self.wifiChanged = wifiChanged
    }

    package func run() async throws {
        let antenna = Antenna(budget: budget, hold: hold)
        await cancelWhenGracefulShutdown {
            for await state in wifi.states() {
                wifiChanged(state.uses24GHz)
                await antenna.setActivating(state.activating)
            }
        }
        antenna.stop()
    }
}

/// The present hold, and the alarm for its end or for the next one.
private actor Antenna {
    private var budget: TimeBudget
    private let hold: @Sendable (Bool) -> Void
    private var isActivating = false
    private var isHeld = false
    private let alarm = Alarm()

    init(budget: TimeBudget, hold: @escaping @Sendable (Bool) -> Void) {
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
        // The clock of the alarm.
        let now = KernelClock.boottime
        let decision = budget.update(isWanted: isActivating, at: now)
        if let next = decision.next {
            alarm.set(.now + .nanoseconds(next.subtractingClamped(now))) { [weak self] in await self?.update() }
        } else {
            alarm.clear()
        }
        guard decision.isGranted != isHeld else { return }
        isHeld = decision.isGranted
        hold(isHeld)
    }
}
