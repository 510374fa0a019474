import Agreement
import FoundationEssentials
import TestSupport
import Testing

/// Whatever happens to nodes, messages and broker in whatever order: in the end all nodes agree, on what follows from all that
/// was said, and nobody came or went whom no node saw.
@Suite struct InterleavingTests {
    /// `OKAERI_INTERLEAVINGS` has a million of them run.
    static let count = ProcessInfo.processInfo.environment["OKAERI_INTERLEAVINGS"].flatMap { UInt64($0) } ?? 300

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `all nodes agree on what was said, and nobody comes or goes unseen`(part: UInt64) {
        for seed in stride(from: part, to: Self.count, by: 4) {
            let failures = ModelRun.failures(seed: seed)
            if !failures.isEmpty {
                Issue.record("seed \(seed): \(failures.joined(separator: "; "))")
                return
            }
        }
    }
}
