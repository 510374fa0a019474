public import Logging
public import OkaeriDaemon
public import ServiceLifecycle
import UnixSignals
import WiFi

/// Asks on the desktop what the daemon asks: shows its prompts as notifications, and takes the answers back to it.
public actor Agent: Service {
    /// Between two attempts to reach the daemon, doubled up to the longest.
    private static let firstRetry = Duration.seconds(1)
    private static let longestRetry = Duration.seconds(30)

    /// While a question is on the screen. A prompt that is withdrawn, because everybody has left, has no event.
    private static let recheck = Duration.seconds(10)

    private let client: @Sendable () -> APIClient
    private let notifications: NotificationService
    private let language: Language
    private let logger: Logger
    private var board = PromptBoard()
    private var checking: Task<Void, Never>?
    private var retry = firstRetry

    /// What was last said of the daemon and of the notification server: each thing is said once.
    private var said: (daemon: String?, server: String?) = (nil, nil)

    /// - Parameters:
    ///   - client: looks for the daemon; asked anew each time, for its socket may come later.
    ///   - bus: the session bus; nil: where the environment says.
    public init(
        client: @escaping @Sendable () -> APIClient, bus: String? = nil, language: Language, logger: Logger
    ) {
        self.client = client
        notifications = NotificationService(address: bus)
        self.language = language
        self.logger = logger
    }

    /// Runs until SIGTERM or SIGINT.
    public nonisolated func runUntilSignal() async throws {
        let group = ServiceGroup(
            configuration: .init(services: [self], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
    }

    /// Runs until the daemon's stream of events and the session bus are of no more interest: until it is stopped.
    public func run() async throws {
        let bus = ThreadService(
            loop: { [notifications] in notifications.run() }, stop: { [notifications] in notifications.stop() })
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { try await bus.run() }
            group.addTask { for await news in self.notifications.news { await self.heard(news) } }
            group.addTask { await cancelWhenGracefulShutdown { await self.followDaemon() } }
        }
        checking?.cancel()
    }

    // MARK: The daemon

    private func followDaemon() async {
        while !Task.isCancelled {
            do throws(APIClient.Failure) {
                try await client().events { item in await self.told(item) }
                say(ofDaemon: "okaeri has stopped; waiting for it to come back")
            } catch {
                if !Task.isCancelled { say(ofDaemon: "\(error). Trying again until it is there") }
            }
            try? await Task.sleep(for: retry)
            retry = min(retry * 2, Self.longestRetry)
        }
    }

    private func told(_ item: APIClient.Feed) async {
        switch item {
        case .opened:
            retry = Self.firstRetry
            say(ofDaemon: nil)
            await check()
        case .event(let event) where event.event == "didRangeBeacons": break
        case .event(let event):
            switch (event.event, event.id) {
            case ("wifiJoined", let id?): await perform(board.joined(id))
            case ("wifiJoinFailed", let id?):
                let code = event.code.flatMap(JoinFailure.Code.init)
                await perform(board.joinFailed(id, code: code, reason: event.reason ?? ""))
            default: break
            }
            await check()
        }
    }

    /// Asks which prompts wait, and shows just those.
    private func check() async {
        guard let report: PromptsReport = try? await client().get("/v1/prompts") else { return }
        await perform(board.listed(report.waiting.map(PromptKey.init)))
    }

    private func answer(_ prompt: PromptKey, _ answer: String) async {
        do throws(APIClient.Failure) {
            _ = try await client().answer(prompt.id, answer)
        } catch {
            await perform(board.answerRefused(prompt, reason: error.description))
        }
    }

    // MARK: The desktop

    private func heard(_ news: NotificationNews) async {
        switch news {
        case .serverAppeared(let capabilities):
            say(ofServer: nil)
            await perform(board.serverAppeared(capabilities))
        case .serverVanished: board.serverVanished()
        case .noServer:
            say(
                ofServer:
                    "nothing here shows notifications; waiting for a program that does. `okaeri prompts` lists what waits"
            )
        case .noBus: say(ofServer: "there is no session bus; waiting for one. The agent belongs into a desktop session")
        case .actionInvoked(let notification, let key): await perform(board.actionInvoked(notification, key: key))
        case .closed(let notification): board.closed(notification)
        }
    }

    private func perform(_ actions: [PromptBoard.Action]) async {
        for action in actions {
            switch action {
            case .show(let prompt, let hasButtons, let hasMarkup):
                let question = language.question(prompt, hasButtons: hasButtons, hasMarkup: hasMarkup)
                switch await notifications.show(question) {
                case .success(let notification): await perform(board.shown(prompt, as: notification))
                case .failure(let failure):
                    board.showingFailed(prompt)
                    logger.warning("the question could not be shown: \(failure)")
                }
            case .withdraw(let notification): await notifications.close(notification)
            case .answer(let prompt, let word): await answer(prompt, word)
            case .tell(let outcome, let hasMarkup):
                _ = await notifications.show(language.outcome(outcome, hasMarkup: hasMarkup))
            }
        }
        keepChecking()
    }

    private func keepChecking() {
        guard board.isAsking, checking == nil else { return }
        checking = Task {
            while board.isAsking, (try? await Task.sleep(for: Self.recheck)) != nil { await check() }
            checking = nil
        }
    }

    // MARK: Telling

    private func say(ofDaemon sentence: String?) {
        guard sentence != said.daemon else { return }
        said.daemon = sentence
        logger.notice("\(sentence ?? "following okaeri")")
    }

    private func say(ofServer sentence: String?) {
        guard sentence != said.server else { return }
        said.server = sentence
        logger.notice("\(sentence ?? "notifications can be shown")")
    }
}
