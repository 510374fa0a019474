import OkaeriWiFi

/// The waiting prompts and the notifications that show them: events in, actions out.
struct PromptBoard: Sendable {
    /// The actions to take.
    enum Action: Sendable, Equatable {
        /// Show the prompt; ``PromptBoard/shown(_:as:)`` or ``PromptBoard/showingFailed(_:)`` follows.
        case show(PromptKey, hasButtons: Bool, hasMarkup: Bool)
        /// Close a notification.
        case withdraw(UInt32)
        /// Answer the prompt.
        case answer(PromptKey, PromptAnswer)
        /// Show what became of an answer.
        case notify(Outcome, hasMarkup: Bool)
    }

    /// The result of a prompt that was shown here.
    enum Outcome: Sendable, Equatable {
        case completed(NetworkAction, ssid: String)
        case notCompleted(NetworkAction, ssid: String, code: String, reason: String)
        case notAnswered(ssid: String, reason: String)
        /// The daemon did not take the answer: the prompt was answered elsewhere, or withdrawn.
        case tooLate(ssid: String)
        case accessLimited(ssid: String, code: String, reason: String)
    }

    private enum State: Equatable {
        /// → showing
        case hidden
        /// The server did not show it. → hidden
        case failed
        /// → shown, failed, hidden
        case showing
        /// → dismissed, hidden; failed if it has expired on the screen
        case shown(UInt32)
        /// Answered or closed here; it is not shown again. → hidden, if the answer was not delivered
        case dismissed
    }

    /// A signal about a notification whose number is not known yet: it may overtake the answer to the call that shows the
    /// notification.
    private enum EarlySignal: Equatable {
        case answered(UInt32, PromptAnswer)
        case closed(UInt32, isExpired: Bool)
    }

    /// The number of early signals that are kept; of more the oldest are dropped. Other programs' notifications have some, too.
    private static let earlySignalLimit = 64

    private var prompts: [PromptKey: State] = [:] {
        didSet { if !isShowing { earlySignals = [] } }
    }

    /// Whether an answer to a call that shows a prompt is awaited.
    private var isShowing: Bool { prompts.values.contains(.showing) }

    /// In their order; none unless a prompt is ``State/showing``.
    private var earlySignals: [EarlySignal] = []

    /// The number of prompts whose end is to be shown. A household has a few in a day.
    private static let followedLimit = 64

    /// The prompts whose end is to be shown here, by their number.
    private var followed: [String: PromptKey] = [:]

    /// The capabilities of the server; `nil` while there is none.
    private var capabilities: Set<String>?

    /// Whether a question is on the screen.
    var isAsking: Bool {
        prompts.values.contains { state in
            switch state {
            case .shown, .showing: true
            case .hidden, .failed, .dismissed: false
            }
        }
    }

    /// Whether a question is to be sent to the server again, see ``retried()``.
    var isRetrying: Bool { prompts.values.contains(.failed) }

    /// The daemon lists the prompts that wait.
    mutating func listed(_ waiting: [PromptKey]) -> [Action] {
        var actions: [Action] = []
        for (prompt, state) in prompts where !waiting.contains(prompt) {
            if case .shown(let notification) = state { actions.append(.withdraw(notification)) }
            prompts[prompt] = nil
        }
        for prompt in waiting where prompts[prompt] == nil { prompts[prompt] = .hidden }
        return actions + showHidden(waiting)
    }

    /// The daemon or this agent ends: the questions on the screen have no answer. One that was closed stays closed.
    mutating func daemonLost() -> [Action] {
        var actions: [Action] = []
        for (prompt, state) in prompts where state != .dismissed {
            if case .shown(let notification) = state { actions.append(.withdraw(notification)) }
            prompts[prompt] = nil
        }
        return actions
    }

    /// The notifications on the screen.
    var onScreen: [UInt32] {
        prompts.values.compactMap { if case .shown(let notification) = $0 { notification } else { nil } }.sorted()
    }

    /// There is a server, with nothing of ours on it.
    mutating func serverAppeared(_ capabilities: Set<String>) -> [Action] {
        self.capabilities = capabilities
        return showHidden(prompts.keys.sorted())
    }

    mutating func serverVanished() {
        capabilities = nil
        for (prompt, state) in prompts where state != .dismissed { prompts[prompt] = .hidden }
    }

    /// The prompt is on the screen.
    mutating func shown(_ prompt: PromptKey, as notification: UInt32) -> [Action] {
        // It may have been answered elsewhere meanwhile.
        guard prompts[prompt] == .showing else { return [.withdraw(notification)] }
        let signals = earlySignals
        prompts[prompt] = .shown(notification)
        if followed.count >= Self.followedLimit { followed = [:] }
        followed[prompt.id] = prompt
        return signals.flatMap { signal in
            switch signal {
            case .answered(notification, let answer): return actionInvoked(notification, key: answer.rawValue)
            case .closed(notification, let isExpired):
                closed(notification, isExpired: isExpired)
                return []
            case .answered, .closed: return []
            }
        }
    }

    mutating func showingFailed(_ prompt: PromptKey) {
        if prompts[prompt] == .showing { prompts[prompt] = .failed }
    }

    /// It is time to send the questions again that the server did not show.
    mutating func retried() -> [Action] {
        for prompt in prompts.keys where prompts[prompt] == .failed { prompts[prompt] = .hidden }
        return showHidden(prompts.keys.sorted())
    }

    /// A button was pressed, of whatever notification.
    mutating func actionInvoked(_ notification: UInt32, key: String) -> [Action] {
        guard let answer = PromptAnswer(rawValue: key) else { return [] }
        guard let prompt = prompt(of: notification) else {
            keep(.answered(notification, answer))
            return []
        }
        prompts[prompt] = .dismissed
        // Not every server closes what was answered.
        return [.withdraw(notification), .answer(prompt, answer)]
    }

    /// A notification was closed. The prompt goes on waiting for `okaeri answer`.
    ///
    /// - Parameter isExpired: Whether its time on the screen was over, without a user: it is shown again.
    mutating func closed(_ notification: UInt32, isExpired: Bool = false) {
        guard let prompt = prompt(of: notification) else { return keep(.closed(notification, isExpired: isExpired)) }
        prompts[prompt] = isExpired ? .failed : .dismissed
    }

    /// The daemon rejects the answer.
    mutating func answerRefused(_ prompt: PromptKey) -> [Action] { notify(.tooLate(ssid: prompt.ssid)) }

    /// The answer did not reach the daemon. The question is shown again, with its buttons.
    mutating func answerNotDelivered(_ prompt: PromptKey, reason: String) -> [Action] {
        if prompts[prompt] == .dismissed { prompts[prompt] = .hidden }
        return notify(.notAnswered(ssid: prompt.ssid, reason: reason)) + showHidden([prompt])
    }

    /// Handles that the action of a prompt was carried out, after any answer.
    mutating func actionCompleted(_ id: String) -> [Action] {
        guard let prompt = followed.removeValue(forKey: id) else { return [] }
        return notify(.completed(prompt.situation?.action ?? .join, ssid: prompt.ssid))
    }

    mutating func actionFailed(_ id: String, code: String, reason: String) -> [Action] {
        // The join may begin again with the same answer.
        guard let prompt = followed[id] else { return [] }
        return notify(
            .notCompleted(prompt.situation?.action ?? .join, ssid: prompt.ssid, code: code, reason: reason))
    }

    /// Notifies of a network that was joined and does not reach the Internet, also after an automatic join: the user has to
    /// act.
    func accessLimited(ssid: String, code: String, reason: String) -> [Action] {
        notify(.accessLimited(ssid: ssid, code: code, reason: reason))
    }

    private func notify(_ outcome: Outcome) -> [Action] {
        capabilities.map { [.notify(outcome, hasMarkup: $0.contains("body-markup"))] } ?? []
    }

    private func prompt(of notification: UInt32) -> PromptKey? {
        prompts.first { $0.value == .shown(notification) }?.key
    }

    private mutating func keep(_ signal: EarlySignal) {
        guard isShowing else { return }
        earlySignals.append(signal)
        if earlySignals.count > Self.earlySignalLimit { earlySignals.removeFirst() }
    }

    private mutating func showHidden(_ order: [PromptKey]) -> [Action] {
        guard let capabilities else { return [] }
        return order.filter { prompts[$0] == .hidden }.map { prompt in
            prompts[prompt] = .showing
            return .show(
                prompt, hasButtons: capabilities.contains("actions"),
                hasMarkup: capabilities.contains("body-markup"))
        }
    }
}

/// The identity of a prompt, also over a restart of the daemon, which counts anew.
struct PromptKey: Sendable, Hashable, Comparable {
    let id: String
    let ssid: String
    let arrival: Int
    let situation: PromptSituation?

    init(id: String, ssid: String, arrival: Int, situation: PromptSituation? = nil) {
        (self.id, self.ssid, self.arrival, self.situation) = (id, ssid, arrival, situation)
    }

    static func < (first: PromptKey, second: PromptKey) -> Bool {
        (first.arrival, first.id, first.ssid) < (second.arrival, second.id, second.ssid)
    }
}

extension PromptKey {
    init(_ prompt: Prompt) {
        self.init(id: prompt.id, ssid: prompt.ssid, arrival: prompt.arrival, situation: prompt.situation)
    }
}
