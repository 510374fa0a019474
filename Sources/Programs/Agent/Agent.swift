import HCI
package import Logging
package import OkaeriClient
import OkaeriDBus
package import OkaeriEvents
package import OkaeriPlumbing
import OkaeriWiFi
import ServiceLifecycle
import UnixSignals

/// Asks on the desktop what the daemon asks: shows its prompts as notifications, and takes the answers back to it.
package actor Agent: Service {
    private let client: @Sendable () -> APIClient
    private let notifications: NotificationService
    private let language: Language
    private let logger: Logger
    private var board = PromptBoard()
    private var alert: BluetoothAlert
    private let nextAlert = Alarm()
    private var bluetoothBoard = BluetoothBoard()
    private let onScreen: QuestionsOnScreen
    /// The unique name of the notification server.
    private var server: String?

    /// The number of questions that the server was asked to show and has not answered, and the notice that none is left.
    private var showing = 0
    /// Whether no question is shown any more.
    private var isEnding = false
    private let allShown = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// The next attempt to send questions that the notification server did not show.
    private let nextRetry = Alarm()
    private var isRetrying = false
    private var retry: BackOff

    /// The last messages about the daemon and about the notification server: each is logged once.
    private var lastLogged: (daemon: String?, server: String?) = (nil, nil)

    /// - Parameters:
    ///   - client: looks for the daemon; asked anew each time, for its socket may come later.
    ///   - bus: the session bus; `nil`: that of the environment.
    ///   - directory: The directory of the user's session; `nil`: none.
    ///   - retry: the delay before a question is sent again that the notification server did not show.
    ///   - alert: Decides when the user is notified that Bluetooth does not work.
    package init(
        client: @escaping @Sendable () -> APIClient, bus: String? = nil, directory: String? = nil, language: Language,
        retry: BackOff = BackOff(.seconds(1), limit: .seconds(60)), alert: BluetoothAlert = BluetoothAlert(),
        logger: Logger
    ) {
        self.client = client
        notifications = NotificationService(address: bus)
        onScreen = QuestionsOnScreen(directory: directory)
        self.language = language
        self.retry = retry
        self.alert = alert
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT.
    package nonisolated func runUntilSignal() async throws {
        let group = ServiceGroup(
            configuration: .init(services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    /// Runs until it is stopped.
    package func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.notifications.run() }
            group.addTask { for await event in self.notifications.events { await self.received(event) } }
            await cancelWhenGracefulShutdown { await self.followDaemon() }
            // The questions go before the connection to the bus does, and with them those that the server is about to show.
            isEnding = true
            nextRetry.clear()
            nextAlert.clear()
            await questionsShown()
            await perform(board.daemonLost())
            await perform(bluetoothBoard.withdrawn())
            group.cancelAll()
        }
    }

    // MARK: The daemon

    private func followDaemon() async {
        await DaemonFollower(client: client).run { change in
            await self.changed(change)
            return true
        }
    }

    private func changed(_ change: DaemonFollower.Change) async {
        switch change {
        case .followed:
            log(daemon: nil)
            await check()
            await checkBluetooth()
        case .event(let event):
            switch event.kind {
            case .didRangeBeacons: return
            case .bluetoothStateDidUpdate(let update): await step { $0.updated(update, at: .now) }
            case .wifiPrompt: retry.reset()
            case .wifiJoined(let wifi, _), .wifiActionCompleted(let wifi, _, _):
                if let id = wifi.id { await perform(board.actionCompleted(id)) }
            case .wifiJoinFailed(let wifi, let code, let reason), .wifiActionFailed(let wifi, _, let code, let reason):
                if let id = wifi.id { await perform(board.actionFailed(id, code: code, reason: reason)) }
            case .wifiAccessLimited(let wifi, let code, let reason):
                await perform(board.accessLimited(ssid: wifi.ssid, code: code, reason: reason))
            default: break
            }
            await check()
        case .lost(let failure):
            log(
                daemon: failure.map { "\($0); trying again until it is there" }
                    ?? "okaeri has stopped; waiting for it to come back")
            await perform(board.daemonLost())
            // Whether Bluetooth works is not known any more. An alert on the screen stays over a restart of the daemon.
            await step { $0.updated(AdapterUpdate(state: .unknown, adapter: nil, reason: ""), at: .now) }
        }
    }

    /// Asks which prompts wait, and shows just those.
    private func check() async {
        guard let report: PromptsReport = try? await client().get(Route.prompts) else { return }
        await perform(board.listed(report.waiting.map(PromptKey.init)))
    }

    /// Asks for the state of Bluetooth, which may have changed before this agent followed the daemon.
    private func checkBluetooth() async {
        guard let report: StatusReport = try? await client().get("\(Route.status)?\(Route.judgements)=false") else {
            return
        }
        let bluetooth = report.bluetooth
        let update = AdapterUpdate(state: bluetooth.state, adapter: bluetooth.adapter, reason: bluetooth.reason)
        await step { $0.updated(update, at: .now) }
    }

    /// Carries out what a step of the alert leads to, and waits for its next step.
    private func step(_ step: (inout BluetoothAlert) -> BluetoothAlert.Action?) async {
        let action = step(&alert).flatMap { bluetoothBoard.perform($0) }
        if let deadline = alert.deadline, !isEnding {
            nextAlert.set(deadline) { [weak self] in await self?.step { $0.advanced(to: .now) } }
        } else {
            nextAlert.clear()
        }
        await perform(action)
    }

    private func answer(_ prompt: PromptKey, _ answer: PromptAnswer) async {
        do throws(APIClient.Failure) {
            _ = try await client().answer(prompt.id, answer)
        } catch {
            switch error {
            case .refused: await perform(board.answerRefused(prompt))
            case .noDaemon, .notPermitted, .noAnswer:
                await perform(board.answerNotDelivered(prompt, reason: error.description))
            }
        }
    }

    // MARK: The desktop

    private func received(_ event: NotificationEvent) async {
        switch event {
        case .serverAppeared(let capabilities, let owner):
            log(server: nil)
            server = owner
            retry.reset()
            for notification in onScreen.ofEarlierAgent(on: owner) { await notifications.close(notification) }
            await perform(board.serverAppeared(capabilities))
            await perform(bluetoothBoard.serverAppeared(capabilities))
        case .serverVanished:
            board.serverVanished()
            bluetoothBoard.serverVanished()
        case .noServer:
            log(
                server:
                    "no program here shows notifications; waiting for one, and `okaeri prompts` lists pending prompts"
            )
        case .noBus: log(server: "there is no session bus; waiting for one, so run the agent in a desktop session")
        case .actionInvoked(let notification, let key): await perform(board.actionInvoked(notification, key: key))
        case .closed(let notification, let isExpired):
            board.closed(notification, isExpired: isExpired)
            bluetoothBoard.closed(notification, isExpired: isExpired)
            keepRetrying()
        }
    }

    private func perform(_ actions: [PromptBoard.Action]) async {
        for action in actions {
            switch action {
            case .show(let prompt, _, _) where isEnding: board.showingFailed(prompt)
            case .show(let prompt, let hasButtons, let hasMarkup):
                let question = language.question(prompt, hasButtons: hasButtons, hasMarkup: hasMarkup)
                showing += 1
                do {
                    let notification = try await show(question)
                    await perform(board.shown(prompt, as: notification))
                } catch {
                    board.showingFailed(prompt)
                    logger.warning("the prompt could not be shown: \(error); it is shown again later")
                }
                showing -= 1
                if showing == 0 { allShown.continuation.yield() }
            case .withdraw(let notification): await notifications.close(notification)
            case .answer(let prompt, let answer): await self.answer(prompt, answer)
            case .notify(let outcome, let hasMarkup):
                _ = try? await notifications.show(language.outcome(outcome, hasMarkup: hasMarkup))
            }
        }
        if !actions.isEmpty { storeOnScreen() }
        keepRetrying()
    }

    private func perform(_ action: BluetoothBoard.Action?) async {
        switch action {
        case nil: return
        case .show where isEnding: bluetoothBoard.showingFailed()
        case .show(let update, let hasMarkup):
            showing += 1
            do {
                let notification = try await show(language.bluetooth(update, hasMarkup: hasMarkup))
                await perform(bluetoothBoard.shown(as: notification))
            } catch {
                bluetoothBoard.showingFailed()
                logger.warning("the state of Bluetooth could not be shown: \(error); it is shown again later")
            }
            showing -= 1
            if showing == 0 { allShown.continuation.yield() }
        case .withdraw(let notification): await notifications.close(notification)
        }
        storeOnScreen()
        keepRetrying()
    }

    private func storeOnScreen() {
        guard let server else { return }
        var numbers = board.onScreen
        if let alert = bluetoothBoard.onScreen { numbers.append(alert) }
        onScreen.store(numbers, on: server)
    }

    /// The time for the server to answer a call under way when the agent ends. Without the answer a question would stay on the screen.
    private static let grace = Duration.seconds(2)

    /// Waits for the questions that the server was asked to show.
    private func questionsShown() async {
        guard showing > 0 else { return }
        let limit = Task {
            await Self.grace.elapsed()
            allShown.continuation.finish()
        }
        for await _ in allShown.stream where showing == 0 { break }
        limit.cancel()
    }

    private func show(_ question: DesktopNotification) async throws -> UInt32 {
        let showing = Task { [notifications] in try await notifications.show(question) }
        return try await withTaskCancellationHandler {
            try await showing.value
        } onCancel: {
            Task {
                await Self.grace.elapsed()
                showing.cancel()
            }
        }
    }

    /// A notification server that has just started may fail for seconds while it already has its name.
    private func keepRetrying() {
        guard board.isRetrying || bluetoothBoard.isRetrying, !isRetrying, !isEnding else { return }
        isRetrying = true
        nextRetry.set(.now + retry.next()) { await self.retryIsDue() }
    }

    private func retryIsDue() async {
        isRetrying = false
        await check()
        await perform(board.retried())
        await perform(bluetoothBoard.retried())
    }

    // MARK: The log

    private func log(daemon sentence: String?) {
        guard sentence != lastLogged.daemon else { return }
        lastLogged.daemon = sentence
        logger.notice("\(sentence ?? "following okaeri")")
    }

    private func log(server sentence: String?) {
        guard sentence != lastLogged.server else { return }
        lastLogged.server = sentence
        logger.notice("\(sentence ?? "notifications can be shown")")
    }
}
