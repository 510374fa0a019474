import FoundationEssentials
import TestSupport
import Testing

/// Whatever happens to nodes, messages and the broker in whatever order: in the end all nodes agree on what follows from the
/// observations, and no event is published that no node observed.
@Suite struct InterleavingTests {
    /// The number of histories; `OKAERI_INTERLEAVINGS` has more of them played, from number `OKAERI_FIRST` on.
    static let count = number("OKAERI_INTERLEAVINGS") ?? 300
    static let first = number("OKAERI_FIRST") ?? 0

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `all nodes agree on what was observed, and no event is invented`(part: UInt64) {
        for seed in stride(from: Self.first + part, to: Self.first + Self.count, by: 4) {
            let failures = ModelRun.failures(seed: seed)
            if !failures.isEmpty { Issue.record("seed \(seed): \(failures.joined(separator: "; "))") }
        }
    }
}
