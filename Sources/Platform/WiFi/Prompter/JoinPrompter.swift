/// Decides when to ask about a network, and when to join it. It does no I/O: events come in with their instant, the
/// actions they lead to go out, and the driver carries those out in order.
///
/// One prompt an arrival. An arrival at a network is the first of its regions to be entered, and it lasts until the
/// last one is left; several regions may name the same network. The rules in between:
///
/// - `later` is silence until the next arrival, `never` until ``neverCleared(ssid:at:)``.
/// - Between two prompts (or two joins without a question) for a network lies the cool-down, so that a beacon that
///   comes and goes, forged or not, cannot flood the user. An arrival in that time is put off, not lost.
/// - Connected already, or about to be: no prompt. Not to be joined now: asked again after a growing delay and when Wi-Fi changes.
/// - While another connection works, ``OnlinePolicy`` decides.
/// - Wi-Fi that is switched off is asked about, too, if the user may switch it on. Without a question it stays off.
/// - A failed join is reported and not repeated before the next arrival, unless its cause passes by itself
///   (``JoinFailure/isPassing``): then it is offered again after the cool-down.
/// - The answer `join` is valid until the arrival ends: after an interruption (``JoinFailure/isInterruption``) or a handshake that
///   failed at a weak signal, the join begins again without another question.
/// - A network that was joined without a question is joined again if the connection is lost, unless a user ended it.
/// - A join that runs is not stopped by leaving.
/// - When the last region of a network is left, its departure's action follows, asked about or not as an arrival's, with a cool-down
///   of its own. It is asked about in any case while a user is logged in over a connection that it ends. An arrival ends it.
///   Wi-Fi is not switched off while a region of another network is inside.
/// - Of several regions that are inside the policy of the one that came first holds. When it is left and the
///   next one has another, a prompt that waits is withdrawn, and that policy decides. What was answered or joined stays
///   so.
///
/// A region's newly configured network is reported as an arrival, or as a departure if there is none.
public struct JoinPrompter<Instant: InstantProtocol>: Sendable where Instant.Duration == Duration {
    /// Between two prompts, or two joins without a question, for the same network.
    static var coolDown: Duration { .seconds(300) }
    /// Before a network that could not be joined is looked at again; doubled each time, up to the longest.
    static var firstRetry: Duration { .seconds(30) }
    static var longestRetry: Duration { .seconds(600) }
    /// For a stronger signal, before a join without a question.
    static var patience: Duration { .seconds(20) }
    /// Joins that began again after an interruption in one arrival, before the next one waits for the cool-down and a new answer.
    static var mostRestarts: Int { 5 }

    /// The networks whose prompt was answered with never.
    public internal(set) var refused: Set<SSID> = []

    /// The networks that were asked about while another connection worked.
    var askedWhileOnline: Set<SSID> = []

    /// One for each network that was ever arrived at: as many as the configuration names.
    var visits: [Visit] = []

    /// The recently closed prompts, for the error of a late answer.
    var closed: [(prompt: Prompt, reason: PromptWithdrawal)] = []

    var nextPrompt = 1
    var lastTicket = 0
    var lastAttempt = 0

    public init() {}

    public var prompts: [Prompt] { visits.compactMap(\.prompt) }

    /// The time at which ``advanced(to:)`` has something to do, if no event comes before.
    public var nextDeadline: Instant? { visits.compactMap(\.deadline).min() }
}
