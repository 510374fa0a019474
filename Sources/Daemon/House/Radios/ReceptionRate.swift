import Glibc
import Plumbing

/// The receptions a second of a radio, of late: each counts less with its age.
struct ReceptionRate: Sendable {
    /// The time after which a reception counts 1/e.
    private static let time = 30.0

    private let start: Int64
    private var weight = 0.0
    /// The time of the last reception.
    private(set) var last: Int64

    init(at now: Int64) { (start, last) = (now, now) }

    mutating func received(_ count: Int = 1, at now: Int64) {
        (weight, last) = (weight(at: now) + Double(count), max(last, now))
    }

    /// The receptions a second.
    func value(at now: Int64) -> Double {
        let passed = max(1, Self.seconds(from: start, to: now))
        return weight(at: now) / (Self.time * (1 - exp(-passed / Self.time)))
    }

    private func weight(at now: Int64) -> Double { weight * exp(-Self.seconds(from: last, to: now) / Self.time) }

    private static func seconds(from start: Int64, to end: Int64) -> Double {
        Nanoseconds.seconds(max(0, end.subtractingClamped(start)))
    }
}
