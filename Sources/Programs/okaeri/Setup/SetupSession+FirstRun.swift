import ArgumentParser
import Client
import Events
import Glibc
import OkaeriConfiguration
import Plumbing
import Setup
import WiFi

/// The steps after the file is written.
extension SetupSession {
    /// - Parameters:
    ///   - text: The content of the file.
    ///   - isSilent: Whether nothing is asked; then the steps are named.
    func beginFirstRun(_ text: String, unsavedNetwork: String?, isSilent: Bool) async {
        let left = await NextSteps(writing: file, client: client, unsavedNetwork: unsavedNetwork)
        let isRoot = geteuid() == 0
        let machine = FirstRun.Machine(
            controlsService: !isSilent && ServiceControl.isControllable && file.path == ServiceControl.file,
            isRoot: !isSilent && isRoot)
        var firstRun = FirstRun(left, on: machine, network: network(unsavedNetwork, in: text), text: text)
        let actions = firstRun.begin()
        self.firstRun = firstRun
        await perform(actions)
    }

    func continueFirstRun(_ event: FirstRun.Event) async {
        guard let actions = firstRun?.handle(event) else { return }
        await perform(actions)
    }

    /// Names what is left.
    ///
    /// - Parameter status: The exit status.
    func endFirstRun(_ status: ExitCode) {
        if let lines = firstRun?.left.lines {
            say("Next:\n" + lines.map { "  \($0)" }.joined(separator: "\n"))
            changeReport?.next = lines
        }
        if let changeReport { try? Terminal.print(JSON.line(changeReport)) }
        outcome = status == .success ? .success(()) : .failure(status)
    }

    /// The network as a region of the file has it: it may require WPA3.
    private func network(_ ssid: String?, in text: String) -> HomeNetwork? {
        guard let ssid else { return nil }
        let regions = (try? ConfigurationText(text, file: file.path).regions()) ?? []
        return regions.compactMap(\.network).first { $0.ssid == ssid }
    }

    private func perform(_ actions: [FirstRun.Action]) async {
        for action in actions where outcome == nil { await perform(action) }
    }

    private func perform(_ action: FirstRun.Action) async {
        await waiting.end()
        switch action {
        case .say(let sentence): say(sentence)
        case .ask(let question): try? Terminal.write(question, to: .output)
        case .askSecret(let question): askSecret(question)
        case .apply:
            await waiting.begin("waiting for the service to read its configuration")
            apply()
        case .addToGroup(let user): add(user)
        case .save(let network, let passphrase):
            await waiting.begin("joining \(network.ssid.plain())")
            wifi.save(network, passphrase)
        case .writePassword(let password): report(.firstRun(.passwordWritten(Self.write(password))))
        case .write(let text, let old): report(.firstRun(.written(write(text, replacing: old))))
        case .showPage(let address): await showPage(at: address)
        case .end: endFirstRun(.success)
        }
    }

    /// Lines that are typed meanwhile are no answers.
    private func apply() {
        Task { [report] in
            do throws(ServiceControl.Failure) {
                report(.firstRun(.applied(.success(try await ServiceControl().apply()))))
            } catch {
                report(.firstRun(.applied(.failure(error))))
            }
        }
    }

    private func add(_ user: String) {
        Task { [report] in
            let outcome = await SystemCommand()("usermod", "-aG", NextSteps.group, "--", user)
            let reason = outcome.complaint.isEmpty ? "usermod failed" : outcome.complaint
            report(.firstRun(.added(trouble: outcome.succeeded ? nil : reason)))
        }
    }

    private func write(_ text: String, replacing old: String) -> Result<Void, WriteObstacle> {
        do throws(WriteObstacle) {
            try file.write(text, replacing: old)
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// The password of the broker belongs to the service's user, which reads it.
    private static func write(_ password: String) -> Result<String, WriteObstacle> {
        let path = "/etc/okaeri/mqtt.password"
        do throws(WriteObstacle) {
            try SecretFile.writeForDaemon(password, to: path)
            return .success(path)
        } catch {
            return .failure(error)
        }
    }

    /// Logs a browser in as soon as the daemon, which answers earlier, has opened the page's port.
    private func showPage(at address: String) async {
        do {
            let client = APIClient(socket: ServiceControl.socket)
            if let problem = try await PageState.problem(client, at: address) {
                Terminal.complain("the page is not served: \(problem)")
            } else {
                try await WebLinkCommand.parse(["--socket", ServiceControl.socket]).run()
            }
        } catch {
            Terminal.complain((error as? CommandFailure)?.message ?? "\(error)")
        }
        report(.firstRun(.pageShown))
    }
}
