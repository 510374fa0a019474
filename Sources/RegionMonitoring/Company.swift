import Plumbing

/// How many devices are in the air, about: by the addresses that were heard in the last three to six minutes.
///
/// Addresses are counted by the bits they hash to (linear counting, Whang et al. 1990): sixty-four bits are enough to tell
/// few from many, and nobody can fill them up more than that.
struct Company: Sendable {
    /// How many devices make a company. A person who leaves takes some along, a phone, a watch and what is in the ears;
    /// when more than those fall silent at once it is the receiver.
    private static let enough = 6

    /// How long addresses are remembered, in nanoseconds: once, and once more as those of before.
    private static let period: Int64 = 180_000_000_000

    private var present: UInt64 = 0
    private var before: UInt64 = 0
    private var since: Int64 = .min

    /// Fibonacci hashing: the product's upper bits depend on all of the address.
    @inline(__always)
    private static func bit(of address: UInt64) -> UInt64 { 1 &<< ((address &* 0x9E37_79B9_7F4A_7C15) >> 58) }

    /// Whether it was heard of late, or another one like it.
    @inline(__always)
    func hasHeard(from address: UInt64) -> Bool { present & Self.bit(of: address) != 0 }

    /// Somebody was heard.
    ///
    /// - Returns: whether it is time to ask again whether they are enough.
    mutating func heard(from address: UInt64, at nanoseconds: Int64) -> Bool {
        let bit = Self.bit(of: address)
        let isNew = present & bit == 0
        present |= bit
        guard isNew || nanoseconds.subtractingClamped(since) > Self.period else { return false }
        if nanoseconds.subtractingClamped(since) > Self.period {
            (before, present, since) = (present, bit, nanoseconds)
        }
        return true
    }

    /// How many there are, about.
    var count: Int { (present | before).nonzeroBitCount }

    var isEnough: Bool { count >= Self.enough }

    /// Whether there are others than one beacon and one more.
    var isSome: Bool { count > 2 }
}
