package import BlueZ
package import HCI
import HTTPTypes
package import Logging
import OkaeriBluetooth
package import OkaeriEvents
import OkaeriPlumbing
import OkaeriServer
import ServiceLifecycle

/// The enrollment of phones, one at a time: on the page as a service, in a command by ``enroll(_:)``.
///
/// A browser that disappears changes nothing: its questions are rejected when the device leaves, or by the time limit of
/// bluetoothd, and the pairing ends by its own time limit.
package actor PhoneEnroller: Service {
    /// A phone to enroll.
    package struct Job: Sendable {
        /// The name of the phone, and of its region if ``region`` is `nil`.
        package var name: String
        /// The region that the phone is added to; `nil` for a new region.
        var region: String?
        package var profile: EnrollmentProfile
        /// The time limit of the pairing.
        package var timeout: Duration
        /// Whether the bond is removed on this machine after the pairing.
        package var forgets: Bool
        /// The place of the phone: writes the key and the region.
        package var store: @Sendable (DeviceIdentity) async throws -> Void

        package init(
            name: String, profile: EnrollmentProfile, timeout: Duration, forgets: Bool = false,
            store: @escaping @Sendable (DeviceIdentity) async throws -> Void
        ) {
            (self.name, self.profile, self.timeout) = (name, profile, timeout)
            (self.forgets, self.store) = (forgets, store)
        }
    }

    /// The connections to the rest of the machine.
    package struct Dependencies: Sendable {
        /// The D-Bus address of bluetoothd's bus; `nil`: the system's.
        var bus: String?
        /// Returns the adapter, such as `hci0`; `nil` for the first that has power.
        package var adapter: @Sendable () -> String? = { nil }
        /// Throws if this process may not receive keys.
        var checkRight: @Sendable () throws(KernelError) -> Void = { () throws(KernelError) in
            try PhonePairing.checkRight()
        }
        /// Starts to receive the keys of an adapter.
        var watch: PhonePairing.KeySource = { index throws(KernelError) in try KeyWatch(adapter: index) }
        /// The means of comparing numbers.
        package var capability = PairingCapability.displayYesNo
        /// Decides whether a device may pair; `nil`: ``answer(_:)`` does.
        package var confirm: PairingSession.Confirmation?
        /// Receives the report of each step of a pairing, and the phone once it has paired.
        package var observe: @Sendable (EnrollmentReport, EnrollmentMachine.Phone?) async -> Void = { _, _ in }
        /// Returns the number of receptions of a region's phone since it was added, and the last RSSI; `nil` without such a phone.
        var receptions: @Sendable (_ region: String, _ phone: String) -> (count: Int, rssi: Int?)? = { _, _ in nil }

        package init() {}
    }

    private enum State {
        /// No phone was enrolled. → `running` by ``start(_:)``.
        case idle
        /// A phone pairs. → `writing` when it has paired; `ending` by ``end()`` or the end of the daemon; `failed` by a failure.
        case running(EnrollmentMachine.State)
        /// The adapter is being restored. → `failed`.
        case ending
        /// The key and the region are being written. → `done`, `failed`.
        case writing
        /// The region is in use. → `running` by ``start(_:)``; `idle` by ``end()``.
        case done(ContinuousClock.Instant)
        /// Nothing was written. → `running` by ``start(_:)``; `idle` by ``end()``.
        case failed(Failure)
    }

    /// The reason why no phone was enrolled.
    fileprivate enum Failure: Error {
        case ended
        case pairing(any Error)
        /// The phone has paired, and its key or its region cannot be written.
        case storing(any Error)
    }

    private struct Question {
        let id: Int
        let request: PairingRequest
        let answer: AsyncStream<Bool>.Continuation
    }

    /// Further devices are rejected while so many wait for an answer.
    static let questionLimit = 8

    /// The time limits of a pairing in seconds.
    static let timeouts = 10...600
    /// The time limit of a request that names none, in seconds.
    static let usualTimeout = 120

    private var state = State.idle
    private var job: Job?
    private var deadline = ContinuousClock.now
    /// The phone that has paired.
    package private(set) var phone: EnrollmentMachine.Phone?
    private var questions: [Question] = []
    private var lastQuestion = 0
    private var pairing: Task<EnrollmentMachine.Phone, any Error>?
    /// Whether ``run()`` takes jobs.
    private(set) var isServing = false
    private let jobs = AsyncStream.makeStream(of: Job.self, bufferingPolicy: .bufferingOldest(1))
    private let dependencies: Dependencies
    private let logger: Logger

    package init(_ dependencies: Dependencies, logger: Logger) {
        (self.dependencies, self.logger) = (dependencies, logger)
    }

    package func run() async throws {
        isServing = true
        await cancelWhenGracefulShutdown { [self] in
            for await job in jobs.stream { try? await perform(job) }
        }
        isServing = false
    }

    /// Enrolls a phone, and returns when its region is in use.
    ///
    /// - Throws: The error of the pairing or of the place of the phone, or a `CancellationError`.
    package func enroll(_ job: Job) async throws {
        begin(job)
        try await perform(job)
    }

    private func begin(_ job: Job) {
        (self.job, state, phone) = (job, .running(.preparing), nil)
        deadline = .now + job.timeout
    }

    private func perform(_ job: Job) async throws {
        guard case .running = state else { return fail(.ended) }
        let pairing = Task { [self] in try await pair(job) }
        self.pairing = pairing
        let result = await withTaskCancellationHandler {
            await pairing.result
        } onCancel: {
            pairing.cancel()
        }
        self.pairing = nil
        rejectQuestions()
        do {
            let phone = try result.get()
            (state, self.phone) = (.writing, phone)
            try await job.store(phone.identity)
            state = .done(.now)
            logger.notice("a phone was enrolled on the page", metadata: ["region": "\(job.region ?? job.name)"])
        } catch {
            if case .writing = state { fail(.storing(error)) } else { fail(.pairing(error)) }
            throw error
        }
    }

    nonisolated private func pair(_ job: Job) async throws -> EnrollmentMachine.Phone {
        let pairing = PhonePairing(
            as: job.profile, timeout: job.timeout, forgets: job.forgets, bus: dependencies.bus,
            watch: dependencies.watch)
        return try await withCentralManager(adapter: dependencies.adapter(), bus: dependencies.bus) { [self] central in
            try await pairing.run(
                central, as: dependencies.capability, confirm: dependencies.confirm ?? { [self] in await confirm($0) },
                changed: { [self] in await changed($0) })
        }
    }

    private func fail(_ failure: Failure) {
        state = .failed(failure)
        logger.notice("no phone was enrolled on the page: \(failure.reason)")
    }

    private func changed(_ machine: EnrollmentMachine.State) async {
        guard case .running = state else { return }
        if case .settling(let phone) = machine { self.phone = phone }
        state = .running(machine)
        switch machine {
        case .preparing, .advertising, .pairing, .settling: await dependencies.observe(report, phone)
        // The report of these follows when the adapter is as before.
        case .done, .failed: break
        }
    }
}

/// No sentence has the identity address of a phone.
extension PhoneEnroller.Failure {
    fileprivate var problem: EnrollmentReport.Problem {
        switch self {
        case .ended, .pairing(is CancellationError), .pairing(CentralError.cancelled): .ended
        case .pairing(EnrollmentMachine.Failure.timedOut(wasConnected: false)): .noPhone
        case .pairing(EnrollmentMachine.Failure.timedOut): .notPaired
        case .pairing(EnrollmentMachine.Failure.noKey): .noKey
        case .pairing: .bluetooth
        case .storing: .notWritten
        }
    }

    fileprivate var reason: LocalizedText {
        switch (problem, self) {
        case (.ended, _): LocalizedText("the enrollment was ended")
        case (.noPhone, .pairing(let error)):
            LocalizedText("\(error); try again, or let this machine resemble a keyboard")
        case (_, .storing(let error as PageFailure)): error.text
        case (_, .pairing(let error as KernelError)):
            LocalizedText(
                error.description,
                japanese: Language.japanese.bluetooth(
                    code: error.causeCode, adapter: nil, reason: error.description))
        case (_, .pairing(let error)), (_, .storing(let error)): LocalizedText("\(error)")
        case (_, .ended): LocalizedText("")
        }
    }
}

// MARK: Requests

extension PhoneEnroller {
    /// Starts an enrollment.
    ///
    /// - Throws: A refusal if one runs, or if this process cannot pair.
    func start(_ job: Job) throws(PageFailure) {
        try refuseSecond()
        guard isServing else {
            throw PageFailure(.serviceUnavailable, .daemonChanges)
        }
        do throws(KernelError) {
            try dependencies.checkRight()
        } catch {
            throw PageFailure(.serviceUnavailable, .cannotPair, "\(error)", job.name)
        }
        begin(job)
        jobs.continuation.yield(job)
    }

    /// Throws if an enrollment runs.
    func refuseSecond() throws(PageFailure) {
        switch state {
        case .idle, .done, .failed: break
        case .running, .ending, .writing:
            throw PageFailure(.conflict, .enrollmentRuns)
        }
    }

    /// Ends the enrollment that pairs, or clears the result of the last one. A phone that has paired is enrolled all the same.
    func end() {
        switch state {
        case .running:
            state = .ending
            rejectQuestions()
            pairing?.cancel()
        case .done, .failed: (state, job, phone) = (.idle, nil, nil)
        case .idle, .ending, .writing: break
        }
    }

    /// Answers a question.
    ///
    /// - Throws: A refusal if no such question waits.
    func answer(_ answer: EnrollmentAnswer) throws(PageFailure) {
        guard let question = questions.first(where: { $0.id == answer.question }) else {
            throw PageFailure(.conflict, .questionIsOver)
        }
        question.answer.yield(answer.agrees)
        questions.removeAll { $0.id == answer.question }
    }

    /// The enrollment that runs, or the last one.
    package var report: EnrollmentReport {
        var report = EnrollmentReport(state: reportedState)
        report.advertised = PhonePairing.advertisedName
        guard let job else { return report }
        (report.name, report.as, report.device) = (job.name, job.profile.rawValue, phone?.device.name)
        switch state {
        case .running:
            report.secondsLeft = max(0, Int((deadline - .now).components.seconds))
            report.question = questions.first.map { .init($0.id, $0.request) }
        case .failed(let failure): (report.problem, report.reason) = (failure.problem, failure.reason)
        case .done(let time):
            let receptions = dependencies.receptions(job.region ?? job.name, job.name)
            report.reception = .init(
                count: receptions?.count ?? 0, rssi: receptions?.rssi, seconds: Int((.now - time).components.seconds))
        case .idle, .ending, .writing: break
        }
        return report
    }

    private var reportedState: EnrollmentReport.State {
        switch state {
        case .idle: .idle
        case .running(.preparing): .preparing
        case .running(.advertising): .advertising
        case .running(.pairing), .running(.failed): .pairing
        case .running(.settling), .running(.done): .settling
        case .ending: .ending
        case .writing: .writing
        case .done: .done
        case .failed: .failed
        }
    }
}

// MARK: Questions

extension PhoneEnroller {
    /// Lets a browser decide whether a device may pair. Without an answer it may not.
    private func confirm(_ request: PairingRequest) async -> Bool {
        guard case .running = state, questions.count < Self.questionLimit else { return false }
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
        lastQuestion += 1
        let id = lastQuestion
        questions.append(Question(id: id, request: request, answer: answer))
        defer { questions.removeAll { $0.id == id } }
        // It ends without an element when the device leaves, because the task is cancelled then.
        for await isAgreed in answers { return isAgreed }
        return false
    }

    private func rejectQuestions() {
        for question in questions { question.answer.finish() }
        questions = []
    }
}

extension EnrollmentReport.Question {
    fileprivate init(_ id: Int, _ request: PairingRequest) {
        self.init(id: id, device: request.device.name, address: request.device.address, digits: request.digits)
    }
}
