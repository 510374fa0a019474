import IBeacon
package import OkaeriEvents
import OkaeriPlumbing
import Synchronization

/// The user at a terminal: reads sentences, and answers one question at a time.
package protocol Console: Sendable {
    /// The language of the sentences and questions.
    var language: Language { get }

    /// Shows a sentence; an empty one is left out.
    func say(_ sentence: String)

    /// Asks, and returns the answer without space around it.
    ///
    /// - Throws: ``ConsoleEnded`` at the end of the input, or when the task is cancelled. So do the other questions.
    func ask(_ question: String) async throws -> String

    /// Asks for an answer that is not shown, and returns it as it was typed.
    func askSecret(_ question: String) async throws -> String

    /// Asks below a list that changes until the answer, and returns that without space around it.
    func choose<Lists: AsyncSequence & Sendable>(_ question: String, among lists: Lists) async throws -> String
    where Lists.Element == CandidateList, Lists.Failure == Never

    /// Waits for a step. Lines that are typed meanwhile are not answers. If the wait is ended, the step is cancelled, and may go on.
    ///
    /// - Parameter step: The name of the step, to be shown if it lasts; `nil`: it is not shown.
    func during<Value: Sendable>(
        _ step: String?, _ operation: @escaping @Sendable () async -> Value
    ) async throws -> Value

    /// Shows the progress of a measurement.
    func progress(left: Duration, readings: Int)
}

/// The user has ended the input, or a signal the questions.
package struct ConsoleEnded: Error {
    package init() {}
}

/// The reason why an answer is asked for again: a sentence.
package struct Mistake: Error, Equatable {
    package var sentence: String

    package init(_ sentence: String) { self.sentence = sentence }
}

extension Console {
    /// Shows a text of a catalogue.
    package func say(_ phrase: some Phrase, _ values: String...) { say(language(phrase, values)) }

    /// Shows a failure in a sentence.
    func say(_ failure: some LocalizedFailure) {
        say(failure.sentence(in: language) + (language == .english ? "." : "。"))
    }

    /// Asks for a yes or a no with a text of a catalogue.
    ///
    /// - Parameter usual: The meaning of Enter.
    package func confirm(_ phrase: some Phrase, _ values: String..., default usual: Bool) async throws -> Bool {
        try await confirm(language(phrase, values), default: usual)
    }

    /// Returns a mistake with a text of a catalogue.
    func mistake(_ phrase: some Phrase, _ values: String...) -> Mistake { Mistake(language(phrase, values)) }

    /// Asks for a yes or a no.
    ///
    /// - Parameter usual: The meaning of Enter.
    package func confirm(_ question: String, default usual: Bool) async throws -> Bool {
        var question = language(usual ? SetupPhrase.yes : .no, question)
        while true {
            switch try await ask(question).lowercased() {
            case "": return usual
            case "y", "yes", "ｙ", "はい": return true
            case "n", "no", "ｎ", "いいえ": return false
            default: question = language(SetupPhrase.answerYesOrNo)
            }
        }
    }

    /// Asks whether a password may cross the network without encryption. Enter means no.
    package func confirmClearPassword(to host: String) async throws -> Bool {
        try await confirm(SetupPhrase.clearPassword, host.plain(), default: false)
    }

    /// Asks until an answer has no mistake.
    package func ask<Value>(
        _ question: String, isSecret: Bool = false, _ read: (String) async throws -> Value
    ) async throws -> Value {
        while true {
            do {
                return try await read(isSecret ? try await askSecret(question) : try await ask(question))
            } catch let mistake as Mistake {
                say(mistake.sentence)
            }
        }
    }
}

/// The beacons in range, to choose one by its number.
package struct CandidateList: Sendable, Equatable {
    /// A beacon with the number that it keeps.
    package struct Candidate: Sendable, Equatable {
        package var number: Int
        package var beacon: BeaconReport
    }

    /// The reason why beacons cannot be received, if there is one.
    package var trouble: String?
    /// The beacons, the nearest first; `nil` before the first are received.
    package var candidates: [Candidate]?
}

/// The numbers of the beacons that were received since the first list.
final class BeaconNumbers: Sendable {
    private struct State {
        var numbers: [BeaconIdentity: Int] = [:]
        var list = CandidateList()
    }

    private let state = Mutex(State())

    /// The beacons of the last list.
    var candidates: [CandidateList.Candidate] { state.withLock { $0.list.candidates ?? [] } }

    /// Returns the list to show; `nil` if the reception changes nothing on the screen.
    func list(after reception: SetupReception) -> CandidateList? {
        state.withLock { state in
            switch reception {
            case .trouble(let trouble):
                state.list.trouble = trouble
                return trouble.map { CandidateList(trouble: $0) }
            case .left: return nil
            case .beacons(let beacons):
                state.list.candidates = beacons.nearestFirst.compactMap { beacon in
                    guard let identity = beacon.identity else { return nil }
                    let number = state.numbers[identity] ?? state.numbers.count + 1
                    state.numbers[identity] = number
                    return .init(number: number, beacon: beacon)
                }
                return state.list
            }
        }
    }
}

extension BeaconReport {
    var identity: BeaconIdentity? {
        BeaconUUID(uuid).map { BeaconIdentity(uuid: $0, major: major, minor: minor) }
    }
}

extension String {
    /// Without space at its ends.
    package var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
