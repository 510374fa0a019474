import IBeacon
import OkaeriDaemonTestSupport
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Testing

/// Other devices in the air, from the bytes of their reports to the exit.
@Suite(.computes) struct CompanyTests {
    /// Exits by a learned time, at the pace of a driver.
    private struct Air {
        var pipeline: PresencePipeline
        var exits: [Double] = []

        init() {
            let region = MonitoredRegion(BeaconRegion(identifier: "home", constraint: .uuid(home.uuid)))
            var monitor = RegionMonitor([region], at: Instant(nanoseconds: 0))
            _ = monitor.adapterRecovered(at: Instant(nanoseconds: 0))
            pipeline = PresencePipeline(monitor)
        }

        mutating func run(to end: Double) {
            while let deadline = pipeline.monitor.nextDeadline, deadline.nanoseconds <= nanoseconds(end) {
                for case .didExitRegion in pipeline.monitor.advanced(to: deadline) {
                    exits.append(Double(deadline.nanoseconds) / 1e9)
                }
            }
        }

        /// - Parameter address: the last two bytes of the device's address.
        mutating func receive(_ event: [UInt8], address: Int, at second: Double) {
            run(to: second)
            var bytes = event
            (bytes[6], bytes[7]) = (UInt8(address & 0xFF), UInt8(address >> 8 & 0xFF))
            _ = pipeline.received(event: bytes.span.bytes, at: Instant(nanoseconds: nanoseconds(second)))
        }
    }

    /// An advertisement that is not a beacon's.
    private let other: [UInt8] = [0x3E, 15, 0x02, 1, 0x03, 1, 6, 5, 4, 3, 2, 1, 3, 0x02, 0x01, 0x06, 0xA6]

    @Test func `a beacon that changes its address is not evidence for a deaf receiver`() {
        var air = Air()
        for second in 0..<900 { air.receive(event(), address: second / 60, at: Double(second)) }
        air.run(to: 2000)
        #expect(air.exits == [899 + 14])
    }

    @Test(arguments: [0, 2, 3, 4])
    func `a false exit is learned from, however many neighbours there are`(neighbours: Int) {
        var air = Air()
        var generator = SeededGenerator(seed: 7)
        var (silentUntil, nextSilence) = (0.0, 1200.0)
        for second in 0..<(8 * 3600) {
            let now = Double(second)
            if now >= nextSilence {
                silentUntil = now + .random(in: 20...30, using: &generator)
                nextSilence = now + .random(in: 600...1800, using: &generator)
            }
            if now >= silentUntil { air.receive(event(), address: 1, at: now) }
            for neighbour in 0..<neighbours where Int.random(in: 0..<40, using: &generator) == 0 {
                air.receive(other, address: 256 + neighbour, at: now + 0.5)
            }
        }
        #expect(air.exits.count <= 3, "\(air.exits.count) of some 24 silences")
    }
}
