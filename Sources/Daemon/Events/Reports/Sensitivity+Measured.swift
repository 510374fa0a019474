import RegionMonitoring

extension Sensitivity {
    /// The false exits a day on 70 hours of recordings, and the median delay of true ones in seconds, as in
    /// Benchmarks/README.md.
    package var measured: (falseExitsPerDay: Double, medianDelay: Double) {
        switch self {
        case .quick: (17.1, 8)
        case .balanced: (0.3, 12)
        case .patient: (0.3, 20)
        }
    }
}
