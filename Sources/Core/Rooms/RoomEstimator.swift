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
    private var began: Int64?
    private var last: Int64 = 0
    private var published: Int?

    /// The room, if there is one.
    var room: String? { published.map { rooms[$0] } }

    /// The strongest room at this moment, published or not.
    var strongest: String? {
        receivers.max { $0.level < $1.level }.map { rooms[$0.room] }
    }

    /// The time at which ``advance(to:)`` is next needed; `nil` while nothing is to be decided.
    var nextDeadline: Int64? {
        guard !receivers.isEmpty else { return nil }
        let isOpen =
            published == nil || evidence.contains { $0 > 0 }
            || receivers.contains { $0.isFading || $0.room != published && $0.silentSince == nil }
        return isOpen ? last.addingClamped(Self.step) : nil
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
        let (levels, noises) = signals()
        guard let published else {
            guard let began, last.subtractingClamped(began) >= Self.firstWait else { return }
            self.published = levels.indices.max { levels[$0] ?? -.infinity < levels[$1] ?? -.infinity }
            return
        }
        var best: (room: Int, surplus: Double)?
        for room in rooms.indices where room != published {
            guard let level = levels[room],
                receivers.contains(where: { $0.room == room && $0.silentSince == nil })
            else {
                evidence[room] = max(0, evidence[room] - Self.fading * seconds)
                continue
            }
            let parameters = areSmoothed(room, published) ? Self.ofMeans : self.parameters
            let stillness = parameters.motion / variance
            let scale = min(max(stillness * stillness, parameters.scale.lowerBound), parameters.scale.upperBound)
            let noise = (noises[room] * noises[room] + noises[published] * noises[published]).squareRoot()
            let lead = min(Self.longestLead, level - (levels[published] ?? Self.floor))
            let bias = min(parameters.largestBias, (parameters.bias + parameters.biasOfNoise * noise) * scale)
            evidence[room] = max(0, evidence[room] + (lead - bias) * seconds)
            let surplus = evidence[room] / ((parameters.threshold + parameters.thresholdOfNoise * noise) * scale)
            if surplus >= 1, surplus > best?.surplus ?? 0 { best = (room, surplus) }
        }
        guard let best else { return }
        self.published = best.room
        for room in evidence.indices { evidence[room] = 0 }
    }

    /// Whether all receivers of two rooms report means.
    private func areSmoothed(_ room: Int, _ other: Int) -> Bool {
        receivers.allSatisfy { $0.isSmoothed || $0.room != room && $0.room != other }
    }

    /// The signal of each room in dBm, and its noise: the mean of its receivers, weighted by their signals. The
    /// nearest receiver has the largest weight, and several receivers with equal signals have less noise than one.
    private func signals() -> (levels: [Double?], noises: [Double]) {
        var strongest = [Double](repeating: -.infinity, count: rooms.count)
        for receiver in receivers { strongest[receiver.room] = max(strongest[receiver.room], receiver.level) }
        var sums = [(weight: Double, level: Double, variance: Double)](repeating: (0, 0, 0), count: rooms.count)
        for receiver in receivers {
            let weight = Self.powerOfTwo((receiver.level - strongest[receiver.room]) / Self.halving)
            sums[receiver.room].weight += weight
            sums[receiver.room].level += weight * receiver.level
            sums[receiver.room].variance += weight * weight * receiver.noise * receiver.noise
        }
        return (
            sums.map { $0.weight > 0 ? $0.level / $0.weight : nil },
            sums.map { $0.weight > 0 ? $0.variance.squareRoot() / $0.weight : 0 }
        )
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
                if receivers[index].isFading { receivers[index].level -= Self.silentFading * seconds }
                continue
            }
            let parameters = receivers[index].isSmoothed ? Self.ofMeans : self.parameters
            let weight = seconds / (seconds + parameters.memory)
            let distance = receivers[index].level - receivers[index].slow
            receivers[index].variance += weight * (distance * distance - receivers[index].variance)
            receivers[index].slow += weight * distance
            let noise = receivers[index].noise * receivers[index].noise + Self.rounding
            excess += receivers[index].variance - parameters.noiseShare * noise
            count += 1
        }
        receivers.removeAll { $0.level < Self.floor }
        return count > 0 ? max(Self.leastVariance, excess / count) : parameters.motion
    }
}
