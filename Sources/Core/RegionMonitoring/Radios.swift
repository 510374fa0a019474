import OkaeriPlumbing

/// The radios of a house, each with the clock of its listening.
///
/// A beacon is silent as long as the least of its radios has listened to its silence. While one of its radios is away, or its reports
/// are missing, the others decide, each by what it has learned of the beacon alone. So neither the loss nor the return of a radio ends a
/// presence.
struct Radios: Sendable {
    struct Radio: Sendable {
        let name: String
        var clock: ListeningClock
        /// Whether it is gone. A new radio counts as gone until it is found. A pause of its scan does not count.
        var isLost = true
        /// Since when it is gone.
        var lostSince: Instant
        /// The end of the time of which the radio has reported; the maximum for one whose receptions come at once. Its clock goes no
        /// further: what it received since then is not known yet.
        var horizon = Instant(nanoseconds: .max)

        /// The time between two reports of a beacon that it receives all the time, in nanoseconds; zero for a radio that reports each
        /// reception.
        var interval: Int64 = 0

        /// Whether it reports a beacon now and then only.
        var isSparse: Bool { interval > 0 }

        var isListening: Bool { clock.pausedAt == nil }

        /// The time until its reports count as missing if none comes, in nanoseconds; the maximum for a radio whose receptions come at once.
        func untilMissing(at now: Instant) -> Int64 {
            guard horizon.nanoseconds < .max else { return .max }
            return horizon.nanoseconds.addingClamped(Radios.longestInterval).subtractingClamped(now.nanoseconds)
        }

        /// Whether it listens, and its reports come.
        func isReporting(at now: Instant) -> Bool { isListening && untilMissing(at: now) >= 0 }

        func reading(at now: Instant) -> ListeningClock.Reading { clock.reading(at: min(now, horizon)) }

        @inline(__always)
        private func readingForJudgement(at now: Instant) -> ListeningClock.Reading {
            clock.readingForJudgement(at: min(now, horizon))
        }

        /// Returns the time until a silence that began at a reading reaches its limit.
        @inline(__always)
        func remaining(
            since start: ListeningClock.Reading, at now: Instant, _ isJudged: Bool, _ limit: SilenceLimit
        ) -> Int64 {
            let reading = isJudged ? readingForJudgement(at: now) : reading(at: now)
            let remaining = reading.remaining(of: limit, since: start)
            guard let end = clock.instant(after: remaining, of: limit.clock, from: min(now, horizon)) else {
                return remaining > 0 ? .max : remaining
            }
            let wait = end.nanoseconds.subtractingClamped(now.nanoseconds)
            return remaining > 0 ? max(wait, now > horizon ? Radios.reportWait : 1 as Int64) : min(wait, 0)
        }
    }

    /// The time until a silence is judged again that waits for a radio's report, in nanoseconds.
    fileprivate static let reportWait: Int64 = 250_000_000

    /// The monitor's own one, apart from the others: a house with one radio never uses the array.
    private var own: Radio
    private var others: [Radio] = []
    private var positions: [String: Int] = [:]
    /// The positions of radios that do not come back, for other ones.
    private var free: [Int] = []

    /// Creates the radios with the monitor's own one alone.
    init(pausedAt now: Instant) {
        own = Radio(name: "", clock: ListeningClock(pausedAt: now), lostSince: now)
    }

    subscript(radio: Int) -> Radio {
        @inline(__always) _read {
            if radio == 0 { yield own } else { yield others[radio - 1] }
        }
        @inline(__always) _modify {
            if radio == 0 { yield &own } else { yield &others[radio - 1] }
        }
    }

    // Each report uses these: the path of the own radio is inlined, that of the others is a call.

    @inline(__always)
    func isLost(_ radio: Int) -> Bool { radio == 0 ? own.isLost : others[radio - 1].isLost }

    @inline(__always)
    func isListening(_ radio: Int) -> Bool { radio == 0 ? own.isListening : others[radio - 1].isListening }

    private func isReporting(_ radio: Int, at now: Instant) -> Bool {
        radio == 0 ? own.isListening : others[radio - 1].isReporting(at: now)
    }

    /// Whether a radio reports a beacon now and then only; the own one reports each reception.
    @inline(__always)
    func isSparse(_ radio: Int) -> Bool { radio != 0 && others[radio - 1].isSparse }

    func isAnySparse(of start: SilenceStart) -> Bool {
        isSparse(start.radio) || start.others.contains { isSparse($0.radio) }
    }

    /// The time between two reports of a sparse radio, in nanoseconds; zero for one that reports each reception.
    func interval(of radio: Int) -> Int64 { radio == 0 ? 0 : others[radio - 1].interval }

    @inline(__always)
    func reading(of radio: Int, at now: Instant) -> ListeningClock.Reading {
        radio == 0 ? own.clock.reading(at: now) : readingOfOther(radio, at: now)
    }

    /// The reading of a radio's clock, also beyond the time of which it has reported.
    ///
    /// A reading through the subscript, behind a change through it in the same function, used the radio after its end in an optimized
    /// build with the address sanitizer (Swift 6.3).
    func clockReading(of radio: Int, at now: Instant) -> ListeningClock.Reading {
        radio == 0 ? own.clock.reading(at: now) : others[radio - 1].clock.reading(at: now)
    }

    /// Records a reception. Returns whether the radio was deaf until then, and its clock.
    ///
    /// - Parameter key: The device, or `nil` for one whose silence does not prove deafness.
    @inline(__always)
    mutating func heard(
        from key: UInt64?, by radio: Int, at now: Instant
    ) -> (wasDeaf: Bool, listened: ListeningClock.Reading) {
        guard radio == 0 else { return heardByOther(radio, from: key, at: now) }
        return own.clock.heard(from: key, at: now)
    }

    @inline(never)
    private func readingOfOther(_ radio: Int, at now: Instant) -> ListeningClock.Reading {
        others[radio - 1].reading(at: now)
    }

    @inline(never)
    private mutating func heardByOther(
        _ radio: Int, from key: UInt64?, at now: Instant
    ) -> (wasDeaf: Bool, listened: ListeningClock.Reading) {
        others[radio - 1].clock.heard(from: key, at: now)
    }

    /// Whether there are other radios than the own one.
    var areSeveral: Bool { !others.isEmpty }

    var isAnyPresent: Bool { !own.isLost || others.contains { !$0.isLost } }

    /// The position of a radio; a new one is lost until it is found. The caller limits the number of names.
    mutating func position(of name: String, at now: Instant) -> Int {
        if let known = positions[name] { return known }
        let radio = Radio(name: name, clock: ListeningClock(pausedAt: now), lostSince: now)
        if let position = free.popLast() {
            others[position - 1] = radio
            positions[name] = position
        } else {
            others.append(radio)
            positions[name] = others.count
        }
        return positions[name] ?? others.count
    }

    func known(_ name: String) -> Int? { positions[name] }

    /// The names of the others, in order.
    var names: [String] { positions.keys.sorted() }

    /// Frees the position of a radio that does not come back and that no silence contains any more.
    mutating func release(_ radio: Int) {
        guard radio != 0, positions.removeValue(forKey: others[radio - 1].name) != nil else { return }
        free.append(radio)
    }

    /// The begin of the listening of all radios that are present, or of the own one.
    func start(at now: Instant) -> SilenceStart {
        let present = (0...others.count).filter { !self[$0].isLost }
        let first = present.first ?? 0
        return SilenceStart(
            at: now, radio: first, reading: reading(of: first, at: now),
            others: present.dropFirst().map { .init(radio: $0, reading: reading(of: $0, at: now)) })
    }

    /// Returns the names of the radios that received a sign's beacons last; none if the own one alone did, or the sign waits for none.
    func names(of sign: SignTracker) -> [String] {
        guard sign.lastKnown == .inside, sign.state == .inside || sign.awaitsRadios else { return [] }
        let parts = sign.silentSince.parts.prefix(RadioReception.most)
        return parts.allSatisfy { $0.radio == 0 } ? [] : parts.map { self[$0.radio].name }
    }

    /// Returns a silence whose radios are those with these names, which are found later; `nil` without names.
    mutating func awaited(_ names: [String], at now: Instant) -> SilenceStart? {
        let all = names.prefix(RadioReception.most).map { $0.isEmpty ? 0 : position(of: $0, at: now) }
        let parts = all.map { SilenceStart.Part(radio: $0, reading: reading(of: $0, at: now)) }
        return parts.first.map {
            SilenceStart(at: now, radio: $0.radio, reading: $0.reading, others: Array(parts.dropFirst()))
        }
    }

    /// The time for which a radio that is gone is waited for: it does not come back.
    private static let patience: Int64 = 86_400_000_000_000

    /// Returns the time until the first of a silence's radios, which are all gone, is not waited for any longer.
    func wait(for start: SilenceStart, at now: Instant) -> Int64 {
        start.parts.filter { $0.radio != 0 && self[$0.radio].isLost }
            .map { max(1, Self.patience - now.nanoseconds.subtractingClamped(self[$0.radio].lostSince.nanoseconds)) }
            .min() ?? .max
    }

    /// Whether a silence's radio is not waited for any longer.
    func isOver(_ radio: Int, at now: Instant) -> Bool {
        radio != 0 && self[radio].isLost
            && now.nanoseconds.subtractingClamped(self[radio].lostSince.nanoseconds) >= Self.patience
    }

    /// Whether all radios of a silence are lost.
    func areLost(of start: SilenceStart) -> Bool {
        isLost(start.radio) && start.others.allSatisfy { isLost($0.radio) }
    }

    @inline(__always)
    func isAnyListening(to start: SilenceStart) -> Bool {
        isListening(start.radio) || start.others.contains { isListening($0.radio) }
    }

    /// Returns the length of a silence in listening time: that of the radio that has listened least, of those that listen now.
    ///
    /// - Parameter tolerance: The longest deaf time that is subtracted from it.
    @inline(__always)
    func silence(since start: SilenceStart, at now: Instant, tolerance: @autoclosure () -> Int64) -> Int64 {
        let own = reading(of: start.radio, at: now).silence(since: start.reading, tolerance: tolerance())
        guard !start.others.isEmpty else { return own }
        let tolerance = tolerance()
        return least(of: start, at: now) {
            reading(of: $0.radio, at: now).silence(since: $0.reading, tolerance: tolerance)
        }
    }

    /// Returns the length of a silence on the clock of a limit.
    func silence(since start: SilenceStart, at now: Instant, by limit: SilenceLimit) -> Int64 {
        least(of: start, at: now) { reading(of: $0.radio, at: now).silence(since: $0.reading, by: limit) }
    }

    /// Returns the same by the radios that report each reception: the clock of a sparse one stands still between its reports. `nil`
    /// without such a radio.
    func promptSilence(since start: SilenceStart, at now: Instant, tolerance: Int64) -> Int64? {
        start.parts.lazy.filter { !isSparse($0.radio) && isReporting($0.radio, at: now) }
            .map { reading(of: $0.radio, at: now).silence(since: $0.reading, tolerance: tolerance) }.min()
    }

    private func least(of start: SilenceStart, at now: Instant, _ value: (SilenceStart.Part) -> Int64) -> Int64 {
        let deciding = deciding(of: start, at: now)
        var least = Int64.max
        if decides(start.radio, deciding, at: now) { least = value(start.first) }
        for part in start.others where decides(part.radio, deciding, at: now) { least = min(least, value(part)) }
        return least
    }

    /// The radios of a silence that decide.
    private enum Deciding {
        /// Those whose reports come.
        case reporting
        /// Those that listen, of which no report comes.
        case listening
        /// All, of which none listens.
        case all
    }

    private func deciding(of start: SilenceStart, at now: Instant) -> Deciding {
        if isReporting(start.radio, at: now) || start.others.contains(where: { isReporting($0.radio, at: now) }) {
            return .reporting
        }
        return isAnyListening(to: start) ? .listening : .all
    }

    private func decides(_ radio: Int, _ deciding: Deciding, at now: Instant) -> Bool {
        switch deciding {
        case .reporting: isReporting(radio, at: now)
        case .listening: isListening(radio)
        case .all: true
        }
    }

    /// Returns the time until a silence reaches its limit if no radio is deaf from now on, in nanoseconds; zero or less when it is
    /// reached, the maximum while no radio of the beacon listens and it is not reached.
    ///
    /// - Parameters:
    ///   - isJudged: Whether a deaf receiver is taken to remain so until a reception.
    ///   - limit: Returns the limit of the union of the beacon's radios (`nil`), or of one of them.
    func remaining(
        since start: SilenceStart, at now: Instant, isJudged: Bool = false, _ limit: (_ radio: Int?) -> SilenceLimit
    ) -> Int64 {
        guard !start.others.isEmpty else {
            let union = limit(nil)
            let own = isSparse(start.radio) ? waiting(max(union, limit(start.radio)), for: start.radio) : union
            return remaining(of: start.first, at: now, isJudged, own)
        }
        let deciding = deciding(of: start, at: now)
        let isWhole =
            deciding != .all && decides(start.radio, deciding, at: now)
            && start.others.allSatisfy { decides($0.radio, deciding, at: now) }
        let all = isWhole ? limit(nil) : nil
        let sparse = all.flatMap { limitOfSparse(start, $0, limit) }
        var end = JointEnd()
        if decides(start.radio, deciding, at: now) {
            add(start.first, at: now, isJudged, all.map { isSparse(start.radio) ? sparse ?? $0 : $0 }, limit, to: &end)
        }
        for part in start.others where decides(part.radio, deciding, at: now) {
            add(part, at: now, isJudged, all.map { isSparse(part.radio) ? sparse ?? $0 : $0 }, limit, to: &end)
        }
        return deciding == .reporting ? end.soonest : end.longest
    }

    /// Returns the same where the limit is that of all radios. The path of the own radio alone is inlined.
    ///
    /// Mutating, because radios that must not change would be copied for the call.
    @inline(__always)
    mutating func remaining(
        since start: SilenceStart, at now: Instant, isJudged: Bool, limit: SilenceLimit
    ) -> Int64 {
        start.isOwn
            ? own.remaining(since: start.reading, at: now, isJudged, limit)
            : remaining(since: start, at: now, isJudged: isJudged) { _ in limit }
    }

    /// Adds a radio of a silence.
    ///
    /// - Parameter joint: The limit while all radios decide; `nil`: each decides by its own one.
    private func add(
        _ part: SilenceStart.Part, at now: Instant, _ isJudged: Bool, _ joint: SilenceLimit?,
        _ limit: (_ radio: Int?) -> SilenceLimit, to end: inout JointEnd
    ) {
        let own = waiting(limit(part.radio), for: part.radio)
        let joint = joint.map { waiting($0, for: part.radio) }
        let time = remaining(of: part, at: now, isJudged, joint ?? own)
        let alone = joint.map { $0 == own } ?? true ? time : remaining(of: part, at: now, isJudged, own)
        let missing = part.radio == 0 ? .max : others[part.radio - 1].untilMissing(at: now).addingClamped(1)
        end.add(time, alone: alone, untilMissing: missing)
    }

    /// The end of a silence by all of its radios that decide, or by fewer of them: the others decide as soon as the reports of one are
    /// missing. In nanoseconds from now.
    private struct JointEnd {
        private(set) var longest = Int64.min
        /// The time at which each radio has reached its own limit or is missing, and the first at which one has reached its limit.
        private var (each, first) = (Int64.min, Int64.max)
        private var missing = Int64.max

        mutating func add(_ time: Int64, alone: Int64, untilMissing: Int64) {
            longest = max(longest, time)
            (each, first) = (max(each, min(alone, untilMissing)), min(first, alone))
            missing = min(missing, untilMissing)
        }

        /// The earliest time at which the silence may end.
        var soonest: Int64 { longest > 0 ? min(longest, max(each, first, missing)) : longest }
    }

    /// The longest time for which the next report of a radio is waited for, in nanoseconds: one that scans ten seconds of sixty-five, or
    /// that sends nothing for minutes while nothing is near, does not delay an exit that the others have decided.
    fileprivate static let longestInterval: Int64 = 10_000_000_000

    /// The time for which the next report of a sparse radio is waited for.
    private func wait(for interval: Int64) -> Int64 { min(interval.addingClamped(interval / 2), Self.longestInterval) }

    /// Returns a limit that does not end before the next report of a sparse radio: a configured time may be shorter.
    private func waiting(_ limit: SilenceLimit, for radio: Int) -> SilenceLimit {
        guard isSparse(radio) else { return limit }
        var limit = limit
        limit.length = max(limit.length, wait(for: interval(of: radio)))
        return limit
    }

    /// Returns the limit of the silence at the sparse radios of a beacon; `nil` without one.
    ///
    /// The union's silences are those of the other radios, of which some receive each advertisement: a pause between two reports is not
    /// one of them. Without another radio the most reliable of the sparse ones decides, by what it has learned itself.
    private func limitOfSparse(
        _ start: SilenceStart, _ union: SilenceLimit, _ limit: (_ radio: Int?) -> SilenceLimit
    ) -> SilenceLimit? {
        let sparse = start.parts.filter { isSparse($0.radio) }
        guard let longest = sparse.map({ interval(of: $0.radio) }).max(), union.clock == .listening else { return nil }
        guard sparse.count == start.others.count + 1 else {
            var extended = union
            extended.length = union.length.addingClamped(wait(for: longest))
            return extended
        }
        return sparse.map { limit($0.radio) }.min().map { max(union, $0) }
    }

    /// Without the subscript, whose coroutine would allocate for each judgement.
    private func remaining(
        of part: SilenceStart.Part, at now: Instant, _ isJudged: Bool, _ limit: SilenceLimit
    ) -> Int64 {
        part.radio == 0
            ? own.remaining(since: part.reading, at: now, isJudged, limit)
            : others[part.radio - 1].remaining(since: part.reading, at: now, isJudged, limit)
    }
}

/// The begin of a silence: the last reception of a beacon, or the begin of the listening; and the clocks of its radios at that time.
struct SilenceStart: Sendable {
    struct Part: Sendable {
        var radio: Int
        var reading: ListeningClock.Reading
    }

    var at: Instant
    /// The radio that received the beacon last, and its clock.
    var radio: Int
    var reading: ListeningClock.Reading
    /// The other radios that received it lately.
    var others: [Part] = []

    /// Begins anew, at one radio alone.
    @inline(__always)
    mutating func begin(at now: Instant, radio: Int, reading: ListeningClock.Reading) {
        (at, self.radio, self.reading) = (now, radio, reading)
        if !others.isEmpty { others = [] }
    }

    /// Whether the monitor's own radio alone has received the beacon.
    @inline(__always)
    var isOwn: Bool { radio == RadioID.own.position && others.isEmpty }

    var first: Part { Part(radio: radio, reading: reading) }

    /// All radios of the beacon.
    var parts: [Part] { [first] + others }

    /// Whether it is the same silence as another one, of the same long list of radios: signs that are unknown share it.
    func isShared(with other: SilenceStart) -> Bool {
        guard others.count > RadioReception.most, others.count == other.others.count, at == other.at,
            radio == other.radio, reading == other.reading
        else { return false }
        return unsafe others.withUnsafeBufferPointer { own in
            unsafe other.others.withUnsafeBufferPointer { unsafe own.baseAddress == $0.baseAddress }
        }
    }

    func part(of radio: Int) -> Part? {
        radio == self.radio ? first : others.first { $0.radio == radio }
    }

    /// Adds a radio, or sets its clock.
    mutating func include(_ part: Part) {
        if self.part(of: part.radio) != nil { restart(part.radio, at: part.reading) } else { others.append(part) }
    }

    /// Sets the clock of one of the radios: only its listening from then on counts.
    mutating func restart(_ radio: Int, at reading: ListeningClock.Reading) {
        if radio == self.radio { self.reading = reading }
        for index in others.indices where others[index].radio == radio { others[index].reading = reading }
    }

    /// Removes a radio. Returns false if no other one is left.
    mutating func remove(_ radio: Int) -> Bool {
        others.removeAll { $0.radio == radio }
        guard radio == self.radio else { return true }
        guard let next = others.first else { return false }
        others.removeFirst()
        (self.radio, reading) = (next.radio, next.reading)
        return true
    }
}

/// A radio of the house, by its position in the monitor that returned it.
public struct RadioID: Hashable, Sendable {
    @usableFromInline let position: Int

    @inlinable
    init(position: Int) { self.position = position }

    /// The monitor's own adapter.
    @inlinable
    public static var own: RadioID { RadioID(position: 0) }
}
