import GLib

/// The desktop's notifications (Desktop Notifications Specification), over the session bus.
///
/// It waits patiently for what is missing: a bus, a server that starts later or restarts.
final class NotificationService: Sendable {
    /// What is heard of the server, for one listener.
    let news: AsyncStream<NotificationNews>

    private let context = GLibContext()
    private let gate = Gate()
    private let session: NotificationSession

    /// - Parameter address: the bus, as in `unix:path=/run/user/1000/bus`; nil for the session's.
    init(address: String? = nil) {
        let (news, continuation) = AsyncStream.makeStream(of: NotificationNews.self)
        self.news = news
        session = NotificationSession(context: context, address: address, gate: gate, news: continuation)
    }

    /// Shows a notification.
    ///
    /// - Returns: its number.
    func show(_ notification: DesktopNotification) async -> Result<UInt32, NotificationFailure> {
        guard gate.enter() else { return .failure(.cancelled) }
        defer { leave() }
        return await session.show(notification)
    }

    /// Closes a notification, if it is still there.
    func close(_ notification: UInt32) async {
        guard gate.enter() else { return }
        defer { leave() }
        await session.close(notification)
    }

    /// Does the work, on the calling thread, until ``stop()``.
    func run() {
        guard gate.open() else { return }
        let ended = Flag()
        Task { [session, context] in
            await session.supervise()
            ended.set()
            context.wakeUp()
        }
        context.iterate(until: { ended.isSet && gate.isEmpty })
    }

    /// Ends ``run()``, from any thread, once or more often.
    func stop() {
        let isRunning = gate.enter()
        gate.close()
        guard isRunning else { return }
        Task {
            await session.stop()
            leave()
        }
    }

    /// The thread waits for whoever is inside.
    private func leave() {
        gate.leave()
        context.wakeUp()
    }
}
