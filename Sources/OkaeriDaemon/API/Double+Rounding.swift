extension Duration {
    /// The seconds, to so many digits after the point.
    func seconds(digits: Int) -> Double { (self / .seconds(1)).rounded(digits: digits) }
}

extension Double {
    /// The nearest number with so many digits after the point.
    func rounded(digits: Int) -> Double {
        let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
        return (self * scale).rounded() / scale
    }

    /// For a person: a whole number without the point and the zero.
    var plain: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
