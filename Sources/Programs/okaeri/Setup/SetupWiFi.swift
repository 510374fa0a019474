import OkaeriNetworkManager
import OkaeriPlumbing
import OkaeriSetup
import OkaeriWiFi
import Synchronization

/// NetworkManager for a set-up, on a thread of its own from the first question on.
final class SetupWiFi: SetupNetworks {
    private let service = NetworkManagerService()
    /// The profile that is being made.
    private let saving = Mutex<Task<Result<SavedProfile, JoinFailure>, Never>?>(nil)

    func networks() async -> Result<[VisibleNetwork], JoinFailure> {
        start()
        return await service.networks()
    }

    func condition(of network: HomeNetwork) async -> NetworkCondition {
        start()
        return await service.condition(of: network)
    }

    func save(
        _ network: HomeNetwork, with passphrase: TypedPassphrase
    ) async -> Result<SavedProfile, JoinFailure> {
        start()
        let task = Task { [service] in await service.save(network, with: passphrase) }
        saving.withLock { $0 = task }
        return await task.value
    }

    /// Ends what is under way. A profile whose join is interrupted is deleted first.
    func stop() async {
        service.stop()
        _ = await saving.withLock(\.self)?.value
    }

    private func start() {
        // A second run of a service that runs ends at once.
        try? BlockingThread.start { [service] in service.run() }
    }
}
