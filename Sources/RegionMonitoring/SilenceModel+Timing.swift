extension SilenceModel {
    /// The exit time as it is now, and why.
    var timing: ExitTiming {
        let time = exitTime
        let bound: ExitTiming.Bound? =
            switch time {
            case Self.bounds.lowerBound: .shortest
            case Self.bounds.upperBound: .longest
            default: nil
            }
        let basis: ExitTiming.Basis =
            learned < Self.acquaintance
            ? .initial(gaps: Int(learned), needed: Int(Self.acquaintance)) : .learned
        // Where a fixed number overrules what was reckoned, that was not prolonged.
        let prolongs = bound != .shortest && time != Self.initial
        return ExitTiming(
            time: .seconds(time), basis: basis, prolongation: prolongs ? prolongation : 1, bound: bound)
    }
}
