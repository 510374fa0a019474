import FoundationEssentials
import Plumbing

/// The persisted state of the daemon, as in the file: the time of writing, and the memory of each part of the program.
struct PersistedState: Sendable {
    /// The layout that is written, and those that are read: version 1 had another form of what was learned.
    static let version = 2
    static let versions = 1...2

    var version = Self.version
    var written: StateStamp
    var parts: [any PersistedMemory]

    /// The memory of a part; `nil` if there is no such part.
    subscript<Memory: PersistedMemory>(_ type: Memory.Type) -> Memory? {
        get { parts.lazy.compactMap { $0 as? Memory }.first }
        set {
            guard let index = parts.firstIndex(where: { $0 is Memory }), let newValue else { return }
            parts[index] = newValue
        }
    }

    /// Whether a region is inside: then the duration of that matters for the next start.
    var isOccupied: Bool { parts.contains(where: \.isOccupied) }

    /// Whether the same is known, but for what merely ages.
    func hasSameContent(as other: PersistedState) -> Bool { isSame(as: other) { $0.content } }

    /// Whether the same is known, but for what changes all the time.
    func isSameApartFromLearning(as other: PersistedState) -> Bool { isSame(as: other) { $0.comparable } }

    /// The same state with what was learned replaced by that of an earlier one.
    func learning(asIn earlier: PersistedState) -> PersistedState {
        PersistedState(written: written, parts: zip(parts, earlier.parts).map { $0.learning(asInAny: $1) })
    }

    private func isSame(as other: PersistedState, _ part: (any PersistedMemory) -> any PersistedMemory) -> Bool {
        parts.count == other.parts.count && zip(parts, other.parts).allSatisfy { part($0).isEqual(to: part($1)) }
    }
}

extension PersistedState: Equatable {
    static func == (first: PersistedState, second: PersistedState) -> Bool {
        first.version == second.version && first.written == second.written && first.isSame(as: second) { $0 }
    }
}

extension PersistedMemory {
    fileprivate func isEqual(to other: any PersistedMemory) -> Bool { (other as? Self) == self }

    fileprivate func learning(asInAny earlier: any PersistedMemory) -> Self {
        (earlier as? Self).map { learning(asIn: $0) } ?? self
    }
}

extension PersistedState {
    private enum Key: String, CodingKey {
        case written
    }

    /// Decodes the parts that are asked for.
    struct Reader: DecodableWithConfiguration {
        let state: PersistedState

        init(from decoder: any Decoder, configuration types: [any PersistedMemory.Type]) throws {
            let members = try decoder.container(keyedBy: Key.self)
            var state = PersistedState(written: try members.decode(StateStamp.self, forKey: .written), parts: [])
            state.parts = try types.map { try $0.init(from: decoder) }
            self.state = state
        }
    }
}
