package import RegionMonitoring
import Plumbing
/// A node's observations of its regions and their times of publication: a change at once, the signal while it moves,
/// all of them at intervals.
///
/// A signal is published after it has moved by more than its own noise: so a beacon at rest costs a message every one
/// or two seconds, whatever the noise, and a moving one at most two a second. Measured on recordings of a flat, a
/// garage and a hall: 0.5 to 0.85 observations a second from each node that receives the beacon; windows of one second
/// instead of half a second delay the room by half a second.
///
///     announce(plan.connected(at: now))                    // the broker is there: everything
///     announce(plan.determined("home", .inside, at: now))  // the region monitor decided
///     announce(plan.heard("home", from: beacon, rssi: -61, at: now))
///     announce(plan.advanced(to: now))                     // by a timer set to plan.nextDeadline
///
/// The regions are independent of each other, and the plan does not depend on other nodes.
package struct ObservationPlan: Sendable {
    /// An observation to publish.
    package struct Publication: Hashable, Sendable {
        package var region: String
        package var observation: Observation
    }

    /// The smallest change of the signal that is published, in dB; above that the noise decides.
    private static let step = 1.0

    /// The factor by which the noise must change to be published without a change of the signal.
    private static let spreadStep = 1.5

    private var incarnation: String
    private let offset: Double
    private var sequence: UInt64 = 0
    private var regions: [String: Region] = [:]

    /// The time at which ``advanced(to:)`` is next needed. May be early, is never late.
    package private(set) var nextDeadline: Int64?

    private struct Region: Sendable {
        var state = RegionState.unknown
        var window = SignalWindow()
        var published: Observation?
        var publishedAt: Int64 = 0

        var interval: Int64 { state == .inside ? Observation.insideInterval : Observation.interval }

        var deadline: Int64? {
            guard published != nil else { return nil }
            let refresh = publishedAt.addingClamped(interval)
            guard state == .inside else { return refresh }
            let silent = window.level == nil ? nil : window.silentAt
            return min(refresh, window.closes ?? refresh, silent ?? refresh)
        }
    }

    /// - Parameters:
    ///   - incarnation: A value that is new at every start of the daemon.
    ///   - offset: The loss of this receiver, in dB, which is added to every signal.
    package init(regions: [String], incarnation: String, offset: Double = 0) {
        self.incarnation = incarnation
        self.offset = offset.isFinite ? offset : 0
        self.regions = Dictionary(regions.map { ($0, Region()) }, uniquingKeysWith: { first, _ in first })
    }

    /// Whether an observation under this node's name was published by another client.
    package func isForeign(_ observation: Observation) -> Bool {
        observation.incarnation != incarnation || observation.sequence > sequence
    }

    /// Publishes every observation under another incarnation: a client has used up the numbers of the current one.
    package mutating func renamed(_ incarnation: String, at now: Int64) -> [Publication] {
        (self.incarnation, sequence) = (incarnation, 0)
        return connected(at: now)
    }

    /// Whether this node reports the region as inside.
    package func isInside(_ region: String) -> Bool { regions[region]?.state == .inside }

    /// Replaces the regions. Regions that stay keep their state.
    package mutating func regionsReplaced(with identifiers: [String], at now: Int64) -> [Publication] {
        let known = regions
        regions = Dictionary(identifiers.map { ($0, known[$0] ?? Region()) }, uniquingKeysWith: { first, _ in first })
        return regions.keys.filter { known[$0] == nil }.sorted().compactMap { publication(of: $0, at: now) }
    }

    /// Handles a connection to the broker. Publishes the observation of every region.
    package mutating func connected(at now: Int64) -> [Publication] {
        regions.keys.sorted().compactMap { publication(of: $0, at: now) }
    }

    /// Handles a state that the region monitor has determined.
    package mutating func determined(_ region: String, _ state: RegionState, at now: Int64) -> [Publication] {
        guard let known = regions[region], known.state != state else { return [] }
        regions[region]?.state = state
        if known.window.closes.map({ $0 <= now }) ?? false { regions[region]?.window.close(at: now) }
        return publication(of: region, at: now).map { [$0] } ?? []
    }

    /// Handles the reception of a beacon of the region.
    ///
    /// - Parameters:
    ///   - beacon: A number that distinguishes the beacon from the region's other beacons: the strongest is followed.
    ///   - rssi: The RSSI in dBm.
    package mutating func heard(
        _ region: String, from beacon: UInt64 = 0, rssi: Int8, at now: Int64
    ) -> [Publication] {
        guard regions[region] != nil else { return [] }
        // The due observation is published before the new sample: otherwise its window would contain a later sample.
        let due = regions[region]?.deadline.map { $0 <= now } ?? false ? advanced(region, to: now) : nil
        let hadSignal = regions[region]?.window.level != nil
        regions[region]?.window.heard(Double(rssi) + offset, from: beacon, at: now)
        if !hadSignal, regions[region]?.state == .inside, let publication = publication(of: region, at: now) {
            return [publication]
        }
        schedule(region)
        return due.map { [$0] } ?? []
    }

    /// Handles that time has passed.
    package mutating func advanced(to now: Int64) -> [Publication] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let due = regions.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted()
        let publications = due.compactMap { advanced($0, to: now) }
        self.nextDeadline = regions.values.compactMap(\.deadline).min()
        return publications
    }
}

extension ObservationPlan {
    /// Closes the region's window, detects its silence, and publishes its observation if it is due.
    private mutating func advanced(_ identifier: String, to now: Int64) -> Publication? {
        guard var region = regions[identifier], let published = region.published else { return nil }
        var isDue = region.publishedAt.addingClamped(region.interval) <= now
        if region.window.closes.map({ $0 <= now }) ?? false {
            region.window.close(at: now)
            if let level = region.window.level, let sent = published.signal, let spread = published.spread {
                let noise = region.window.noise
                let isMoved = abs(level - sent) >= max(Self.step, noise)
                let isOther = max(noise, 0.5) > spread * Self.spreadStep || spread > max(noise, 0.5) * Self.spreadStep
                isDue = isDue || isMoved || isOther
            } else {
                isDue = true
            }
        }
        if region.window.level != nil, region.window.silentAt.map({ $0 <= now }) ?? false {
            region.window.fellSilent()
            isDue = true
        }
        regions[identifier] = region
        guard isDue else {
            schedule(identifier)
            return nil
        }
        return publication(of: identifier, at: now)
    }

    /// Returns the region's present observation, and records it as published.
    private mutating func publication(of identifier: String, at now: Int64) -> Publication? {
        guard var region = regions[identifier] else { return nil }
        sequence += 1
        let signal = region.state == .inside ? region.window.level : nil
        let observation = Observation(
            state: region.state, signal: signal.map(Self.tenths),
            spread: signal.map { _ in max(0.5, Self.tenths(region.window.noise)) },
            age: region.window.lastHeard.map { Self.tenths(max(0, Nanoseconds.seconds(now.subtractingClamped($0)))) },
            incarnation: incarnation, sequence: sequence)
        (region.published, region.publishedAt) = (observation, now)
        regions[identifier] = region
        schedule(identifier)
        return Publication(region: identifier, observation: observation)
    }

    private mutating func schedule(_ identifier: String) {
        guard let deadline = regions[identifier]?.deadline else { return }
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
