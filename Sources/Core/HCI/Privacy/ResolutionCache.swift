/// The results of the last addresses, those of foreign devices included. A result depends on the address and the tried keys alone, so it
/// needs no expiry: with further keys the cache begins empty.
///
/// The table has a fixed size, in sets of four that the address chooses; the one of a set that was received longest ago is replaced.
/// A flood of invented addresses costs the ciphers' time, and no memory.
struct ResolutionCache: Sendable {
    struct Result: Sendable {
        /// Zero for a foreign address; otherwise twice the position of the device, and one if its key is in the wrong order, plus one.
        fileprivate let code: UInt16

        init(_ match: Match?) {
            code = match.flatMap { UInt16(exactly: 2 * $0.index + ($0.order == .reversed ? 2 : 1)) } ?? 0
        }

        fileprivate init(_ entry: UInt64) { code = UInt16(truncatingIfNeeded: entry) }

        var match: Match? {
            code == 0 ? nil : (Int(code - 1) / 2, code.isMultiple(of: 2) ? .reversed : .stated)
        }
    }

    /// The number of addresses is four times this.
    private static let sets = 256
    private static let ways = 4

    /// An address in the upper 48 bits and its result below; zero in an unused place, because zero is not a resolvable address.
    private var entries: [UInt64]

    init(sets: Int = sets) { entries = [UInt64](repeating: 0, count: sets * Self.ways) }

    mutating func result(of address: BluetoothAddress) -> Result? {
        let first = first(of: address)
        var entries = entries.mutableSpan
        for place in first..<first + Self.ways where entries[place] >> 16 == address.rawValue {
            let entry = entries[place]
            Self.moveBack(&entries, from: first, to: place)
            entries[first] = entry
            return Result(entry)
        }
        return nil
    }

    mutating func insert(_ address: BluetoothAddress, _ result: Result) {
        let first = first(of: address)
        var entries = entries.mutableSpan
        Self.moveBack(&entries, from: first, to: first + Self.ways - 1)
        entries[first] = address.rawValue << 16 | UInt64(result.code)
    }

    mutating func removeAll() {
        for place in entries.indices { entries[place] = 0 }
    }

    /// Frees the first place: the entries before `last` take that of their follower.
    @inline(__always)
    private static func moveBack(_ entries: inout MutableSpan<UInt64>, from first: Int, to last: Int) {
        var place = last
        while place > first {
            entries[place] = entries[place - 1]
            place -= 1
        }
    }

    /// Fibonacci hashing: the upper bits of the product depend on all bits of the address.
    private func first(of address: BluetoothAddress) -> Int {
        Int((address.rawValue &* 0x9E37_79B9_7F4A_7C15) >> 56) * Self.ways
    }
}
