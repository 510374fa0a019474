import IBeacon
import OkaeriPlumbing

/// The devices in the air that are received repeatedly: they distinguish an absent beacon from a deaf receiver.
///
/// Each device is followed by its mean gap. When nothing at all is received for a time x, the number of devices that would
/// have been received by then is Σ (1 − exp(−x / gap)), and the probability that none of them is received by chance is
/// exp(−Σ x / gap). The receiver is deaf once the first is large and the second is small: so many devices do not leave in the
/// same second. Devices that pass by are received for too short a time to count, and beacons of regions never count, because a
/// household leaves together.
///
/// The table has a fixed size. A device that is still received keeps its place, so a flood of invented addresses displaces
/// none. If the flood comes first there is no evidence, and every silence counts in full.
struct NearbyDevices: Sendable {
    struct Requirement: Sendable {
        /// The number of silent devices: more than a person carries beside the beacon.
        var devices: Float
        /// The negative logarithm of the probability that all are silent by chance.
        var improbability: Float
        /// The time for which a device has been received at least, in nanoseconds, and in how many different seconds.
        var span: Int64
        var count: Int32

        /// For a receiver of which nothing is known.
        static let first = Requirement(devices: 3, improbability: 6, span: 60_000_000_000, count: 4)
        /// For a receiver that was deaf of late.
        static let again = Requirement(devices: 1.5, improbability: 2, span: 0, count: 2)
    }

    /// The number of devices that are followed at most, in sets of four that the device's key chooses.
    static let capacity = 64
    private static let ways = 4

    /// Receptions of a device within this time count as one, in nanoseconds.
    private static let resolution: Int64 = 1_000_000_000

    /// A device is gone when it is not received for so many of its mean gaps, within these bounds in nanoseconds.
    private static let patience: Float = 6
    private static let shortestPatience: Float = 60e9
    private static let longestPatience: Float = 900e9

    /// The number of gaps over which the mean is taken.
    private static let smoothing: Int32 = 16

    /// The longest time of a proof, in nanoseconds.
    private static let longestProof: Float = 60e9

    private struct Device: Sendable {
        var key: UInt64
        let firstHeard: Int64
        private(set) var lastHeard: Int64
        /// The end of its presence without a further reception. Stored, because each report of a device without a place looks at four.
        private var presentUntil: Int64
        /// In nanoseconds.
        private(set) var meanGap: Float = 0
        /// The number of seconds in which it was received, up to ``smoothing``.
        private var count: Int32 = 1

        init(key: UInt64, at time: Int64) {
            self.key = key
            (firstHeard, lastHeard) = (time, time)
            presentUntil = time.addingClamped(Int64(shortestPatience))
        }

        /// Handles a further reception, so many nanoseconds after the last.
        mutating func heard(at time: Int64, after gap: Int64) {
            meanGap += (Float(gap) - meanGap) / Float(count)
            count = min(count + 1, smoothing)
            lastHeard = time
            let patience = min(max(shortestPatience, NearbyDevices.patience * meanGap), longestPatience)
            presentUntil = time.addingClamped(Int64(patience))
        }

        @inline(__always)
        func isPresent(at time: Int64) -> Bool { time <= presentUntil }

        func meets(_ requirement: Requirement) -> Bool {
            count >= requirement.count && lastHeard.subtractingClamped(firstHeard) >= requirement.span
        }
    }

    private var devices = [Device?](repeating: nil, count: capacity)

    /// Records that a device was received.
    ///
    /// - Parameters:
    ///   - key: any number that distinguishes the device from the others.
    ///   - time: the time listened, in nanoseconds.
    @inline(__always)
    mutating func heard(_ key: UInt64, at time: Int64) {
        // Fibonacci hashing: the upper bits of the product depend on all bits of the key.
        let set = Int((key &* 0x9E37_79B9_7F4A_7C15) >> 60) * Self.ways
        for place in set..<set + Self.ways {
            guard let device = devices[place], device.key == key else { continue }
            if time >= device.lastHeard, time &- device.lastHeard < Self.resolution { return }
            return update(place, device, at: time)
        }
        insert(key, set: set, at: time)
    }

    private mutating func update(_ place: Int, _ known: Device, at time: Int64) {
        var device = known
        let gap = time.subtractingClamped(device.lastHeard)
        // A device that returns begins anew, and so do all when the clock ran back.
        guard gap >= 0, device.isPresent(at: time) else {
            devices[place] = Device(key: device.key, at: time)
            return
        }
        device.heard(at: time, after: gap)
        devices[place] = device
    }

    private mutating func insert(_ key: UInt64, set: Int, at time: Int64) {
        for place in set..<set + Self.ways where devices[place].map({ !$0.isPresent(at: time) }) ?? true {
            devices[place] = Device(key: key, at: time)
            return
        }
    }

    /// The number of devices that were received of late, at most ``capacity``.
    func count(at time: Int64) -> Int { count { $0.isPresent(at: time) } }

    /// The number of devices that were received before a silence and again after it.
    func returned(after silence: Range<Int64>) -> Int {
        count { $0.firstHeard < silence.lowerBound && $0.lastHeard >= silence.upperBound }
    }

    private func count(_ isCounted: (Device) -> Bool) -> Int {
        devices.reduce(0) { $0 + ($1.map(isCounted) ?? false ? 1 : 0) }
    }

    /// The time without any reception that proves deafness, in nanoseconds, or `nil` if there is too little evidence.
    ///
    /// - Parameter time: the beginning of that time.
    func proof(at time: Int64, _ requirement: Requirement) -> Int64? {
        var length: Float = 1e9
        while length <= Self.longestProof {
            // Without an array of the gaps: this runs every second, and the path of a report allocates nothing.
            var (number, expected, improbability): (Float, Float, Float) = (0, 0, 0)
            for case let device? in devices
            where device.meets(requirement) && device.isPresent(at: time) {
                let gaps = length / max(device.meanGap, Float(Self.resolution))
                number += 1
                expected += 1 - Float(exp2(Double(-gaps) * Self.log2e))
                improbability += gaps
            }
            if expected >= requirement.devices, improbability >= requirement.improbability { return Int64(length) }
            // More time does not help if the devices are too few.
            guard number > requirement.devices else { return nil }
            length *= 1.25
        }
        return nil
    }

    private static let log2e = 1.442_695_040_888_963
}

extension BeaconIdentity {
    /// A number that distinguishes the beacon from other devices, whatever its address.
    @inline(__always)
    var key: UInt64 {
        // The constants keep a factor from being zero in UUIDs that people write.
        let product = (uuid.high ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: uuid.low ^ 0xC2B2_AE3D_27D4_EB4F)
        return product.high ^ product.low ^ (UInt64(major) << 16 | UInt64(minor))
    }
}
