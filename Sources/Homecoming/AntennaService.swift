import ServiceLifecycle
package import WiFi

/// Leaves the antenna to the Wi-Fi while a connection is being made: a Pi has one for both.
package struct AntennaService: Service {
    private let wifi: any WiFiService
    private let hold: @Sendable (Bool) -> Void

    /// An activation takes seconds. One that never ends must not keep us deaf.
    private static let timeout = Duration.seconds(60)

    /// - Parameter hold: leaves the antenna to the Wi-Fi while it is told true.
    package init(wifi: any WiFiService, hold: @escaping @Sendable (Bool) -> Void) {
        self.wifi = wifi
        self.hold = hold
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            var limit: Task<Void, Never>?
            var isActivating = false
            for await state in wifi.states() where state.activating != isActivating {
                isActivating = state.activating
                limit?.cancel()
                hold(isActivating)
                guard isActivating else { continue }
                limit = Task {
                    guard (try? await Task.sleep(for: Self.timeout)) != nil else { return }
                    hold(false)
                }
            }
            limit?.cancel()
        }
    }
}
