/// Converts a capture's ticks to nanoseconds since the Unix epoch; what 64 bits do not hold is clamped.
struct CaptureClock: Hashable, Sendable {
    private var multiplier: UInt64 = 1_000
    private var divisor: UInt64 = 1
    private var shift: UInt8 = 0

    /// Seconds added to every time stamp (pcapng's if_tsoffset).
    var offset: Int64 = 0

    /// pcapng's resolution unless the interface states another (draft-ietf-opsawg-pcapng, 4.2, if_tsresol).
    static let microseconds = CaptureClock()

    private init() {}

    /// A clock of pcapng's if_tsresol: 10^-n seconds, or with the top bit set 2^-n.
    init(resolution: UInt8) {
        let exponent = Int(resolution & 0x7F)
        if resolution & 0x80 != 0 {
            multiplier = 1_000_000_000
            shift = UInt8(exponent)
        } else {
            multiplier = Self.powerOfTen(9 - exponent)
            divisor = Self.powerOfTen(exponent - 9)
        }
    }

    /// Nanoseconds since the Unix epoch.
    @inline(__always)
    func nanoseconds(_ ticks: UInt64) -> Int64 {
        // 64 bits times 10^9 take 94: nothing overflows 128.
        var time = Int128(ticks) * Int128(multiplier)
        if divisor != 1 { time /= Int128(divisor) }
        time >>= Int128(shift)
        return Int64(clamping: time + Int128(offset) * 1_000_000_000)
    }

    /// Exponents below 0 count as 0; above 19 as 19, the largest that 64 bits hold.
    private static func powerOfTen(_ exponent: Int) -> UInt64 {
        var power: UInt64 = 1
        for _ in 0..<max(0, min(exponent, 19)) { power *= 10 }
        return power
    }
}
