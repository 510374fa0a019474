import HCI
package import IBeacon
import OkaeriPlumbing
package import OkaeriPresence
import RegionMonitoring
import Synchronization

/// Collects what this machine's radio receives for the hub, until a message takes it.
package final class HeardCollector: Sendable {
    /// The number of senders and of receptions between two messages, and the number of senders that are known to be there.
    fileprivate static let (senderLimit, receptionLimit, presentLimit, otherLimit) = (256, 2048, 1024, 64)

    /// The time after a reception for which each second is reported: the silence of a sender decides its exit.
    private static let attention: Int64 = 120 * Nanoseconds.second

    /// The time between two messages with battery levels.
    private static let levelInterval = Duration.seconds(60)

    /// The time after which a sender counts as new.
    fileprivate static let absence: Int64 = 10 * Nanoseconds.second

    fileprivate enum Key: Hashable, Sendable {
        case beacon(BeaconIdentity)
        case device(BluetoothAddress)
    }

    fileprivate struct Guarded: Sendable {
        var matcher = RegionMatcher([])
        var wantsPhones = false
        var isWanted = false
        var entries: [Key: (sender: Reception.Sender, samples: [(rssi: Int8?, time: Instant)])] = [:]
        var count = 0
        /// The last receptions of the senders that are there.
        var present: [Key: Instant] = [:]
        var others: Set<UInt64> = []
        var number: UInt64 = 0
        var last: (time: Instant, listened: Duration)?
        /// The last reception of a wanted sender.
        var received: Instant?
        /// The time of the last message with battery levels.
        var levelsAt: Instant?
    }

    private let guarded = Mutex(Guarded())
    private let isNew: @Sendable () -> Void

    /// - Parameter isNew: Is called on the scanner's thread when a sender is received that was not there.
    init(isNew: @escaping @Sendable () -> Void) { self.isNew = isNew }

    /// Handles what the hub wants; `nil`: nothing.
    func wanted(_ wanted: WantedBeacons?) {
        guarded.withLock { guarded in
            guarded.matcher = RegionMatcher(wanted?.beacons ?? [])
            guarded.wantsPhones = wanted?.phones ?? false
            guarded.isWanted = wanted != nil
            if wanted == nil { (guarded.entries, guarded.count, guarded.last, guarded.received) = ([:], 0, nil, nil) }
            guarded.levelsAt = nil
        }
    }

    /// Handles an advertisement. Called on the scanner's thread.
    ///
    /// - Returns: The identity that stands for a wanted beacon; `nil` for other senders.
    @discardableResult package func received(_ reception: Reception) -> BeaconIdentity? {
        let (wanted, isNews) = guarded.withLock { guarded -> (BeaconIdentity?, Bool) in
            guard guarded.isWanted else { return (nil, false) }
            switch reception.sender {
            case .beacon(let identity, let measuredPower):
                if !guarded.matcher.matches(identity).isEmpty {
                    var reception = reception
                    let normal = guarded.matcher.normalized(identity)
                    reception.sender = .beacon(normal, measuredPower: measuredPower)
                    return (normal, guarded.add(.beacon(normal), reception))
                }
                guarded.other(identity.uuid.low ^ UInt64(identity.major) << 16 ^ UInt64(identity.minor))
            case .device(let address, let type):
                if guarded.wantsPhones, type == .random, address.isResolvable {
                    return (nil, guarded.add(.device(address), reception))
                }
                guarded.other(address.rawValue)
            }
            return (nil, false)
        }
        if isNews { isNew() }
        return wanted
    }

    /// Takes what was received since the last message.
    ///
    /// - Parameters:
    ///   - listened: The time in which the radio has listened so far.
    ///   - levels: Returns the battery levels that the radio received. Those since the last message with levels are passed on.
    /// - Returns: `nil` while nothing is wanted.
    func take(at now: Instant, listened: Duration, levels: () -> [BeaconBattery] = { [] }) -> HeardMessage? {
        let isLevelDue = guarded.withLock { guarded in
            guarded.isWanted && guarded.levelsAt.map { $0.duration(to: now) >= Self.levelInterval } ?? true
        }
        let levels = isLevelDue ? levels() : []
        return take(at: now, listened: listened, isLevelDue ? levels : nil)
    }

    private func take(at now: Instant, listened: Duration, _ levels: [BeaconBattery]?) -> HeardMessage? {
        guarded.withLock { guarded in
            guard guarded.isWanted else { return nil }
            defer {
                guarded.last = (now, listened)
                (guarded.entries, guarded.count, guarded.others) = ([:], 0, [])
                if guarded.present.count > Self.presentLimit / 2 {
                    guarded.present = guarded.present.filter {
                        $0.value.duration(to: now) <= .nanoseconds(Self.absence)
                    }
                }
            }
            let from = guarded.last?.time ?? now
            let passed = from.duration(to: now)
            let share = passed > .zero ? guarded.last.map { (listened - $0.listened) / passed } ?? 0 : 0
            guarded.number += 1
            return HeardMessage(
                number: guarded.number, span: from.secondsSinceStart...max(from, now).secondsSinceStart,
                share: min(max(share, 0), 1), others: guarded.others.count, entries: guarded.thinned(at: now),
                levels: levels.map { guarded.news(among: $0, at: now) } ?? [])
        }
    }

    /// Whether the hub waits for the next message: a wanted sender was received in the last two minutes.
    func isAwaited(at now: Instant) -> Bool {
        guarded.withLock { guarded in
            guarded.received.map { $0.duration(to: now) < .nanoseconds(Self.attention) } ?? false
        }
    }
}

extension HeardCollector.Guarded {
    /// Returns whether the sender is new.
    fileprivate mutating func add(_ key: HeardCollector.Key, _ reception: Reception) -> Bool {
        let known = present[key]
        let hasRoom = known != nil || present.count < HeardCollector.presentLimit
        let isNew =
            hasRoom && known.map { $0.duration(to: reception.time) > .nanoseconds(HeardCollector.absence) } ?? true
        if hasRoom { present[key] = reception.time }
        received = reception.time
        guard count < HeardCollector.receptionLimit,
            entries[key] != nil || entries.count < HeardCollector.senderLimit
        else { return false }
        entries[key, default: (reception.sender, [])].samples.append((reception.rssi, reception.time))
        count += 1
        return isNew
    }

    /// Returns the levels of wanted beacons since the last message with levels.
    fileprivate mutating func news(among levels: [BeaconBattery], at now: Instant) -> [HeardMessage.Level] {
        defer { levelsAt = now }
        return levels.filter { level in
            !matcher.matches(level.identity).isEmpty && levelsAt.map { level.received > $0 } ?? true
        }.map {
            .init(beacon: $0.identity, percent: $0.percent, age: max(0, $0.received.duration(to: now) / .seconds(1)))
        }
    }

    fileprivate mutating func other(_ key: UInt64) {
        if others.count < HeardCollector.otherLimit { others.insert(key) }
    }

    /// The receptions, of which every so many are left out if they are too many for one message.
    fileprivate func thinned(at now: Instant) -> [HeardMessage.Entry] {
        let (limit, all) = (HeardMessage.receptionLimit, count)
        var position = 0
        return entries.values.compactMap { sender, samples in
            let kept = samples.filter { _ in
                defer { position += 1 }
                return all <= limit || position * limit / all != (position + 1) * limit / all
            }
            guard !kept.isEmpty else { return nil }
            return .init(
                sender: sender,
                samples: kept.map { .init(rssi: $0.rssi, age: max(0, $0.time.duration(to: now) / .seconds(1))) })
        }
    }
}

extension Instant {
    fileprivate var secondsSinceStart: Double { max(0, Double(nanoseconds / 1_000_000) / 1000) }
}
