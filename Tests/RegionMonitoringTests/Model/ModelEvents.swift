import IBeacon
import OkaeriTestSupport
import RegionMonitoring

/// The events of a monitor.
enum ModelEvent {
    case sighted(BeaconSighting)
    case advertisement(address: UInt64)
    case advanced
    case adapterLost
    case adapterRecovered
    case paused
    case resumed
    case replaced([MonitoredRegion])
    case restarted
}

/// Draws regions, beacons that come near and go, and what happens to the radio.
struct ModelWorld {
    var random: SeededGenerator
    /// Whether exit times are learned rather than fixed.
    let learns: Bool
    /// The number of other devices that advertise: with many of them a silence of all is deafness.
    let neighbours: UInt64
    private var signals: [Double]

    private static let stranger = BeaconUUID(high: 1, low: 2)
    private static let beacons =
        [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)].map { BeaconIdentity(uuid: uuid, major: $0.0, minor: $0.1) }
        + [1, 2].map { BeaconIdentity(uuid: stranger, major: 1, minor: $0) }

    init(seed: UInt64, learns: Bool = false, neighbours: UInt64 = 3) {
        random = SeededGenerator(seed: seed)
        (self.learns, self.neighbours) = (learns, neighbours)
        signals = Self.beacons.map { _ in -70 }
    }

    private mutating func chosen<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// Some of the regions there can be. One of them always has all beacons of ours: strangers may be forgotten, and
    /// the choice differs.
    mutating func regions() -> [MonitoredRegion] {
        let narrow: [BeaconConstraint] = [.major(uuid, 1), .major(uuid, 2), .minor(uuid, 1, 1), .minor(uuid, 2, 2)]
        let constraints = narrow.filter { _ in Bool.random(using: &random) } + [.uuid(uuid)]
        return constraints.shuffled(using: &random).map { constraint in
            MonitoredRegion(
                BeaconRegion(identifier: "\(constraint)", constraint: constraint),
                enterRSSI: chosen([nil, -75, -65]), exitRSSI: chosen([nil, -85, -80, -70]),
                exitAfter: learns ? nil : .seconds(chosen([0, 0.5, 3, 8, 30])),
                sensitivity: chosen(Sensitivity.allCases), measuredPower: chosen([nil, -65]),
                pathLossExponent: chosen([nil, 2]), notifyOnEntry: chosen([true, true, false]),
                notifyOnExit: chosen([true, true, false]), ranging: chosen([.off, .off, .whileInside, .always]))
        }
    }

    /// Returns the time without an event. Never no time at all: of two that are received at once neither is the last.
    mutating func pause() -> Duration {
        let isLong = Int.random(in: 0..<30, using: &random) == 0
        let longest = isLong ? 400 : chosen([0.01, 0.1, 0.3, 0.5, 0.5, 1, 1, 2, 5, 10])
        return .nanoseconds(1) + .seconds(longest) * Double.random(in: 0...1, using: &random)
    }

    mutating func event() -> ModelEvent {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<60: return .sighted(sighting())
        case ..<72: return .advertisement(address: .random(in: 0...neighbours, using: &random))
        case ..<80: return .advanced
        case ..<84: return .adapterLost
        case ..<89: return .adapterRecovered
        case ..<92: return .paused
        case ..<96: return .resumed
        case ..<98: return .replaced(regions())
        case ..<99: return .restarted
        default: return .adapterRecovered
        }
    }

    private mutating func sighting() -> BeaconSighting {
        let place = chosen([0, 0, 0, 1, 1, 2, 3, 4, 5, 6])
        signals[place] = min(max(signals[place] + .random(in: -8...8, using: &random), -98), -40)
        return BeaconSighting(
            identity: Self.beacons[place], measuredPower: chosen([-59, -59, 0]),
            rssi: Int.random(in: 0..<20, using: &random) == 0 ? nil : Int8(signals[place]))
    }
}
