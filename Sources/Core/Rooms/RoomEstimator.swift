import OkaeriPlumbing
/// Estimates the room of a beacon from the signals of several receivers.
///
/// The estimator adds up the evidence for each other room: the lead of its signal over that of the published room in
/// dB, less a bias, times the seconds for which it lasts. A large lead changes the room after a short time and a
/// small lead after a long time. A lead that comes and goes does not change it.
///
/// The required evidence depends on whether the beacon moves. The signal of each receiver varies by its noise, which
/// ``SignalWindow`` measures from half second to half second, and by the motion of the beacon, which takes seconds. The
/// variance over a quarter of a minute, less that of the noise, and averaged over all receivers, is a measure of the
/// motion alone: on the recordings it is the same with one of four advertisements as with all of them, and a shadow
/// on one receiver has a small part in it. A beacon in motion changes its room quickly, a beacon at rest slowly. (The
/// comparison of a variance with successive differences: von Neumann, "Distribution of the ratio of the mean square
/// successive difference to the variance", 1941.)
struct RoomEstimator: Sendable {
    /// Chosen on recordings of a flat, a garage and a hall, on variants of them (reversed, thinned, with noise, with
    /// offsets, without some of the receivers), on signals of phones at rest, and on simulated flats. A value that is
    /// smaller by a quarter or larger by a third changes the share of time with the right room by about 0.01 at most.
    struct Parameters: Sendable {
        /// The required evidence at ``motion``, in dB·s, and its increase for each dB of noise. A smaller value
        /// changes the room sooner, and more often than necessary.
        var threshold = 12.0
        var thresholdOfNoise = 0.4
        /// The lead that does not count at ``motion``, in dB, and its increase for each dB of noise.
        var bias = 2.7
        var biasOfNoise = 0.1
        /// The variance beyond the noise at which threshold and bias are used unchanged, in dB².
        var motion = 12.0
        /// The part of the noise that is subtracted. It is above one because the measured noise varies, too.
        var noiseShare = 1.25
        /// The bounds of the factor of the required evidence, which is the power of −2 of the variance. With a smaller
        /// lower bound a car between two receivers changes rooms at each shadow; with a larger upper bound a wrong
        /// first room stays too long.
        var scale = 0.5...8.0
        /// The time constant of the measured variance, in seconds. A shorter one forgets the motion before the new
        /// room leads; a longer one counts a beacon as moving after it is put down.
        var memory = 18.0
        /// The largest bias, in dB, however still the beacon is: otherwise a wrong first room would stay. On the
        /// recordings a limit of 6 dB changes nothing.
        var largestBias = 10.0
    }

    var parameters = Parameters()

    /// The parameters for two rooms whose receivers all report means of some seconds: see ``RecentSignal``. Such a signal comes seldom, and
    /// with errors that are alike from report to report. Chosen on one half of the recordings.
    private static let ofMeans = Parameters(
        threshold: 7, bias: 3.5, motion: 11.5, noiseShare: 1.07, scale: 0.13...8, memory: 22, largestBias: 8.5)

    /// The signal of a room without one, in dBm: no receiver receives less.
    static let floor = -105.0

    /// The largest lead that counts, in dB.
    private static let longestLead = 20.0

    /// The time between an arrival and its first room: the observations of several receivers arrive within it.
    private static let firstWait = Nanoseconds.second * 3 / 2

    /// The step of the sum, and the longest time that is added up at once: an older signal is outdated.
    private static let step = Nanoseconds.second / 2
    private static let longestSum = 60 * Nanoseconds.second

    /// The longest time until a deadline, in seconds.
    private static let longestWait = 60.0

    /// The difference to the strongest receiver of its room at which a receiver counts half, in dB.
    private static let halving = 1.5

    /// The decrease in dB a second of the evidence for a room without a signal, and of the signal of a receiver that
    /// receives nothing while another one does. With few advertisements a pause of some seconds at one receiver is usual,
    /// and does not mean that the beacon left.
    private static let fading = 5.0
    private static let silentFading = 8.0

    /// The smallest variance that counts, in dB²: otherwise the factor of a beacon at rest would be unlimited.
    private static let leastVariance = 0.3

    /// The variance of a signal that is rounded and published only after it has moved, in dB².
    private static let rounding = 1.0

    private struct Receiver: Sendable {
        var node: String
        var room: Int
        var isSmoothed: Bool
        var level: Double
        var noise: Double
        var slow: Double
        var variance = 0.0
        /// The time from which it receives nothing. Its last signal counts until another receiver receives the beacon
        /// later: when a beacon stops, the receivers detect its silence at different times.
        var silentSince: Int64?
        /// Whether another receiver has received the beacon since then. The last signal then decreases.
        var isFading = false
    }

    private var receivers: [Receiver] = []
    private var rooms: [String] = []
    private var evidence: [Double] = []
    /// The signal of each room in dBm, `nil` without one, and its noise; determined anew after a receiver's signal has changed.
    private var (levels, noises) = ([Double?](), [Double]())
    private var areLevelsKnown = false
    private var began: Int64?
    private var last: Int64 = 0
    private var published: Int?

    /// The room, if there is one.
    var room: String? { published.map { rooms[$0] } }

    /// The strongest room at this moment, published or not.
    var strongest: String? {
        receivers.max { $0.level < $1.level }.map { rooms[$0.room] }
    }

    /// The time at which ``advance(to:)`` is next needed; `nil` while nothing is to be decided. May be early, is never late.
    ///
    /// While no signal changes, the variance of each receiver does not exceed the larger one of its present value and the square of its
    /// distance from the slow mean. That bounds the evidence from above, and the required evidence from below.
    var nextDeadline: Int64? {
        guard !receivers.isEmpty else { return nil }
        guard let published else {
            return deadline(in: (began ?? last).addingClamped(Self.firstWait).subtractingClamped(last))
        }
        // These change the levels.
        if isAnyTooWeak || receivers.indices.contains(where: { receivers[$0].isFading }) { return deadline(in: 0) }
        var soonest = Double.infinity
        var variance: Double?
        for room in rooms.indices where room != published {
            guard let level = levels[room], evidence[room] > 0 || lead(level, over: published) > 0,
                isReceived(in: room)
            else { continue }
            let largest = variance ?? largestVariance
            variance = largest
            let required = required(room, over: published, largest)
            let growth = lead(level, over: published) - required.bias
            let missing = required.evidence - evidence[room]
            if missing <= 0 || growth > 0 { soonest = min(soonest, max(0, missing) / max(growth, .ulpOfOne)) }
        }
        guard soonest < .infinity else { return nil }
        return deadline(in: Int64(min(soonest, Self.longestWait) * 1e9))
    }

    /// Returns the end of the step in which a time ends, in nanoseconds from now; that of the next step at least.
    private func deadline(in time: Int64) -> Int64 {
        let steps = max(1, (max(0, time) + Self.step - 1) / Self.step)
        return last.addingClamped(steps * Self.step)
    }
}

extension RoomEstimator {
    /// Handles a receiver's signal.
    ///
    /// - Parameters:
    ///   - signal: The signal in dBm; `nil` if it receives nothing.
    ///   - spread: The noise of the signal in dB.
    ///   - age: The seconds since the last advertisement; `nil` if unknown.
    ///   - isSmoothed: Whether it is from means of some seconds.
    mutating func heard(
        by node: String, in room: String, signal: Double?, spread: Double?, age: Double? = nil,
        isSmoothed: Bool = false, at now: Int64
    ) {
        advance(to: now)
        guard let signal else {
            guard let index = receivers.firstIndex(where: { $0.node == node }) else { return }
            receivers[index].silentSince = receivers[index].silentSince ?? now
            return
        }
        let transmitted = now.addingClamped(-Int64(min(age ?? 0, 3600) * 1e9))
        for index in receivers.indices where receivers[index].silentSince ?? .max < transmitted {
            receivers[index].isFading = true
        }
        areLevelsKnown = false
        let index = receivers.firstIndex { $0.node == node }
        let place = position(of: room)
        let noise = min(20, max(0.5, spread ?? 2.5))
        if let index {
            receivers[index].level = signal
            receivers[index].noise = noise
            (receivers[index].room, receivers[index].isSmoothed) = (place, isSmoothed)
            receivers[index].silentSince = nil
            receivers[index].isFading = false
        } else {
            receivers.append(
                Receiver(
                    node: node, room: place, isSmoothed: isSmoothed, level: signal, noise: noise, slow: signal))
        }
        if began == nil { began = now }
        determineLevels()
    }

    private mutating func position(of room: String) -> Int {
        if let place = rooms.firstIndex(of: room) { return place }
        if rooms.count >= Self.roomLimit { removeEmptyRooms() }
        rooms.append(room)
        evidence.append(0)
        return rooms.count - 1
    }

    /// The limit of room names, because any client can publish them. Names without a receiver are removed first.
    private static let roomLimit = 64
    var roomCount: Int { rooms.count }

    private mutating func removeEmptyRooms() {
        let used = Set(receivers.map(\.room)).union([published].compactMap { $0 })
        let places = rooms.indices.filter(used.contains)
        let moved = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($1, $0) })
        (rooms, evidence) = (places.map { rooms[$0] }, places.map { evidence[$0] })
        areLevelsKnown = false
        for index in receivers.indices { receivers[index].room = moved[receivers[index].room] ?? 0 }
        published = published.flatMap { moved[$0] }
    }

    /// Handles that time has passed.
    mutating func advance(to now: Int64) {
        guard !receivers.isEmpty, now > last else {
            last = max(last, now)
            return
        }
        if now.subtractingClamped(last) > Self.longestSum { last = now.addingClamped(-Self.longestSum) }
        while last < now {
            let span = min(Self.step, now.subtractingClamped(last))
            last = last.addingClamped(span)
            weigh(Nanoseconds.seconds(span))
        }
    }

    /// Adds up a span of so many seconds, in which every level was constant.
    private mutating func weigh(_ seconds: Double) {
        let variance = motion(seconds)
        determineLevels()
        guard let published else {
            guard let began, last.subtractingClamped(began) >= Self.firstWait else { return }
            self.published = levels.indices.max { levels[$0] ?? -.infinity < levels[$1] ?? -.infinity }
            return
        }
        var best: (room: Int, surplus: Double)?
        for room in rooms.indices where room != published {
            guard let level = levels[room], isReceived(in: room) else {
                evidence[room] = max(0, evidence[room] - Self.fading * seconds)
                continue
            }
            let required = required(room, over: published, variance)
            evidence[room] = max(0, evidence[room] + (lead(level, over: published) - required.bias) * seconds)
            let surplus = evidence[room] / required.evidence
            if surplus >= 1, surplus > best?.surplus ?? 0 { best = (room, surplus) }
        }
        guard let best else { return }
        self.published = best.room
        for room in evidence.indices { evidence[room] = 0 }
    }

    private func lead(_ level: Double, over published: Int) -> Double {
        min(Self.longestLead, level - (levels[published] ?? Self.floor))
    }

    /// The evidence that a room needs to replace the published one, in dB·s, and the part of its lead that does not count, in dB.
    private func required(_ room: Int, over published: Int, _ variance: Double) -> (evidence: Double, bias: Double) {
        let parameters = areSmoothed(room, published) ? Self.ofMeans : self.parameters
        let stillness = parameters.motion / variance
        let scale = min(max(stillness * stillness, parameters.scale.lowerBound), parameters.scale.upperBound)
        let noise = (noises[room] * noises[room] + noises[published] * noises[published]).squareRoot()
        return (
            (parameters.threshold + parameters.thresholdOfNoise * noise) * scale,
            min(parameters.largestBias, (parameters.bias + parameters.biasOfNoise * noise) * scale)
        )
    }

    /// Whether a receiver of a room receives the beacon.
    private func isReceived(in room: Int) -> Bool {
        receivers.indices.contains { receivers[$0].room == room && receivers[$0].silentSince == nil }
    }

    /// Whether all receivers of two rooms report means.
    private func areSmoothed(_ room: Int, _ other: Int) -> Bool {
        receivers.indices.allSatisfy {
            receivers[$0].isSmoothed || receivers[$0].room != room && receivers[$0].room != other
        }
    }

    /// Determines the signal of each room, and its noise: the mean of its receivers, weighted by their signals. The nearest receiver has
    /// the largest weight, and several receivers with equal signals have less noise than one.
    private mutating func determineLevels() {
        guard !areLevelsKnown else { return }
        areLevelsKnown = true
        levels = Array(repeating: nil, count: rooms.count)
        noises = Array(repeating: 0, count: rooms.count)
        for room in rooms.indices {
            var strongest = -Double.infinity
            for index in receivers.indices where receivers[index].room == room {
                strongest = max(strongest, receivers[index].level)
            }
            guard strongest > -.infinity else { continue }
            var (sum, level, variance) = (0.0, 0.0, 0.0)
            for index in receivers.indices where receivers[index].room == room {
                let weight = Self.powerOfTwo((receivers[index].level - strongest) / Self.halving)
                sum += weight
                level += weight * receivers[index].level
                variance += weight * weight * receivers[index].noise * receivers[index].noise
            }
            guard sum > 0 else { continue }
            (levels[room], noises[room]) = (level / sum, variance.squareRoot() / sum)
        }
    }

    /// Two to the power of `exponent`, within six percent.
    private static func powerOfTwo(_ exponent: Double) -> Double {
        let whole = exponent.rounded(.down)
        return Double(sign: .plus, exponent: Int(whole), significand: 1 + exponent - whole)
    }

    /// Returns the mean variance of the signals beyond their noise, in dB².
    private mutating func motion(_ seconds: Double) -> Double {
        var excess = 0.0
        var count = 0.0
        for index in receivers.indices {
            if receivers[index].silentSince != nil {
                guard receivers[index].isFading else { continue }
                receivers[index].level -= Self.silentFading * seconds
                areLevelsKnown = false
                continue
            }
            let weight = seconds / (seconds + parameters(of: index).memory)
            let distance = receivers[index].level - receivers[index].slow
            receivers[index].variance += weight * (distance * distance - receivers[index].variance)
            receivers[index].slow += weight * distance
            excess += receivers[index].variance - noise(of: index)
            count += 1
        }
        if isAnyTooWeak {
            receivers.removeAll { $0.level < Self.floor }
            areLevelsKnown = false
        }
        return count > 0 ? max(Self.leastVariance, excess / count) : parameters.motion
    }

    private var isAnyTooWeak: Bool { receivers.indices.contains { receivers[$0].level < Self.floor } }

    /// The largest variance that ``motion(_:)`` returns while no signal changes.
    private var largestVariance: Double {
        var (excess, count) = (0.0, 0.0)
        for index in receivers.indices where receivers[index].silentSince == nil {
            let distance = receivers[index].level - receivers[index].slow
            excess += max(receivers[index].variance, distance * distance) - noise(of: index)
            count += 1
        }
        return count > 0 ? max(Self.leastVariance, excess / count) : parameters.motion
    }

    private func parameters(of receiver: Int) -> Parameters {
        receivers[receiver].isSmoothed ? Self.ofMeans : parameters
    }

    /// The part of a receiver's variance that is noise, in dB².
    private func noise(of receiver: Int) -> Double {
        let noise = receivers[receiver].noise
        return parameters(of: receiver).noiseShare * (noise * noise + Self.rounding)
    }
}
