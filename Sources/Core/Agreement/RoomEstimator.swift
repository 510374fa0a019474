import Plumbing
/// In which room a beacon is, from what several receivers hear of it.
///
/// The evidence for another room than the published one is added up: by how many dB that room is stronger, beyond a
/// bias, for how many seconds. A clear lead is believed soon, a slight one late, one that comes and goes never.
///
/// How much is asked for is learned from the beacon itself. A receiver says how much its signal jumps from half second
/// to half second; over a quarter of a minute the signal of a beacon at rest swings by as much and no more, that of one
/// that moves by several times as much. The less the beacon moves, measured so over all receivers, and the noisier it
/// is, the more evidence a change of room takes. (Von Neumann's ratio, "Distribution of the ratio of the mean square
/// successive difference to the variance", 1941.)
struct RoomEstimator: Sendable {
    /// Found by search on recordings of a flat, a garage and a hall, whole, thinned, with noise added and receivers left out.
    struct Parameters: Sendable {
        /// The evidence that a change takes at ``motion``, in dB·s, and for each dB of noise so much more.
        var threshold = 9.56
        var thresholdOfNoise = 1.31
        /// The lead that counts for nothing, in dB, and for each dB of noise so much more.
        var bias = 1.13
        var biasOfNoise = 0.291
        /// The variance of a moving beacon as a multiple of its noise: there the threshold holds as it is.
        var motion = 2.35
        /// With which power of the motion less evidence is asked for, in halves, and within which bounds.
        var power = 1.5
        var scale = 0.401...8.0
        /// Over how many seconds the swing is measured.
        var memory = 10.1
        /// The part of the noise that counts for a beacon that moves.
        var movingNoise = 0.6
    }

    var parameters = Parameters()

    /// The signal of a room without one, in dBm: no receiver receives less.
    static let floor = -105.0

    /// A lead of more dB than this is no surer.
    private static let longestLead = 20.0

    /// However still a beacon lies, a lead beyond this counts: else a first room that was wrong would stay. On the recordings
    /// six dB change nothing.
    private static let largestBias = 10.0

    /// The time between an arrival and its first room: the observations of several receivers arrive within it.
    private static let firstWait = Nanoseconds.second * 3 / 2

    /// The step of the sum, and how much is added up at most at once: a signal that old says nothing.
    private static let step = Nanoseconds.second / 2
    private static let longestSum = 60 * Nanoseconds.second

    /// A receiver that hears so many dB less than the nearest of its room counts half as much.
    private static let halving = 1.5

    /// The rate at which the evidence for a room that is not received any more fades, in dB, and the signal of a dead
    /// receiver.
    private static let fading = 3.0
    private static let deadFading = 0.25

    private struct Receiver: Sendable {
        var node: String
        var room: Int
        var level: Double
        var noise: Double
        var slow: Double
        var variance = 0.0
        /// Since nothing came of it: what it said last counts less and less.
        var isDark = false
        var heardAt: Int64
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

    /// The time at which ``advanced(to:)`` is next needed; `nil` while nothing is to be decided.
    var nextDeadline: Int64? {
        guard !receivers.isEmpty else { return nil }
        let isOpen =
            published == nil || evidence.contains { $0 > 0 } || receivers.contains { $0.isDark || $0.room != published }
        return isOpen ? last.addingClamped(Self.step) : nil
    }
}

extension RoomEstimator {
    /// A receiver's signal.
    ///
    /// - Parameters:
    ///   - signal: in dBm; nil: it hears nothing.
    ///   - spread: its noise in dB.
    mutating func heard(by node: String, in room: String, signal: Double?, spread: Double?, at now: Int64) {
        advance(to: now)
        let index = receivers.firstIndex { $0.node == node }
        guard let signal else {
            if let index { receivers.remove(at: index) }
            return
        }
        let place = position(of: room)
        let noise = min(20, max(0.5, spread ?? 2.5))
        if let index {
            receivers[index].level = signal
            receivers[index].noise = noise
            receivers[index].room = place
            receivers[index].isDark = false
            receivers[index].heardAt = now
        } else {
            receivers.append(
                Receiver(node: node, room: place, level: signal, noise: noise, slow: signal, heardAt: now))
        }
        if began == nil { began = now }
    }

    /// Handles that the signal at a node is not known any more.
    mutating func lost(_ node: String, at now: Int64) {
        advance(to: now)
        guard let index = receivers.firstIndex(where: { $0.node == node }) else { return }
        receivers[index].isDark = true
    }

    /// A receiver is not inside, or no more: it hears nothing.
    mutating func forgot(_ node: String, at now: Int64) {
        advance(to: now)
        receivers.removeAll { $0.node == node }
    }

    /// Time went on.
    mutating func advanced(to now: Int64) { advance(to: now) }

    private mutating func position(of room: String) -> Int {
        if let place = rooms.firstIndex(of: room) { return place }
        if rooms.count >= Self.roomLimit { removeEmptyRooms() }
        rooms.append(room)
        evidence.append(0)
        return rooms.count - 1
    }

    /// Any client can publish room names: those without a receiver are removed.
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

    private mutating func advance(to now: Int64) {
        guard !receivers.isEmpty, now > last else {
            last = max(last, now)
            return
        }
        if now.subtractingClamped(last) > Self.longestSum { last = now.addingClamped(-Self.longestSum) }
        while last < now {
            let span = min(Self.step, now.subtractingClamped(last))
            last = last.addingClamped(span)
            forgetTheSilent()
            weigh(Nanoseconds.seconds(span))
        }
    }

    /// A receiver that has missed its refreshes is dark.
    private mutating func forgetTheSilent() {
        for index in receivers.indices
        where last.subtractingClamped(receivers[index].heardAt) > Observation.missed * Observation.insideInterval {
            receivers[index].isDark = true
        }
    }

    /// Adds up a span of so many seconds, through which every level held.
    private mutating func weigh(_ seconds: Double) {
        let ratio = motion(seconds)
        let (levels, noises) = signals()
        guard let published else {
            guard let began, last.subtractingClamped(began) >= Self.firstWait else { return }
            self.published = levels.indices.max { levels[$0] ?? -.infinity < levels[$1] ?? -.infinity }
            return
        }
        let scale = min(
            max(Self.power(parameters.motion / ratio, parameters.power), parameters.scale.lowerBound),
            parameters.scale.upperBound)
        let part = parameters.movingNoise + (1 - parameters.movingNoise) * min(1, max(0, (scale - 1) / 2))
        var best: (room: Int, surplus: Double)?
        for room in rooms.indices where room != published {
            guard let level = levels[room] else {
                evidence[room] = max(0, evidence[room] - Self.fading * seconds)
                continue
            }
            let noise = part * (noises[room] * noises[room] + noises[published] * noises[published]).squareRoot()
            let lead = min(Self.longestLead, level - (levels[published] ?? Self.floor))
            let bias = min(Self.largestBias, (parameters.bias + parameters.biasOfNoise * noise) * scale)
            evidence[room] = max(0, evidence[room] + (lead - bias) * seconds)
            let surplus = evidence[room] / ((parameters.threshold + parameters.thresholdOfNoise * noise) * scale)
            if surplus >= 1, surplus > best?.surplus ?? 0 { best = (room, surplus) }
        }
        guard let best else { return }
        self.published = best.room
        for room in evidence.indices { evidence[room] = 0 }
    }

    /// The signal of each room, in dBm, and its noise: the mean of its receivers, weighted by their signals. So the
    /// nearest counts most, and where several hear the beacon equally well their noise is less than that of one.
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

    /// Two to the power of `exponent`, within six of a hundred.
    private static func powerOfTwo(_ exponent: Double) -> Double {
        let whole = exponent.rounded(.down)
        return Double(sign: .plus, exponent: Int(whole), significand: 1 + exponent - whole)
    }

    /// Returns the movement of the beacon beyond its noise.
    private mutating func motion(_ seconds: Double) -> Double {
        let weight = seconds / (seconds + parameters.memory)
        var swing = 0.0
        var noise = 0.0
        for index in receivers.indices {
            if receivers[index].isDark {
                receivers[index].level -= Self.deadFading * seconds
                continue
            }
            let distance = receivers[index].level - receivers[index].slow
            receivers[index].variance += weight * (distance * distance - receivers[index].variance)
            receivers[index].slow += weight * distance
            swing += receivers[index].variance
            noise += receivers[index].noise * receivers[index].noise + 1
        }
        receivers.removeAll { $0.level < Self.floor }
        return noise > 0 ? max(0.05, swing / noise) : 1
    }

    /// `base` to the power of `exponent`, of halves: nothing is imported that could do more.
    private static func power(_ base: Double, _ exponent: Double) -> Double {
        var result = 1.0
        for _ in 0..<Int(exponent) { result *= base }
        return exponent - exponent.rounded(.down) >= 0.5 ? result * base.squareRoot() : result
    }
}
