struct Signal: Hashable, Sendable {
    /// The values in dBm; nil: the controller cannot measure it. Never empty: the first is a property of its own.
    private let first: Int8?
    private let others: [Int8?]

    /// The duration of each, in nanoseconds; the last one stays.
    private let step: Int64

    /// The beginning of the first one.
    private let began: Int64

    init(_ level: Int8?) {
        self.init(first: level, others: [], step: 1, from: 0)
    }

    /// Several, one after the other.
    init(first: Int8?, others: [Int8?], step: Int64, from now: Int64) {
        self.first = first
        self.others = others
        self.step = max(1, step)
        began = now
    }

    func level(at now: Int64) -> Int8? {
        let index = min(Int(clamping: (now - began) / step), others.count)
        return index <= 0 ? first : others[index - 1]
    }
}

extension Int8? {
    /// `-70`, or `none`.
    var level: String { map(String.init) ?? "none" }
}
