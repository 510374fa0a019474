import IBeacon
import OkaeriTestSupport
import Testing

@testable import RegionMonitoring

/// The heap of deadlines ends a sign at the moment at which a walk over all signs and all beacons would.
@Suite(.computes) struct PlainWalkTests {
    @Test(arguments: 0..<6 as Range<UInt64>, [1, 3])
    func `signs end as by a walk over all beacons, neither sooner nor later`(part: UInt64, radios: Int) {
        for seed in part * 2..<(part + 1) * 2 {
            var run = WalkRun(seed: seed, radios: radios)
            run.play(seconds: 2500)
            #expect(run.difference == nil, "seed \(seed), \(radios) radios")
            #expect(run.exits > 0, "seed \(seed) has no exit")
        }
    }
}

extension RegionMonitor {
    /// Returns the signs whose silence has ended their presence by now. Everything is looked up.
    fileprivate func endedByWalk(at now: Instant) -> [Int] {
        signs.indices.filter { index in
            var sign = signs[index]
            guard let earliest = sign.earliestEnd else { return false }
            let start = signs[index].silentSince
            guard radios.isAnyListening(to: start),
                radios.remaining(since: start, at: now, isJudged: true, { _ in earliest }) <= 0
            else { return false }
            guard signs[index].learns else { return true }
            return beacons.tracks.allSatisfy { track in
                !track.signs.contains(index) || !signs[index].holds(track.signal.value)
                    || remaining(of: track, by: index, at: now, isJudged: true) <= 0
            }
        }
    }

    fileprivate var outside: Set<Int> { Set(signs.indices.filter { signs[$0].state == .outside }) }
}

/// Beacons that come and go at several intervals, and radios that pause, fail, and become deaf.
private struct WalkRun {
    private struct Beacon {
        let identity: BeaconIdentity
        let interval: Double
        let loss: Double
        var next: Double
        var level: Double
        var awayUntil = 0.0
    }

    private var random: SeededGenerator
    private var monitor: RegionMonitor
    private var radios: [RadioID] = [.own]
    private var beacons: [Beacon] = []
    private var now = at(1)
    private var deafUntil = 0.0
    /// The first difference of the heap and the walk.
    private(set) var difference: String?
    private(set) var exits = 0

    init(seed: UInt64, radios count: Int) {
        random = SeededGenerator(seed: seed)
        monitor = RegionMonitor([], at: now)
        _ = monitor.adapterRecovered(at: now)
        for number in 1..<max(2, count) where count > 1 {
            let radio = monitor.radio(named: "radio \(number)", at: now)
            _ = monitor.adapterRecovered(radio, at: now)
            radios.append(radio)
        }
        _ = monitor.regionsReplaced(with: regions(), at: now)
        for number in 0..<10 as Range<UInt16> {
            let identity = BeaconIdentity(uuid: uuid, major: number % 3, minor: number)
            beacons.append(
                Beacon(
                    identity: identity, interval: chosen([0.3, 1, 2, 5, 10, 20, 40]), loss: chosen([0, 0.1, 0.5]),
                    next: draw(1...5), level: draw(-90 ... -50)))
        }
    }

    private mutating func draw(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }

    private mutating func chosen<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// Regions of one beacon, of some, and of all; some with a fixed time, with a weakest signal, or with a second sign.
    private mutating func regions() -> [MonitoredRegion] {
        (0..<UInt16.random(in: 1...8, using: &random)).map { number in
            var signs = (0..<2 as Range<UInt16>).map { further in
                let one = BeaconConstraint.minor(uuid, (number + further) % 3, number)
                return RegionSign(
                    .beacon(chosen([.uuid(uuid), .major(uuid, number % 3), one])),
                    exitRSSI: chosen([nil, nil, -80, -72]), exitAfter: chosen([nil, nil, nil, .seconds(30)]),
                    sensitivity: chosen(Sensitivity.allCases))
            }
            if signs[0].identity == signs[1].identity { signs.removeLast() }
            return MonitoredRegion(identifier: "\(number)", signs[0], or: Array(signs.dropFirst()))
        }
    }

    mutating func play(seconds: Double) {
        var (other, disturbance) = (1.5, 100.0)
        while difference == nil {
            let beacon = beacons.indices.min { beacons[$0].next < beacons[$1].next } ?? 0
            let next = min(beacons[beacon].next, other, disturbance)
            guard next < seconds else { return }
            runTimer(until: at(next))
            if next == beacons[beacon].next {
                advertise(beacon, at: next)
            } else if next == other {
                other = next + draw(0.1...1)
                if next >= deafUntil { monitor.advertisementHeard(from: chosen([1, 2, 3, 4, 5, 6]), at: now) }
            } else {
                disturbance = next + disturb(at: next)
            }
        }
    }

    /// Runs the timer, and compares each of its judgements, and the time before it, with the walk.
    private mutating func runTimer(until end: Instant) {
        while difference == nil {
            let deadline = monitor.nextDeadline.map { max($0, now) }
            let isNext = deadline.map { $0 <= end } ?? false
            // A share of the time is rounded to nanoseconds.
            let quiet = isNext ? Instant(nanoseconds: (deadline ?? end).nanoseconds - 100) : end
            if quiet > now, isNext || deadline != end, case let missed = monitor.endedByWalk(at: quiet), !missed.isEmpty
            {
                difference = "\(missed) ended before \(quiet), and the next deadline is \(deadline as Instant?)"
            }
            guard isNext, let deadline else { break }
            let (expected, before) = (Set(monitor.endedByWalk(at: deadline)), monitor.outside)
            _ = monitor.advanced(to: deadline)
            let ended = monitor.outside.subtracting(before)
            if ended != expected { difference = "at \(deadline) \(ended) ended, and by the walk \(expected)" }
            exits += ended.count
            now = deadline
        }
        now = end
    }

    private mutating func advertise(_ beacon: Int, at time: Double) {
        beacons[beacon].next = time + beacons[beacon].interval + draw(0...0.01)
        if draw(0...1) < 0.003 { beacons[beacon].awayUntil = time + draw(10...500) }
        if draw(0...1) < 0.05 { beacons[beacon].level = min(max(beacons[beacon].level + draw(-12...12), -95), -50) }
        guard time >= max(beacons[beacon].awayUntil, deafUntil), draw(0...1) >= beacons[beacon].loss else { return }
        let rssi = Int8(beacons[beacon].level + draw(-5...5))
        for radio in radios where radios.count == 1 || draw(0...1) < 0.6 {
            let sighting = BeaconSighting(
                identity: beacons[beacon].identity, measuredPower: -59, rssi: rssi, radio: radio)
            _ = monitor.sighted(sighting, at: now)
        }
    }

    /// Returns the seconds until the next disturbance.
    private mutating func disturb(at time: Double) -> Double {
        let radio = chosen(radios)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: monitor.listeningPaused(radio, at: now)
        case 1: monitor.listeningShareChanged(radio, to: chosen([0.25, 0.5, 1]), at: now)
        case 2: _ = monitor.adapterLost(radio, at: now)
        case 3: deafUntil = time + draw(5...100)
        case 4: _ = monitor.regionsReplaced(with: regions(), at: now)
        default: break
        }
        for radio in radios where Bool.random(using: &random) {
            _ = monitor.adapterRecovered(radio, at: now)
            monitor.listeningResumed(radio, at: now)
        }
        return draw(20...300)
    }
}
