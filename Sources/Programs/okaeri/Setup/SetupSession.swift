import ArgumentParser
import Glibc
import Logging
import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriSetup
import OkaeriWiFi

/// A set-up on this machine and this terminal, until its end or a signal.
struct SetupSession: Sendable {
    let answers: RegionSetup.Answers
    let file: ConfigurationFile
    /// The absolute path of the file.
    let path: String
    /// The content of the file, and the configuration in it; `nil` without a file.
    let content: (text: String, configuration: Configuration)?
    let source: SourceOptions
    let client: APIClient
    let logger: Logger
    /// The report that is printed at the end in place of sentences; `nil`: sentences.
    let report: ChangeReport?

    private enum Outcome {
        /// The user joins a house with this broker instead.
        case join(broker: String)
        case ended(ExitCode)
        /// The end without a change.
        case unchanged(CommandFailure)
    }

    /// - Returns: The broker of the house that the user joins instead; `nil` if there is nothing left to do.
    func run() async throws -> String? {
        // A reader that ends early must not kill the process: it still has to switch the scan off.
        signal(SIGPIPE, SIG_IGN)
        let radio = SetupRadio(source, client: client, logger: logger)
        let wifi = SetupWiFi()
        let (signals, caught) = AsyncStream.makeStream(of: Void.self)
        await SignalTrap.shared.handle(by: { caught.yield() })
        let work = Task { await ask(radio, wifi) }
        let watch = Task { for await _ in signals { work.cancel() } }
        let outcome = await work.value
        watch.cancel()
        await radio.stop()
        await wifi.stop()
        switch outcome {
        case .join(let broker):
            await SignalTrap.shared.handle(by: nil)
            return broker
        case .ended(.success): return nil
        case .ended(let status): throw status
        case .unchanged(let failure):
            await radio.switchBack()
            throw failure
        }
    }

    private var console: TerminalConsole { TerminalConsole(isQuiet: report != nil) }

    private func ask(_ radio: SetupRadio, _ wifi: SetupWiFi) async -> Outcome {
        let configuration = content?.configuration
        var region = RegionSetup(
            answers, text: content?.text, regions: configuration?.regions ?? [], file: path,
            owner: NextSteps.owner,
            joined: configuration.flatMap { $0.isReceiver ? $0.mqtt?.broker.joinArguments : nil },
            console: console, receiver: radio, wifi: wifi)
        do {
            switch try await region.run() {
            case .join(let broker): return .join(broker: broker)
            case .receiver: return .ended(.success)
            case .text(let text, let network): return await write(text, wifi, unsavedNetwork: network)
            }
        } catch {
            let failure = error as? RegionSetup.Failure
            if failure == nil { try? Terminal.print("") }
            return .unchanged(failure?.ofCommand ?? CommandFailure(.nothingWritten, status: .failure))
        }
    }

    private func write(_ new: String, _ wifi: SetupWiFi, unsavedNetwork: String?) async -> Outcome {
        var report = report
        do throws(WriteObstacle) {
            let backup = try file.write(new, replacing: content?.text)
            report?.changed = new != content?.text
            report?.backup = backup
            console.say(backup == nil ? SetupPhrase.written : .writtenWithBackup, file.path, backup ?? "")
        } catch {
            return .unchanged(CommandFailure(error))
        }
        // Not cancelled by a signal: it decides which steps are named at the end.
        let left = await Task { await NextSteps(writing: file, client: client, unsavedNetwork: unsavedNetwork) }.value
        let asks = !answers.areComplete
        let rights = ServiceSetup.Rights(
            controlsService: asks && ServiceControl.isControllable && file.path == ServiceControl.file,
            isRoot: asks && geteuid() == 0)
        var steps = ServiceSetup(
            left, with: rights, network: network(unsavedNetwork, in: new), text: new, console: console, wifi: wifi,
            service: ServiceFiles(file: file))
        var status = ExitCode.success
        do {
            try await steps.run()
        } catch {
            try? Terminal.print("")
            status = .failure
        }
        let lines = steps.left.lines(in: console.language)
        console.say(([console.language(SetupPhrase.next)] + lines.map { "  \($0)" }).joined(separator: "\n"))
        report?.next = steps.left.lines()
        if let report { try? Terminal.print(JSON.line(report)) }
        return .ended(status)
    }

    /// The network as a region of the file has it: it may require WPA3.
    private func network(_ ssid: String?, in text: String) -> HomeNetwork? {
        guard let ssid else { return nil }
        let regions = (try? ConfigurationText(text, file: file.path).configuration().regions) ?? []
        return regions.compactMap(\.network).first { $0.ssid == ssid }
    }
}

extension RegionSetup.Failure {
    /// The end of the command. The questions have shown the reason why Bluetooth cannot be used.
    fileprivate var ofCommand: CommandFailure {
        switch self {
        case .declined: CommandFailure(.nothingWritten, status: .failure)
        case .noBluetooth(let isPermission):
            CommandFailure(.nothingWritten, status: isPermission ? Exit.noPermission : Exit.unavailable)
        case .noConfiguration(let error): CommandFailure(error)
        }
    }
}

extension MQTTSettings.Broker {
    /// The arguments of `okaeri join` for this broker.
    fileprivate var joinArguments: String {
        guard let tls else { return description }
        return "\(description) " + (tls.authorities.map { "--tls-ca \($0)" } ?? "--tls")
    }
}
