/// A part of the program that goes on from what it knew before a restart.
package protocol Persistable: Sendable {
    associatedtype Memory: PersistedMemory

    var memory: Memory { get async }

    /// Goes on from what was known before a restart. To be called before anything else happens.
    func restore(_ memory: Memory, from past: PersistedPast) async
}

/// The memory of a part of the program, as members of the one JSON object that all parts share.
///
/// Its `init(from:)` checks the values: a file may be damaged, and a partly accepted state is worse than none.
package protocol PersistedMemory: Codable, Equatable, Sendable {
    /// Without what merely ages: state is written from time to time while this differs from what was written.
    var content: Self { get }

    /// Without what changes all the time, too: state is written at once where this differs.
    var comparable: Self { get }

    /// Whether a region is inside: then the time until which that was known matters for the next start.
    var isOccupied: Bool { get }

    /// The memory in pieces with members of their own. A piece that is the same as in the last write is not encoded again.
    var pieces: [any KeptPiece] { get }

    /// The same memory with an earlier one's learned values, which change too often to be encoded at every write.
    func learning(asIn earlier: Self) -> Self
}

/// Members of the one JSON object.
package typealias KeptPiece = Encodable & Equatable & Sendable

extension PersistedMemory {
    package var content: Self { self }
    package var comparable: Self { content }
    package var isOccupied: Bool { false }
    package var pieces: [any KeptPiece] { [self] }
    package func learning(asIn earlier: Self) -> Self { self }
}

/// The time since the state was written.
package struct PersistedPast: Sendable, Equatable {
    /// The age; `nil` if the clock was set back since.
    package var age: Duration?

    /// Whether the age is too great to know the state of a region. What was learned and answered stays true.
    package var isStale: Bool

    package init(age: Duration?, isStale: Bool) {
        self.age = age
        self.isStale = isStale
    }
}

package enum KeptDuration {
    /// The seconds that are read: no duration that is kept is longer than thirty years.
    private static let credible = 0...1e9

    package static func isCredible(_ seconds: Double?) -> Bool { seconds.map(credible.contains) ?? true }

    /// Returns the whole seconds to keep: a duration that was written is always read. A capture's clock may begin with any instant.
    package static func seconds(_ duration: Duration) -> Double {
        min(max((duration / .seconds(1)).rounded(), credible.lowerBound), credible.upperBound)
    }
}
