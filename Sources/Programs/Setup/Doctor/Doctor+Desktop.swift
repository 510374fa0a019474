import FoundationEssentials
import OkaeriConfiguration
import OkaeriDBus
import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi

/// The desktop session that shows the prompts.
extension Doctor {
    /// Returns the state of the notification server and of the agent; nothing outside a desktop, or without a network to ask about.
    func desktopFindings(
        bus address: String? = nil, environment: [String: String] = ProcessInfo.processInfo.environment
    ) async -> [Finding] {
        let isDesktop = environment["WAYLAND_DISPLAY"] != nil || environment["DISPLAY"] != nil
        let asks = configured?.regions.contains { $0.network?.join.asks == true } ?? false
        guard isDesktop, asks, let bus = try? await Bus.connect(.session, address: address) else { return [] }
        let owner = try? await bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
            [.string("org.freedesktop.Notifications")])
        await bus.close()
        let server: Finding =
            owner == nil
            ? .wrong("desktop", DoctorPhrase.noNotifications) : .ok("desktop", DoctorPhrase.notifications)
        return [server, agent(environment["XDG_RUNTIME_DIR"])]
    }

    private func agent(_ directory: String?) -> Finding {
        let isRunning = directory.flatMap { SessionLock("\($0)/\(SessionLock.agentFile)") }.map { !$0.isHeld } ?? false
        return isRunning
            ? .ok("agent", DoctorPhrase.agentRuns) : .note("agent", DoctorPhrase.noAgent)
    }
}
