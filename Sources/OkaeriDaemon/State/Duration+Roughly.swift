extension Duration {
    /// The duration in the one unit that says most.
    var roughly: String {
        let seconds = self / .seconds(1)
        let units = [("days", 86_400.0), ("h", 3600), ("min", 60)]
        let unit = units.first { seconds >= 2 * $0.1 } ?? ("s", 1)
        return "\(Int((seconds / unit.1).rounded())) \(unit.0)"
    }
}
