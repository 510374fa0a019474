import IBeacon
import OkaeriPlumbing
import OkaeriPresence
package import OkaeriReceivers
import RegionMonitoring

/// The receivers of one make, as the configuration names them.
package struct ReceiverSettings: Hashable, Sendable {
    /// The place of a receiver.
    package struct Place: Hashable, Sendable {
        package var room: String?
        /// The correction that is added to its signals, in dB.
        package var offset: Double

        package init(room: String?, offset: Double = 0) { (self.room, self.offset) = (room, offset) }
    }

    package var topics: ReceiverTopics
    /// The places by the receivers' own names; `nil`: each receiver is used, and is in a room of its own name.
    package var rooms: [String: Place]?

    package init(_ topics: ReceiverTopics, rooms: [String: Place]? = nil) {
        (self.topics, self.rooms) = (topics, rooms)
    }

    /// The place of a receiver; `nil` for one that is not used.
    func place(of name: String) -> Place? { rooms.map { $0[name] } ?? Place(room: name) }
}

/// A receiver of another make: one more radio of the house.
///
///     found → present     it reports, or sends figures about itself
///     present → away      its last will, or a long time without a message
///     away → present      its next message
///
/// A retained message is neither a reception nor a sign of life. A message shows that the receiver is not away; that it scans is shown only
/// by a reception, or by figures about its scan. The time in which it has listened ends at the last of these: what it receives behind that
/// is not known, so a receiver that is quiet without a last will, or whose scan stands still, lengthens no silence.
struct ForeignReceiver: Sendable {
    /// The time between two reports to the engine while a wanted sender is there, otherwise, and for one that was not there.
    private static let (interval, idleInterval) = (Nanoseconds.second, 5 * Nanoseconds.second)
    private static let promptness: Int64 = 50_000_000

    /// The time after a reception in which the engine waits for each report.
    private static let attention = 120 * Nanoseconds.second

    /// The time after which a sender counts as new.
    private static let absence = 10 * Nanoseconds.second

    /// The number of receptions, of battery levels and of other devices between two reports, and of senders that are followed.
    private static let (receptionLimit, levelLimit, otherLimit, senderLimit) = (256, 32, 64, 256)

    /// The time in which a receiver does not get back an address in the network that it had before another one.
    private static let addressTime = 300 * Nanoseconds.second

    /// The number of messages at once, behind a link that stood still.
    private static let messageBurst: Int64 = 250

    let make: ReceiverMake
    /// Its own name.
    let name: String
    /// Its name among the radios of the house.
    let key: String
    let place: ReceiverSettings.Place

    private(set) var isAway = true
    /// The time of the last message that was not retained; `nil` before the first.
    private(set) var lastSign: Int64?
    private(set) var rate: ReceptionRate
    private(set) var rejected: [ReceiverRejection: UInt64] = [:]
    private(set) var intervals: ReportInterval
    /// The part of the time in which it scans, as it reports; `nil` without such a message.
    private(set) var share: Double?
    /// Whether it reports that it does not scan, or that it received no advertisement at all.
    private var isDeaf = false
    /// Whether a message has shown that it scans.
    private var hasScanned = false
    /// The last count of the advertisements that it has received since its start; `nil` before the first.
    private var processed: Int?
    /// The time of the next report to the engine, or the maximum.
    private(set) var due = Int64.max
    /// The number of reports that the engine did not receive.
    private(set) var lost: UInt64 = 0

    /// Each device within its range has a message.
    private var admission = HeardAdmission(pause: Nanoseconds.second / 50, burst: messageBurst)
    private var receptions: [Reception] = []
    private var levels: [BeaconBattery] = []
    private var others: Set<UInt64> = []
    private var heardAt: Int64?
    /// Its address in the network, the one before, and the time of the change.
    private var host: (present: UInt64, former: UInt64?, since: Int64)?
    private var present: [BeaconIdentity: Int64] = [:]
    /// The end of the time of which the engine knows, and the end of the time in which the receiver has listened.
    private var (reportedAt, until) = (Int64(0), Int64(0))
    /// The time of the last report, or the time from which the receiver counts as listening.
    private var turnAt = Int64(0)
    /// Whether the next report is that of a sender that was not there.
    private var isPrompt = false

    init(_ make: ReceiverMake, name: String, key: String, place: ReceiverSettings.Place, at now: Int64) {
        (self.make, self.name, self.key, self.place) = (make, name, key, place)
        (rate, intervals) = (ReceptionRate(at: now), ReportInterval(usual: make.usualInterval))
    }

    /// The time from which on it is away; the maximum if it is.
    var awayAt: Int64 {
        guard !isAway, let lastSign else { return .max }
        return lastSign.addingClamped(make.patience * Nanoseconds.second)
    }

    mutating func admits(at now: Int64) -> Bool {
        if admission.admits(at: now) { return true }
        reject(.tooMany)
        return false
    }

    mutating func reject(_ reason: ReceiverRejection) {
        rejected[reason] = (rejected[reason] ?? 0).addingReportingOverflow(1).partialValue
    }

    mutating func wasDropped() { lost = lost.addingReportingOverflow(1).partialValue }

    /// Whether it is online and does not scan, as far as its messages show.
    func isDeaf(at now: Int64) -> Bool { !isAway && (isDeaf || hasScanned && isUnconfirmed(at: now)) }

    /// Whether it is so long ago that a message has shown its scan that the time since then does not count as listened.
    private func isUnconfirmed(at now: Int64) -> Bool {
        now.subtractingClamped(until) > make.scanPatience * Nanoseconds.second
    }

    /// Handles a message that was not retained: the receiver is not away. Whether it scans is not known.
    mutating func signOfLife(at now: Int64) {
        lastSign = now
        if isAway { (isAway, reportedAt, until, turnAt) = (false, now, now, now) }
    }

    /// Handles a message that shows that it scans, and has listened since the last one.
    mutating func scanConfirmed(at now: Int64) {
        signOfLife(at: now)
        if isDeaf || isUnconfirmed(at: now) { (reportedAt, turnAt) = (now, now) }
        (isDeaf, hasScanned, until) = (false, true, max(until, now))
        reports(at: nextTurn(at: now))
    }

    /// Handles a message that shows that it does not scan.
    private mutating func scanStopped(at now: Int64) {
        signOfLife(at: now)
        isDeaf = true
        reports(at: nextTurn(at: now))
    }

    /// Handles that it has just connected to the broker: it did not listen for some time.
    mutating func connected(at now: Int64) {
        signOfLife(at: now)
        (reportedAt, until, turnAt) = (now, now, now)
    }

    mutating func telemetryReceived(_ telemetry: ReceiverPayload.Telemetry, at now: Int64) {
        if let host = telemetry.host { published(from: host, at: now) }
        if let share = telemetry.share { self.share = share }
        switch isScanning(by: telemetry) {
        case true?: scanConfirmed(at: now)
        case false?: scanStopped(at: now)
        case nil: signOfLife(at: now)
        }
    }

    /// Returns whether figures show that it scans; `nil` if they show neither.
    private mutating func isScanning(by telemetry: ReceiverPayload.Telemetry) -> Bool? {
        if let scans = telemetry.scans ?? telemetry.adverts.map({ $0 > 0 }) { return scans }
        guard let count = telemetry.processed else { return nil }
        defer { processed = count }
        return processed.flatMap { $0 == count ? nil : true }
    }

    /// Handles the address in the network that it reports. Two receivers of one name take turns.
    private mutating func published(from address: UInt64, at now: Int64) {
        guard address != host?.present else { return }
        if let host, address == host.former, now.subtractingClamped(host.since) < Self.addressTime {
            reject(.duplicate)
        }
        host = (address, host?.present, now)
    }

    /// Handles that it is gone. Returns whether it was present.
    mutating func left() -> Bool {
        guard !isAway else { return false }
        (isAway, due, isPrompt, heardAt, isDeaf, hasScanned) = (true, .max, false, nil, false, false)
        (receptions, levels, others, present) = ([], [], [], [:])
        return true
    }

    /// Handles receptions of a message, behind ``scanConfirmed(at:)``.
    mutating func received(_ reception: Reception, battery: UInt8?, at now: Int64) {
        rate.received(at: now)
        guard receptions.count < Self.receptionLimit else { return }
        receptions.append(reception)
        var isNew = heardAt.map { now.subtractingClamped($0) > Self.absence } ?? true
        heardAt = now
        if case .beacon(let identity, _) = reception.sender {
            let known = present[identity]
            isNew = known.map { now.subtractingClamped($0) > Self.absence } ?? true
            if known != nil || present.count < Self.senderLimit { present[identity] = now }
            if let battery, levels.count < Self.levelLimit {
                levels.append(
                    BeaconBattery(identity: identity, percent: battery, source: .advertised, received: reception.time))
            }
        }
        let next = isNew ? now.addingClamped(Self.promptness) : max(now, turnAt.addingClamped(Self.interval))
        reports(at: next, isPrompt: isNew)
    }

    mutating func otherReceived(_ key: UInt64) {
        if others.count < Self.otherLimit { others.insert(key) }
    }

    /// - Parameter isWanted: Whether a region has the sender.
    mutating func sampled(_ sender: UInt64, isWanted: Bool, at now: Int64) {
        intervals.received(sender, isWanted: isWanted, at: now)
    }

    /// The time at which it reports, or from which on it is away.
    var deadline: Int64 { min(due, awayAt) }

    /// Whether it is its turn to report. A sender that was not there causes no turn.
    func isDue(at now: Int64) -> Bool { due <= now && !isPrompt && !isAway }

    /// Returns the report that is due, or that ends before the receiver is away.
    ///
    /// - Parameter isTurn: Whether another receiver reports, so that this one does, too, if it would in the next second.
    mutating func report(at now: Int64, isTurn: Bool) -> RadioReport? {
        guard due <= (isTurn ? now.addingClamped(Self.interval) : now), !isAway else { return nil }
        defer {
            (reportedAt, turnAt, due, isPrompt) = (until, now, .max, false)
            (receptions, levels, others) = ([], [], [])
        }
        return RadioReport(
            from: Instant(nanoseconds: min(reportedAt, until)), until: Instant(nanoseconds: until),
            share: isDeaf ? 0 : 1, others: others.count, receptions: receptions.sorted { $0.time < $1.time },
            batteries: levels, interval: intervals.ofSparse)
    }

    private mutating func reports(at time: Int64, isPrompt: Bool = false) {
        if time < due { (due, self.isPrompt) = (time, isPrompt) }
    }

    /// Returns the time of its next report. Without receptions, it counts from the end of the reported time: reports are missing when that
    /// is ten seconds ago.
    private func nextTurn(at now: Int64) -> Int64 {
        let isAwaited = heardAt.map { now.subtractingClamped($0) < Self.attention } ?? false
        let next =
            isAwaited ? turnAt.addingClamped(Self.interval) : reportedAt.addingClamped(Self.idleInterval)
        return max(now, next)
    }
}

/// The time between two reports of the same device by a receiver: the median of the last ones.
///
/// It follows a sample of the devices, in which those of the regions have a place. A device that is not among them does not change the sample,
/// so that a crowd around the receiver does not prevent the measurement.
struct ReportInterval: Sendable {
    private static let (kept, senders) = (31, 64)

    /// The time after which another device may have the place of one that is not reported any more: devices take a new address every quarter
    /// of an hour.
    private static let absence = 300 * Nanoseconds.second

    /// The interval from which on a receiver counts as one that reports now and then.
    private static let sparse = Nanoseconds.second * 5 / 2

    /// The interval of its make, in nanoseconds, which counts before another one is measured.
    private let usual: Int64

    private var last: [UInt64: (time: Int64, isWanted: Bool)] = [:]
    private var intervals: [Int64] = []
    private var next = 0
    /// In nanoseconds; `nil` before there is one.
    private(set) var median: Int64?

    /// - Parameter usual: The interval of its make, in seconds.
    init(usual: Int64) { self.usual = usual * Nanoseconds.second }

    /// The interval for the engine, in whole seconds, so that it does not change all the time.
    var ofSparse: Duration {
        let median = median ?? usual
        guard median >= Self.sparse else { return .zero }
        return .seconds(min(600, max(1, (median + Nanoseconds.second / 2) / Nanoseconds.second)))
    }

    /// - Parameter isWanted: Whether a region has the sender.
    mutating func received(_ sender: UInt64, isWanted: Bool, at now: Int64) {
        let before = last[sender]?.time
        guard before != nil || makeRoom(isWanted: isWanted, at: now) else { return }
        last[sender] = (now, isWanted)
        guard let before, now > before else { return }
        let interval = now.subtractingClamped(before)
        if intervals.count < Self.kept {
            intervals.append(interval)
        } else {
            intervals[next] = interval
        }
        next = (next + 1) % Self.kept
        if median == nil || next % 4 == 0 { median = intervals.sorted()[intervals.count / 2] }
    }

    /// Returns whether there is a place for a device, which may be that of the one whose last report is oldest.
    private mutating func makeRoom(isWanted: Bool, at now: Int64) -> Bool {
        guard last.count >= Self.senders else { return true }
        let oldest = last.min { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
        if let oldest, now.subtractingClamped(oldest.value.time) > Self.absence {
            last[oldest.key] = nil
            return true
        }
        guard isWanted else { return false }
        let other = last.filter { !$0.value.isWanted }.min { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
        guard let other else { return false }
        last[other.key] = nil
        return true
    }
}
