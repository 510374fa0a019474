import NetworkManager
import Plumbing
import Setup
import WiFi

/// The questions of a set-up to NetworkManager.
struct SetupWiFi: Sendable {
    private let service = NetworkManagerService()
    private let report: @Sendable (SetupSession.News) -> Void

    init(_ report: @escaping @Sendable (SetupSession.News) -> Void) { self.report = report }

    func find() {
        ask { .networks(await $0.networks()) }
    }

    func examine(_ network: HomeNetwork) {
        ask { .condition(await $0.condition(of: network)) }
    }

    func stop() { service.stop() }

    /// It runs on a thread of its own from the first question on.
    private func ask(_ question: @escaping @Sendable (NetworkManagerService) async -> SetupDialogue.Event) {
        // A second run of a service that runs ends at once.
        try? BlockingThread.start { [service] in service.run() }
        Task { [service, report] in report(.event(await question(service))) }
    }
}
