package import Logging
package import OkaeriConfiguration
package import OkaeriEvents
import OkaeriPlumbing
import ServiceLifecycle
import Synchronization

/// Notifies the servers of the configuration of arrivals, departures, prompts and faults of Bluetooth.
///
/// A thread for each server sends its notifications, one request at a time, so that a server that does not answer delays no other one.
/// It runs only while notifications wait.
package final class Notifications: Service {
    private struct Line {
        let number: Int
        var target: Configuration.NotificationTarget
        var report: NotificationReport
        var outbox: Outbox
        /// Whether a thread sends its notifications, or is being started.
        var isWorking = false
        let wakeUp = BinarySemaphore()
    }

    private struct Guarded {
        var regions: [Configuration.Region] = []
        var lines: [Line] = []
        var nextNumber = 0
        var alert: BluetoothAlert
        /// The latest event of the adapter's state.
        var adapter: Event?
        var isTesting = false
        /// The number of threads that run, or are being started. After a reload, those of former servers end their requests.
        var threads = 0
        var isOver = false
        /// Called when the last thread ends.
        var ended: CheckedContinuation<Void, Never>?
    }

    private enum Step {
        case send(HTTPPost)
        case wait(BinarySemaphore, until: Outbox.Instant)
        case end(CheckedContinuation<Void, Never>?)
    }

    /// The maximum number of threads: one for each server that the configuration may have.
    static let threads = Configuration.targetLimit

    private let guarded: Mutex<Guarded>
    /// From the very beginning: a region may be entered before ``run()`` is.
    private let events: AsyncStream<Event>
    private let hub: EventHub
    private let language: Language
    private let answers: @Sendable (_ prompt: String) -> AnswerAddresses?
    private let limits: HTTPPost.Limits
    private let delay: BackOff
    private let threadLimit: Int
    private let nextAlert = Alarm()
    private let cancellation = HTTPPost.Cancellation()
    private let logger: Logger

    /// - Parameters:
    ///   - answers: Makes the addresses that answer a prompt; `nil` if other devices do not reach the page.
    package convenience init(
        _ configuration: Configuration, hub: EventHub, language: Language,
        answers: @escaping @Sendable (_ prompt: String) -> AnswerAddresses?, logger: Logger
    ) {
        self.init(
            configuration, hub: hub, language: language, answers: answers, limits: HTTPPost.Limits(),
            delay: BackOff(.seconds(5), limit: .seconds(300)), logger: logger)
    }

    init(
        _ configuration: Configuration, hub: EventHub, language: Language,
        answers: @escaping @Sendable (_ prompt: String) -> AnswerAddresses?, limits: HTTPPost.Limits, delay: BackOff,
        alert: BluetoothAlert = BluetoothAlert(), threads: Int = Notifications.threads, logger: Logger
    ) {
        self.hub = hub
        self.language = language
        self.answers = answers
        self.limits = limits
        self.delay = delay
        threadLimit = threads
        self.logger = logger
        events = hub.eventsButRanging(backlog: .max)
        guarded = Mutex(Guarded(alert: alert))
        use(configuration)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown { for await event in self.events { self.happened(event) } }
        nextAlert.clear()
        await stop()
    }

    /// The deliveries to each server, in the order of the configuration.
    package var reports: [NotificationReport] {
        guarded.withLock { guarded in
            guarded.lines.map { line in
                var report = line.report
                report.waiting = line.outbox.waiting.count
                return report
            }
        }
    }

    private func use(_ configuration: Configuration) {
        guarded.withLock { guarded in
            var old = guarded.lines
            guarded.regions = configuration.regions
            guarded.lines = configuration.notify.enumerated().map { index, target in
                let place = "notify[\(index)]"
                if let kept = old.firstIndex(where: { $0.target == target }) {
                    var line = old.remove(at: kept)
                    line.report.target = place
                    return line
                }
                guarded.nextNumber += 1
                return Line(
                    number: guarded.nextNumber, target: target,
                    report: .init(target: place, type: target.kind.rawValue, address: target.url.origin),
                    outbox: Outbox(delay: delay))
            }
        }
    }

    private func happened(_ event: Event) {
        switch event.kind {
        case .wifiPromptAnswered(let prompt, _), .wifiPromptWithdrawn(let prompt, _):
            if let id = prompt.id { guarded.withLock { Self.remove(.prompt(id), &$0) } }
        case .bluetoothStateDidUpdate(let update):
            alert { guarded in
                guarded.adapter = event
                return guarded.alert.updated(update, at: .now)
            }
        default: break
        }
        let notification = guarded.withLock { guarded -> Notification? in
            guard let notification = Notification(event, regions: guarded.regions),
                guarded.lines.contains(where: { notification.isFor($0.target) })
            else { return nil }
            return notification
        }
        guard let notification else { return }
        add(notification, notification.prompt?.id.flatMap(answers))
    }

    /// Carries out what a step of the alert leads to, and waits for its next step.
    private func alert(_ step: (inout Guarded) -> BluetoothAlert.Action?) {
        let notification = guarded.withLock { guarded -> Notification? in
            let action = step(&guarded)
            // Under the lock: of two steps the later one determines the next.
            if let deadline = guarded.alert.deadline {
                nextAlert.set(deadline) { [weak self] in self?.alert { $0.alert.advanced(to: .now) } }
            } else {
                nextAlert.clear()
            }
            switch action {
            case .alert(let update): return guarded.adapter.map { Notification(update, $0) }
            case .withdraw: Self.remove(.bluetooth, &guarded)
            case nil: break
            }
            return nil
        }
        if let notification { add(notification, nil) }
    }

    private static func remove(_ subject: Outbox.Subject, _ guarded: inout Guarded) {
        for index in guarded.lines.indices { guarded.lines[index].outbox.remove(subject) }
    }

    private func add(_ notification: Notification, _ answers: AnswerAddresses?) {
        let dropped = guarded.withLock { guarded -> [NotificationReport] in
            var dropped: [NotificationReport] = []
            for index in guarded.lines.indices where notification.isFor(guarded.lines[index].target) {
                let body = notification.body(for: guarded.lines[index].target, language, answers)
                let delivery = Outbox.Delivery(body: body, subject: notification.subject, added: .now)
                let count = guarded.lines[index].outbox.add(delivery)
                guarded.lines[index].report.dropped += UInt64(count)
                guarded.lines[index].wakeUp.signal()
                if count > 0 { dropped.append(guarded.lines[index].report) }
            }
            return dropped
        }
        for report in dropped {
            logger.warning(
                "\(report.label): the oldest notification that waits is dropped: the server does not accept them as fast as they come; check the server",
                metadata: ["dropped": "\(report.dropped)"])
        }
        startWork()
    }

    // MARK: - Threads

    /// Starts a thread for each server that has notifications and no thread, up to the limit.
    private func startWork() {
        let numbers = guarded.withLock { guarded -> [Int] in
            guard !guarded.isOver else { return [] }
            var numbers: [Int] = []
            for index in guarded.lines.indices
            where !guarded.lines[index].isWorking && guarded.lines[index].outbox.due != nil
                && guarded.threads < threadLimit
            {
                guarded.lines[index].isWorking = true
                guarded.threads += 1
                numbers.append(guarded.lines[index].number)
            }
            return numbers
        }
        for number in numbers {
            do throws(BlockingThread.StartError) {
                try BlockingThread.start { [self] in work(number) }
            } catch {
                guarded.withLock { Self.threadEnded(number, &$0) }?.resume()
                logger.error("notifications wait until the next event: \(error)")
            }
        }
    }

    private func work(_ number: Int) {
        while true {
            let step = guarded.withLock { nextStep(number, &$0) }
            expired()
            switch step {
            case .send(let post):
                do throws(DeliveryProblem) {
                    try post.send(cancellation)
                    ended(number, with: nil)
                } catch {
                    ended(number, with: error)
                }
            case .wait(let wakeUp, let instant): wakeUp.wait(until: instant)
            case .end(let continuation):
                continuation?.resume()
                // Another server may have waited for the thread.
                startWork()
                return
            }
        }
    }

    private func nextStep(_ number: Int, _ guarded: inout Guarded) -> Step {
        guard !guarded.isOver, let index = guarded.lines.firstIndex(where: { $0.number == number }),
            let due = guarded.lines[index].outbox.due
        else { return .end(Self.threadEnded(number, &guarded)) }
        guard let delivery = guarded.lines[index].outbox.begin(at: .now) else {
            return .wait(guarded.lines[index].wakeUp, until: due)
        }
        return .send(request(to: guarded.lines[index].target, delivery.body))
    }

    /// - Returns: The end of the service, if it waits for this thread alone.
    private static func threadEnded(_ number: Int, _ guarded: inout Guarded) -> CheckedContinuation<Void, Never>? {
        if let index = guarded.lines.firstIndex(where: { $0.number == number }) {
            guarded.lines[index].isWorking = false
        }
        guarded.threads -= 1
        return guarded.threads == 0 ? guarded.ended : nil
    }

    private func request(to target: Configuration.NotificationTarget, _ body: [UInt8]) -> HTTPPost {
        HTTPPost(
            url: target.kind == .ntfy ? target.url.topic?.server ?? target.url.text : target.url.text, body: body,
            tokenFile: target.tokenFile, limits: limits)
    }

    private func ended(_ number: Int, with problem: DeliveryProblem?) {
        let result = guarded.withLock { guarded -> (Outbox.Outcome, NotificationReport, isNews: Bool)? in
            guard !guarded.isOver, let index = guarded.lines.firstIndex(where: { $0.number == number }) else {
                return nil
            }
            let outcome = guarded.lines[index].outbox.ended(with: problem, at: .now)
            let former = guarded.lines[index].report.problem
            guarded.lines[index].report.problem = problem?.description
            switch outcome {
            case .sent:
                guarded.lines[index].report.sent += 1
                guarded.lines[index].report.lastSent = Timestamp.text(KernelClock.realtime)
            case .again, .obsolete: break
            case .givenUp: guarded.lines[index].report.failed += 1
            }
            return (outcome, guarded.lines[index].report, former != problem?.description)
        }
        guard let (outcome, report, isNews) = result else { return }
        switch outcome {
        case .sent: if isNews { logger.notice("\(report.label): notifications are delivered again") }
        case .again: if isNews { logger.warning("\(report.label): \(report.problem ?? ""); it is sent again") }
        case .obsolete: break
        case .givenUp: logger.warning("\(report.label): a notification is given up: \(report.problem ?? "")")
        }
    }

    /// Counts the notifications that were too old to be sent.
    private func expired() {
        let results = guarded.withLock { guarded in
            guarded.lines.indices.compactMap { index -> (count: Int, report: NotificationReport)? in
                let count = guarded.lines[index].outbox.takeExpired()
                guarded.lines[index].report.failed += UInt64(count)
                return count > 0 ? (count, guarded.lines[index].report) : nil
            }
        }
        for (count, report) in results {
            logger.warning(
                "\(report.label): notifications are given up because they have waited for an hour; check the server",
                metadata: ["count": "\(count)"])
        }
    }

    /// Wakes the threads that wait for the time of the next attempt.
    private static func wake(_ lines: [Line]) {
        for line in lines { line.wakeUp.signal() }
    }

    private func stop() async {
        let lines = guarded.withLock { guarded in
            guarded.isOver = true
            return guarded.lines
        }
        let count = lines.reduce(0) { $0 + $1.outbox.waiting.count }
        cancellation.cancel()
        Self.wake(lines)
        await withCheckedContinuation { done in
            let isWorking = guarded.withLock { guarded in
                if guarded.threads > 0 { guarded.ended = done }
                return guarded.threads > 0
            }
            if !isWorking { done.resume() }
        }
        if count > 0 {
            logger.warning(
                "\(quantity(count, "notification that waits is", plural: "notifications that wait are")) not sent: the daemon stops"
            )
        }
    }
}

extension Notifications: Configured {
    /// A server that stays keeps the notifications that wait.
    package func configured(_ configuration: Configuration) {
        let earlier = guarded.withLock(\.lines)
        use(configuration)
        Self.wake(earlier)
        startWork()
    }
}

// MARK: Test

extension Notifications {
    /// Sends a test to each server, at the same time.
    ///
    /// - Returns: The result for each: one sent, or one failed with its problem.
    package func test() async throws(NotificationTestFailure) -> [NotificationReport] {
        let lines = try guarded.withLock { guarded throws(NotificationTestFailure) in
            if guarded.lines.isEmpty { throw .noTarget }
            if guarded.isTesting { throw .running }
            guarded.isTesting = true
            return guarded.lines
        }
        defer { guarded.withLock { $0.isTesting = false } }
        return await withTaskGroup(of: (Int, NotificationReport).self) { group in
            for (index, line) in lines.enumerated() { group.addTask { (index, await self.test(line)) } }
            return await group.reduce(into: lines.map(\.report)) { $0[$1.0] = $1.1 }
        }
    }

    private func test(_ line: Line) async -> NotificationReport {
        let body = Notification.test(for: line.target, at: KernelClock.realtime, node: hub.node, language)
        let request = request(to: line.target, body)
        var report = NotificationReport(
            target: line.report.target, type: line.report.type, address: line.report.address)
        do throws(DeliveryProblem) {
            try await BlockingThread.run(DeliveryProblem.noThread) { [cancellation] () throws(DeliveryProblem) in
                try request.send(cancellation)
            }
            report.sent = 1
        } catch {
            report.failed = 1
            report.problem = error.description
        }
        return report
    }
}
