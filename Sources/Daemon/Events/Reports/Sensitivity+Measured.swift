import RegionMonitoring

extension Sensitivity {
    /// How many exits a day were false on 70 hours of recordings, and how long half of the true ones took in seconds, as
    /// Benchmarks/README.md has it.
    package var measured: (falseExitsPerDay: Double, medianDelay: Double) {
        switch self {
        case .quick: (17.1, 8)
        case .balanced: (0.3, 12)
        case .patient: (0.3, 20)
        }
    }
}
