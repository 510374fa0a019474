import ArgumentParser
import BlueZ
import Bluetooth
import Glibc
import HCI
import Logging
import Plumbing
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

/// The pairing with one phone.
struct PhonePairing: Sendable {
    let options: PairingOptions
    /// The name that phones show.
    let advertisedName: String
    let logger: Logger
    private let line = WaitingLine()

    init(_ options: PairingOptions, advertisedName: String, logger: Logger) {
        (self.options, self.advertisedName, self.logger) = (options, advertisedName, logger)
    }

    /// Pairs, and returns the identity of the phone. Adapter, advertising and, unless it succeeds, bonds are as before then.
    func run() async throws -> EnrollmentMachine.Phone {
        do throws(KernelError) {
            // Before anything changes: without the right to receive keys a pairing would be in vain.
            _ = try ManagementSocket()
        } catch {
            throw CommandFailure(
                error.description, status: error.isPermission ? Exit.noPermission : Exit.unavailable)
        }
        let result = Mutex<EnrollmentMachine.Phone?>(nil)
        let answers = TerminalAnswers()
        try await CentralSession(adapter: options.bluetooth.adapter, logger: logger).run { central in
            let phone = try await central.acceptPairing(
                as: Terminal.canAsk ? .displayYesNo : .noInputNoOutput,
                confirm: { request in await confirm(request, answers) }
            ) { session in try await pair(session) }
            result.withLock { $0 = phone }
        }
        guard let phone = result.withLock(\.self) else {
            throw CommandFailure(
                "no phone has paired, and nothing was written; the adapter and its bonds are as before",
                status: .failure)
        }
        return phone
    }

    private func pair(_ session: PairingSession) async throws -> EnrollmentMachine.Phone {
        guard let index = UInt16(adapter: session.adapter) else { throw CancellationError() }
        let watch: KeyWatch
        do throws(KernelError) {
            watch = try KeyWatch(adapter: index)
        } catch {
            throw CommandFailure(error.description, status: Exit.unavailable)
        }
        defer { watch.stop() }
        let manager = PeripheralManager(adapter: session.adapter, fallback: KernelAdvertising())
        options.as.services.forEach(manager.add)
        try manager.startAdvertising(options.as.advertisement(named: advertisedName))
        let phone = try await follow(session, manager, watch)
        await session.end(phone.device.identifier, forgets: options.forget)
        return phone
    }

    /// Runs the machine by the events of bluetoothd and the kernel.
    private func follow(
        _ session: PairingSession, _ manager: PeripheralManager, _ watch: KeyWatch
    ) async throws -> EnrollmentMachine.Phone {
        let (events, news) = AsyncStream.makeStream(
            of: EnrollmentMachine.Event.self, bufferingPolicy: .bufferingNewest(256))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await manager.run() }
            group.addTask {
                for await event in manager.events { if let event = event.enrollment { news.yield(event) } }
            }
            group.addTask { for await devices in session.devices() { news.yield(.devices(devices)) } }
            group.addTask { for await identity in watch.identities { news.yield(.key(identity)) } }
            group.addTask { while (try? await Task.sleep(for: .milliseconds(250))) != nil { news.yield(.tick) } }
            defer { group.cancelAll() }
            var machine = EnrollmentMachine(timeout: .seconds(options.timeout), at: .now)
            await show(.preparing)
            for await event in events {
                let before = machine.state
                for action in machine.handle(event, at: .now) {
                    switch action {
                    case .pair(let device): session.pair(device)
                    }
                }
                if machine.state != before { await show(machine.state) }
                switch machine.state {
                case .done(let phone): return phone
                case .failed(let failure): throw failure.command
                case .preparing, .advertising, .pairing, .settling: break
                }
            }
            await line.end()
            throw CancellationError()
        }
    }
}

// MARK: The terminal

extension PhonePairing {
    private func show(_ state: EnrollmentMachine.State) async {
        await line.end()
        switch state {
        case .preparing: await line.begin("preparing")
        case .advertising:
            try? Terminal.print("This machine advertises as \"\(advertisedName)\". On the phone or the watch:")
            for step in options.as.instructions(name: advertisedName) { try? Terminal.print("  \(step)") }
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
    private func confirm(_ request: PairingRequest, _ answers: TerminalAnswers) async -> Bool {
        guard Terminal.canAsk else { return true }
        await line.end()
        let device = "\(request.device.name ?? "A device") (\(request.device.address))"
        let question =
            request.digits.map { "\(device) shows six digits. Are they \($0)? [y/N] " }
            ?? "\(device) wants to pair, and shows no digits. Allow it? [y/N] "
        try? Terminal.write(question, to: .output)
        let answer = await answers.next()?.lowercased()
        await line.begin("waiting for the pairing")
        return answer == "y" || answer == "yes"
    }
}

/// Lines of standard input. One thread reads them, from the first question until the end of the program.
final class TerminalAnswers: Sendable {
    private let reader = Mutex<Broadcaster?>(nil)

    private final class Broadcaster: Sendable {
        let waiting = Mutex<AsyncStream<String>.Continuation?>(nil)
    }

    /// Returns the next line that is typed; `nil` at the end of the input, or when the task is cancelled.
    func next() async -> String? {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))
        let (reader, isNew) = reader.withLock { reader in
            if let reader { return (reader, false) }
            let new = Broadcaster()
            reader = new
            return (new, true)
        }
        reader.waiting.withLock { $0 = continuation }
        if isNew { start(reader) }
        for await line in lines { return line }
        return nil
    }

    private func start(_ reader: Broadcaster) {
        let isStarted: Void? = try? BlockingThread.start {
            // What was typed before a question is no answer to it.
            Terminal.forEachLine { line in reader.waiting.withLock { _ = $0?.yield(line) } }
            reader.waiting.withLock { $0?.finish() }
        }
        if isStarted == nil { reader.waiting.withLock { $0?.finish() } }
    }
}

extension PeripheralManager.Event {
    /// The event of the pairing; `nil`: it is of no interest to it.
    fileprivate var enrollment: EnrollmentMachine.Event? {
        switch self {
        case .didStartAdvertising: .didStartAdvertising
        case .didUpdateState(.poweredOn, _), .didUpdateState(.unknown, _), .didAddServices, .didRefuse: nil
        case .didUpdateState(_, let reason), .didFail(let reason): .obstacle(reason)
        }
    }
}

extension EnrollmentMachine.Failure {
    fileprivate var command: CommandFailure {
        switch self {
        case .timedOut(wasConnected: false):
            CommandFailure(
                "no phone has connected in time; try `--as keyboard`, or import a key", status: Exit.unavailable)
        case .timedOut(wasConnected: true):
            CommandFailure(
                "the phone was connected and has not paired; if it has paired with this machine before, remove that first, on the "
                    + "phone and with `bluetoothctl remove ADDRESS`", status: Exit.unavailable)
        case .noKey(let address):
            CommandFailure("\(address) has paired, but sent no identity resolving key", status: .failure)
        case .obstacle(let reason): CommandFailure(reason, status: Exit.unavailable)
        }
    }
}

extension KernelError {
    /// Whether the process lacks the right.
    var isPermission: Bool { code == EPERM || code == EACCES }
}
