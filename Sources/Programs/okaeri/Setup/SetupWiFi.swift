import NetworkManager
import Plumbing
import Setup
import Synchronization
import WiFi

/// The questions of a set-up to NetworkManager.
final class SetupWiFi: Sendable {
    private let service = NetworkManagerService()
    private let report: @Sendable (SetupSession.News) -> Void
    /// The profile that is being made.
    private let saving = Mutex<Task<Void, Never>?>(nil)

    init(_ report: @escaping @Sendable (SetupSession.News) -> Void) { self.report = report }

    func find() {
        _ = ask { .event(.networks(await $0.networks())) }
    }

    func examine(_ network: HomeNetwork) {
        _ = ask { .event(.condition(await $0.condition(of: network))) }
    }

    func save(_ network: HomeNetwork, _ passphrase: TypedPassphrase) {
        let task = ask { .firstRun(.saved(await $0.save(network, with: passphrase))) }
        saving.withLock { $0 = task }
    }

    /// Ends what is under way. A profile whose join is interrupted is deleted first.
    func stop() async {
        service.stop()
        await saving.withLock { $0 }?.value
    }

    /// It runs on a thread of its own from the first question on.
    private func ask(
        _ question: @escaping @Sendable (NetworkManagerService) async -> SetupSession.News
    ) -> Task<Void, Never> {
        // A second run of a service that runs ends at once.
        try? BlockingThread.start { [service] in service.run() }
        return Task { [service, report] in report(await question(service)) }
    }
}
