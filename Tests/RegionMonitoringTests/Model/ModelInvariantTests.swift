import OkaeriTestSupport
import RegionMonitoring
import Testing

/// The invariants with learned exit times and with clocks that leap: whatever was learned.
@Suite(.computes) struct ModelInvariantTests {
    /// Every other world has other devices in range, which reveal a deaf receiver.
    private func watch(_ seeds: Range<UInt64>, leaps: Bool) {
        for seed in seeds {
            let world = ModelWorld(seed: seed, learns: !leaps || seed % 3 > 0, neighbours: seed % 2 == 0 ? 3 : 40)
            var witness = ModelWitness(world, leaps: leaps)
            for _ in 0..<150 where witness.fault == nil { witness.step() }
            if let fault = witness.fault { return witness.report(fault, seed: seed) }
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `a learned exit time neither leaves a region too soon nor keeps it too long`(part: UInt64) {
        watch(part * 10..<(part + 1) * 10, leaps: false)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `a clock that leaps breaks no order of events`(part: UInt64) {
        watch(part * 10..<(part + 1) * 10, leaps: true)
    }
}
