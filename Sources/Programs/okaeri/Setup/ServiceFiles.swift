import ArgumentParser
import OkaeriClient
import OkaeriConfiguration
import OkaeriHouse
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriReceivers
import OkaeriSetup

/// The service of this machine and its files, for a set-up.
struct ServiceFiles: SetupService {
    /// The file of the broker's password: it belongs to the service's user, which reads it.
    private static let password = "/etc/okaeri/mqtt.password"

    let file: ConfigurationFile

    /// In a task of its own: a command that has begun goes to its end, also if the wait is cancelled.
    func apply() async -> Result<ServiceControl.Outcome, ServiceControl.Failure> {
        let task = Task {
            do throws(ServiceControl.Failure) {
                return Result<_, ServiceControl.Failure>.success(try await ServiceControl().apply())
            } catch {
                return .failure(error)
            }
        }
        return await task.value
    }

    func add(_ user: String) async -> String? {
        let outcome = await Task { await SystemCommand()("usermod", "-aG", NextSteps.group, "--", user) }.value
        guard !outcome.succeeded else { return nil }
        return outcome.complaint.isEmpty ? "usermod failed" : outcome.complaint
    }

    func writePassword(_ password: String) throws(WriteObstacle) -> String {
        try SecretFile.writeForDaemon(password, to: Self.password)
        return Self.password
    }

    func write(_ text: String, replacing old: String) throws(WriteObstacle) {
        try file.write(text, replacing: old)
    }

    func receivers(at broker: MQTTSettings.Broker) async -> Result<[FoundReceiver], Mistake> {
        do {
            return .success(try await HouseReader(broker).readReceivers().receivers)
        } catch let failure as HouseReader.Failure {
            return .failure(Mistake(failure.sentence(in: Terminal.language)))
        } catch {
            return .failure(Mistake("\(error)"))
        }
    }

    /// Logs a browser in as soon as the daemon, which answers earlier, has opened the page's port.
    func showPage(at address: String) async {
        do {
            let client = APIClient(socket: ServiceControl.socket)
            if let problem = try await PageState.problem(client, at: address) {
                Terminal.printNotice("the page is not served: \(problem)")
            } else {
                try await WebLinkCommand.parse(["--socket", ServiceControl.socket]).run()
            }
        } catch {
            Terminal.printNotice((error as? CommandFailure)?.message ?? "\(error)")
        }
    }
}
