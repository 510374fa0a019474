import OkaeriEvents
import OkaeriPlumbing

/// The result of reading the persisted state at the start.
enum Restoration: Equatable, Sendable {
    /// There was none.
    case nothing
    /// It goes on. The age is `nil` if it is unknown.
    case restored(age: Duration?)
    /// It was older than its validity: the regions are unknown. What was learned and the answers go on.
    case stale(age: Duration)
    /// It was rejected as malformed.
    case refused(StateFileError, setAside: String?)

    /// Returns whether persisted state is still valid.
    ///
    /// The age of a state from the future is unknown: the wall clock was set back, or this is a machine without a clock
    /// that has not yet asked the network. Such a state is used: no event is announced twice, and arrivals and
    /// departures since then are announced all the same.
    ///
    /// - Parameter validFor: The age up to which it is valid.
    static func judge(_ written: StateStamp, at now: StateStamp, validFor: Duration) -> Restoration {
        guard let age = written.age(at: now) else { return .restored(age: nil) }
        return age <= validFor ? .restored(age: age) : .stale(age: age)
    }

    /// Whether the regions are unknown.
    var isStale: Bool {
        switch self {
        case .stale: true
        case .nothing, .restored, .refused: false
        }
    }

    /// Whether the file that was found must not be replaced.
    var forbidsWriting: Bool {
        switch self {
        case .refused(let error, setAside: nil): error.isWorthKeeping
        case .refused, .nothing, .restored, .stale: false
        }
    }

    /// The age of the state; `nil` if it is unknown.
    var age: Duration? {
        switch self {
        case .restored(let age): age
        case .stale(let age): age
        case .nothing, .refused: nil
        }
    }

    /// Its name in reports.
    var word: String {
        switch self {
        case .nothing: "nothing"
        case .restored: "restored"
        case .stale: "stale"
        case .refused: "refused"
        }
    }

}

extension Restoration: CustomStringConvertible {
    /// The result and its consequence, in a sentence.
    package var description: String {
        switch self {
        case .nothing: Language.english(StatusPhrase.stateNew)
        case .restored(let age?): Language.english(StatusPhrase.stateRestored, age.roughly)
        case .restored(nil): Language.english(StatusPhrase.stateOfUnknownAge)
        case .stale(let age): Language.english(StatusPhrase.stateStale, age.roughly)
        case .refused(let error, setAside: let place):
            "is rejected: \(error); \(Self.whereabouts(error, place)); all regions are unknown, and networks that you "
                + "answered with never are offered again"
        }
    }

    private static func whereabouts(_ error: StateFileError, _ place: String?) -> String {
        switch (error.isWorthKeeping, place) {
        case (true, let place?): "it was moved to \(place), so upgrade okaeri, and move it back to go on from it"
        case (true, nil): "it cannot be moved away, so no state is stored; upgrade okaeri, or move it away yourself"
        case (false, let place?): "it was moved to \(place)"
        case (false, nil): "it is replaced"
        }
    }
}
