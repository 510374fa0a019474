import ArgumentParser
import BlueZ
import Bluetooth
import Glibc
import HCI
import Logging
import OkaeriDaemon
import Plumbing
import Setup
import Synchronization

/// `okaeri enroll NAME` without a key: this machine is a peripheral, and the phone pairs with it.
struct PairingOptions: ParsableArguments {
    @OptionGroup var bluetooth: BluetoothOptions

    @Option(help: "The device that this machine resembles: heart-rate or keyboard.")
    var `as` = EnrollmentProfile.heartRate

    @Option(help: "The time limit of the pairing, in seconds.")
    var timeout = 120.0

    @Flag(help: "Remove the bond on this machine after the pairing. The phone keeps its own.")
    var forget = false

    func validate() throws {
        guard timeout >= 10, timeout <= 3600 else {
            throw ValidationError("--timeout takes a number of seconds from 10 to 3600")
        }
    }
}

/// The pairing with one phone, with its steps and questions on the terminal.
struct TerminalPairing: Sendable {
    let options: PairingOptions
    let logger: Logger
    private let line = WaitingLine()

    init(_ options: PairingOptions, logger: Logger) { (self.options, self.logger) = (options, logger) }

    /// Pairs, and returns the identity of the phone. Adapter, advertising and, unless it succeeds, bonds are as before then.
    func run() async throws -> EnrollmentMachine.Phone {
        do throws(KernelError) {
            // Before anything changes.
            try PhonePairing.checkRight()
        } catch {
            throw error.command
        }
        let result = Mutex<EnrollmentMachine.Phone?>(nil)
        let pairing = PhonePairing(as: options.as, timeout: .seconds(options.timeout), forgets: options.forget)
        do {
            try await CentralSession(adapter: options.bluetooth.adapter, logger: logger).run { central in
                let phone = try await pairing.run(
                    central, as: Terminal.canAsk ? .displayYesNo : .noInputNoOutput,
                    confirm: { await confirm($0) }, changed: { await show($0) })
                result.withLock { $0 = phone }
            }
        } catch let failure as EnrollmentMachine.Failure {
            throw failure.command
        } catch let error as KernelError {
            throw error.command
        }
        await line.end()
        guard let phone = result.withLock(\.self) else {
            throw CommandFailure(
                "no phone has paired, and nothing was written; the adapter and its bonds are as before",
                status: .failure)
        }
        if options.forget { try? Terminal.print("The bond is removed here. Remove it on the phone as well.") }
        try? Terminal.print(
            "Android makes a new key when its last bond is removed: keep one paired device on the phone, or enroll it again."
        )
        return phone
    }
}

// MARK: The terminal

extension TerminalPairing {
    private func show(_ state: EnrollmentMachine.State) async {
        await line.end()
        switch state {
        case .preparing: await line.begin("preparing")
        case .advertising:
            try? Terminal.print(
                "This machine advertises as \"\(PhonePairing.advertisedName)\". On the phone or the watch:")
            for step in options.as.instructions(name: PhonePairing.advertisedName) { try? Terminal.print("  \(step)") }
            await line.begin("waiting for the phone")
        case .pairing:
            try? Terminal.print("A phone is connected. Confirm the pairing on the phone.")
            await line.begin("waiting for the pairing")
        case .settling(let phone):
            try? Terminal.print(
                "The phone \(phone.device.name ?? "") has paired; its identity address is \(phone.device.address).")
            await line.begin("waiting for the phone to finish")
        case .done, .failed: break
        }
    }

    /// Lets a person compare the numbers; without a terminal the device may pair.
    private func confirm(_ request: PairingRequest) async -> Bool {
        guard Terminal.canAsk else { return true }
        await line.end()
        let device = "\(request.device.name ?? "A device") (\(request.device.address))"
        let question =
            request.digits.map { "\(device) shows six digits. Are they \($0)?" }
            ?? "\(device) wants to pair, and shows no digits. Allow it?"
        TerminalInput.discard()
        // It ends without an answer when the device leaves, because the task is cancelled then.
        let isAgreed = try? await TerminalConsole().confirm(question, default: false)
        await line.begin("waiting for the pairing")
        return isAgreed ?? false
    }
}

extension EnrollmentMachine.Failure {
    fileprivate var command: CommandFailure {
        switch self {
        case .timedOut(wasConnected: false):
            CommandFailure("\(self); try `--as keyboard`, or import a key", status: Exit.unavailable)
        case .timedOut, .obstacle: CommandFailure(description, status: Exit.unavailable)
        case .noKey: CommandFailure(description, status: .failure)
        }
    }
}

extension KernelError {
    /// Whether the process lacks the right.
    var isPermission: Bool { code == EPERM || code == EACCES }

    fileprivate var command: CommandFailure {
        CommandFailure(description, status: isPermission ? Exit.noPermission : Exit.unavailable)
    }
}
