extension Duration {
    package func seconds(digits: Int) -> Double { (self / .seconds(1)).rounded(digits: digits) }

    /// The duration in its largest unit: `3 days`, `5 h`, `2 min`, `40 s`.
    package var roughly: String {
        let seconds = self / .seconds(1)
        let units = [("days", 86_400.0), ("h", 3600), ("min", 60)]
        let unit = units.first { seconds >= 2 * $0.1 } ?? ("s", 1)
        return "\(Int((seconds / unit.1).rounded())) \(unit.0)"
    }
}

extension Double {
    package func rounded(digits: Int) -> Double {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }

    /// For a person: a whole number without the point and the zero.
    package var plain: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}

extension String {
    /// The text and as many spaces as it takes to fill `width` columns.
    package func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
