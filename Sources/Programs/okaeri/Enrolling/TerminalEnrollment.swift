import ArgumentParser
import BlueZ
import Glibc
import HCI
import Logging
import OkaeriBluetooth
import OkaeriDaemon
import OkaeriEvents
import OkaeriListening
import OkaeriPlumbing
import OkaeriPresence
import OkaeriSetup
import RegionMonitoring
import ServiceLifecycle

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

/// The enrollment of a phone by pairing, with its steps and questions on the terminal.
struct TerminalEnrollment: Sendable {
    /// The time of counting receptions.
    private static let limit = Duration.seconds(600)

    let name: String
    let options: PairingOptions
    /// The place of the phone.
    let files: PhoneFiles
    let logger: Logger
    private let line = WaitingLine()

    init(_ name: String, _ options: PairingOptions, in files: PhoneFiles, logger: Logger) {
        (self.name, self.options, self.files, self.logger) = (name, options, files, logger)
    }

    /// Enrolls the phone, and waits until it is received. Unless it is enrolled, adapter and advertising are as before then,
    /// and, unless it has paired, the bonds as well.
    func run() async throws {
        do throws(KernelError) {
            // Before anything changes.
            try PhonePairing.checkRight()
        } catch {
            throw error.command
        }
        let enroller = enroller
        let job = PhoneEnroller.Job(
            name: name, profile: options.as, timeout: .seconds(options.timeout), forgets: options.forget
        ) { identity in
            // A signal does not cancel it: the phone has paired.
            try await Task { try await store(identity) }.value
        }
        do {
            try await CentralSession.run(logger: logger) { try await enroller.enroll(job) }
        } catch let failure as EnrollmentMachine.Failure {
            throw failure.command
        } catch let error as KernelError {
            throw error.command
        }
        await line.end()
        guard let phone = await enroller.phone, await enroller.report.state == .done else {
            throw CommandFailure(
                "no phone has paired, and nothing was written; the adapter and its bonds are as before",
                status: .failure)
        }
        try await countReceptions(of: phone.identity)
    }

    private var enroller: PhoneEnroller {
        var dependencies = PhoneEnroller.Dependencies()
        dependencies.adapter = { options.bluetooth.adapter }
        dependencies.capability = Terminal.canAsk ? .displayYesNo : .noInputNoOutput
        dependencies.confirm = { await confirm($0) }
        dependencies.observe = { await show($0, $1) }
        // The command reports the result itself.
        var silent = logger
        silent.logLevel = .critical
        return PhoneEnroller(dependencies, logger: silent)
    }

    private func store(_ identity: DeviceIdentity) async throws {
        await line.end()
        if options.forget { try? Terminal.print("The bond is removed here. Remove it on the phone as well.") }
        try? Terminal.print(
            "Android makes a new key when its last bond is removed: keep one paired device on the phone, or enroll it again."
        )
        do {
            _ = try await files.store(identity)
        } catch {
            Terminal.printNotice(
                "the phone stays paired; remove it on the phone and with `bluetoothctl remove "
                    + "\(identity.address.map { "\($0)" } ?? "ADDRESS")` before you try again")
            throw error
        }
    }
}

// MARK: The terminal

extension TerminalEnrollment {
    private func show(_ report: EnrollmentReport, _ phone: EnrollmentMachine.Phone?) async {
        await line.end()
        switch report.state {
        case .preparing: await line.begin("preparing")
        case .advertising:
            let name = report.advertised ?? ""
            try? Terminal.print("This machine advertises as \"\(name)\". On the phone or the watch:")
            for step in options.as.instructions(name: name) { try? Terminal.print("  \(step)") }
            await line.begin("waiting for the phone")
        case .pairing:
            try? Terminal.print("A phone is connected. Confirm the pairing on the phone.")
            await line.begin("waiting for the pairing")
        case .settling:
            if let device = phone?.device {
                try? Terminal.print(
                    "The phone \(device.name ?? "") has paired; its identity address is \(device.address).")
            }
            await line.begin("waiting for the phone to finish")
        case .unavailable, .idle, .writing, .ending, .done, .failed: break
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

// MARK: The receptions

extension TerminalEnrollment {
    /// Counts the receptions until the time is up or the user ends it, and prints the result.
    private func countReceptions(of identity: DeviceIdentity) async throws {
        try? Terminal.print(
            "Waiting for ten minutes for the advertisements of the phone. Ctrl-C ends the wait; the phone stays enrolled."
        )
        let session = try ListeningSession(regions: [], adapter: options.bluetooth.adapter, logger: logger)
        let survey = session.phoneSurvey([files.path: identity])
        let began = session.instant
        let receptions = { @Sendable in
            let devices = survey.devices(since: began).filter { $0.file == files.path }
            return EnrollmentReport.Reception(
                count: devices.reduce(0) { $0 + $1.count }, rssi: devices.first?.rssi.map(Int.init),
                seconds: Int(began.duration(to: session.instant).components.seconds))
        }
        let counting = Counting(line: line, limit: Self.limit, receptions: receptions)
        do {
            try await session.survey(survey, with: [counting, Verdict(events: session.events())])
        } catch let error as NoBluetooth {
            try? Terminal.print("It could not be waited for: \(error.reason)")
            return
        }
        try? Terminal.print(receptions().sentence)
    }

    private struct Counting: Service {
        let line: WaitingLine
        let limit: Duration
        let receptions: @Sendable () -> EnrollmentReport.Reception

        func run() async {
            await cancelWhenGracefulShutdown {
                await line.begin("waiting for the phone")
                let end = ContinuousClock.now + limit
                var isReceived = false
                while ContinuousClock.now < end, (try? await Task.sleep(for: .seconds(1))) != nil {
                    let reception = receptions()
                    guard !isReceived, reception.count > 0 else { continue }
                    isReceived = true
                    await line.end()
                    let strength = reception.rssi.map { "with \($0) dBm" } ?? "with an unknown signal"
                    try? Terminal.print("The phone was received for the first time, \(strength).")
                    await line.begin("counting")
                }
            }
            await line.end()
        }
    }
}

extension EnrollmentReport.Reception {
    /// The result, and its meaning.
    var sentence: String {
        let time = seconds >= 120 ? "\(seconds / 60) minutes" : "\(seconds) s"
        guard count > 0 else {
            return
                "The phone was not received in \(time). A captured key does not prove that the phone advertises: docs/phones.md "
                + "explains when phones are silent, and `okaeri scan --phones` shows what is in range."
        }
        return "The phone was received \(quantity(count, "time")) in \(time)."
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

extension EnrollmentProfile: ExpressibleByArgument {
    /// The steps on the phone, a line each.
    func instructions(name: String) -> [String] {
        let android = "Android  Settings > Connected devices > Pair new device, then choose \"\(name)\""
        switch self {
        case .heartRate:
            return [
                "iPhone   Settings > Bluetooth, keep this screen open, then choose \"\(name)\"",
                "Watch    Settings > Bluetooth, under Health Devices choose \"\(name)\"", android,
            ]
        case .keyboard:
            return [
                "iPhone   Settings > Bluetooth, then choose \"\(name)\"",
                "Watch    Settings > Accessibility or Bluetooth, then choose \"\(name)\"", android,
            ]
        }
    }
}
