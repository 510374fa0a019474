import HCI
import IBeacon
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
package import OkaeriPresence
import OkaeriReceivers
package import RegionMonitoring

/// The receivers of other makes in a house.
///
/// Any client of the broker can publish under any receiver's name, so the number of receivers is bounded, and what is stored of each.
struct ForeignReceivers: Sendable {
    /// The maximum number of receivers.
    static let limit = 300

    private let sources: [Source]
    /// The receivers, in no order, and their positions by their names among the radios. A message changes one in its place: a copy of all
    /// that is stored of it would cost more than the message.
    private var receivers: [ForeignReceiver] = []
    private var positions: [String: Int] = [:]
    /// The rejected messages that belong to no receiver.
    private(set) var rejected: [ReceiverRejection: UInt64] = [:]
    private var aliases = BeaconAliases()
    private var matcher = RegionMatcher([])
    private var wantsPhones = false

    /// The time at which ``advance(to:)`` is next needed, or the maximum. May be early, is never late.
    private var earliest = Int64.max

    /// The time of the last publication of their figures; `nil` before the first.
    private(set) var publishedAt: Int64?

    private struct Source: Sendable {
        var settings: ReceiverSettings
        /// The prefix of its receivers' names, with the hyphen.
        var prefix: String
    }

    /// The effect of a message.
    enum Effect: Sendable, Equatable {
        /// The receiver is away.
        case left(String)
        /// The receiver does not come back: another one has its place.
        case removed(String)
        /// A node has the name of the receiver, which is not used any more.
        case displaced(String)
        /// The receiver was not known before.
        case found(String)
        /// The receiver was away, and is present.
        case returned(String)
    }

    init(_ settings: [ReceiverSettings]) {
        var counts: [ReceiverMake: Int] = [:]
        let all = settings.map { settings in
            let make = settings.topics.make
            counts[make, default: 0] += 1
            let number = counts[make] ?? 1
            return Source(settings: settings, prefix: make.rawValue + (number > 1 ? "\(number)-" : "-"))
        }
        // A topic without a wildcard counts before one that contains it.
        sources =
            all.filter { !$0.settings.topics.topic.contains("+") }
            + all.filter { $0.settings.topics.topic.contains("+") }
    }

    var isEmpty: Bool { sources.isEmpty }

    var nextDeadline: Int64? { earliest < .max ? earliest : nil }

    subscript(name: String) -> ForeignReceiver? { positions[name].map { receivers[$0] } }

    /// The receivers by their names among the radios.
    var all: [String: ForeignReceiver] { positions.mapValues { receivers[$0] } }

    /// The names of the receivers among the radios, in order.
    var names: [String] { positions.keys.sorted() }

    /// The place of a receiver, and whether it reports means of some seconds.
    func place(of name: String) -> (place: ReceiverSettings.Place, isSmoothed: Bool)? {
        positions[name].map { (receivers[$0].place, receivers[$0].make.isSmoothed) }
    }

    var isAnyPresent: Bool { receivers.indices.contains { !receivers[$0].isAway } }

    /// Whether a receiver that these settings use may have a name among the radios.
    func mayHave(_ name: String) -> Bool {
        sources.contains { source in
            guard name.hasPrefix(source.prefix) else { return false }
            guard let rooms = source.settings.rooms else { return true }
            return rooms.keys.contains { key(of: $0, source) == name }
        }
    }

    /// Whether a name is that of a receiver by its form: the make, the number of the entry if it is not the first, and a hyphen.
    static func isName(_ name: String) -> Bool {
        ReceiverMake.allCases.contains { make in
            name.hasPrefix(make.rawValue)
                && name.dropFirst(make.rawValue.count).drop { "0"..."9" ~= $0 }.first == "-"
        }
    }

    /// The filters to subscribe to. A broker may deliver a message once for each filter that matches it, so no filter contains another.
    var filters: [String] {
        let all = sources.flatMap(\.settings.topics.filters).reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        return all.filter { filter in !all.contains { $0 != filter && Self.contains($0, filter) } }
    }

    /// Whether a filter matches every topic that another one matches.
    private static func contains(_ filter: String, _ other: String) -> Bool {
        let (levels, others) = (filter.split(separator: "/"), other.split(separator: "/"))
        for (index, level) in levels.enumerated() {
            if level == "#" { return true }
            guard index < others.count, level == others[index] || level == "+" && others[index] != "#" else {
                return false
            }
        }
        return levels.count == others.count
    }

    /// Handles what the regions want.
    mutating func wanted(_ wanted: WantedBeacons) {
        (matcher, wantsPhones) = (RegionMatcher(wanted.beacons), wanted.phones)
        aliases.wanted(matcher)
    }

    /// Removes a receiver. Returns whether there was one.
    @discardableResult
    mutating func removed(_ name: String) -> Bool {
        guard let position = positions.removeValue(forKey: name) else { return false }
        receivers.swapAt(position, receivers.count - 1)
        receivers.removeLast()
        if position < receivers.count { positions[receivers[position].key] = position }
        return true
    }

    /// Adds a receiver. Returns its position.
    private mutating func add(_ receiver: ForeignReceiver) -> Int {
        positions[receiver.key] = receivers.count
        receivers.append(receiver)
        return receivers.count - 1
    }

    mutating func published(at now: Int64) {
        publishedAt = now
        earliest = min(earliest, now.addingClamped(60 * Nanoseconds.second))
    }

    mutating func reportDropped(of name: String) {
        if let position = positions[name] { receivers[position].wasDropped() }
    }

    /// Handles that no receiver's messages come any more. Returns those that were present.
    mutating func allLeft() -> [String] {
        names.filter { name in positions[name].map { receivers[$0].left() } ?? false }
    }

    // MARK: Messages

    /// Handles a message.
    ///
    /// - Parameter isTaken: Returns whether a name is that of a node.
    /// - Returns: `nil` for a message that no receiver publishes.
    mutating func received(_ message: MQTTMessage, at now: Int64, isTaken: (String) -> Bool) -> [Effect]? {
        // Several entries may have receivers with one status: both scripts of a Shelly.
        var shared: [Effect]?
        for source in sources {
            guard let subject = source.settings.topics.subject(of: message.topic) else { continue }
            switch subject {
            case .settings(let device):
                if !aliases.changed(device, ReceiverPayload.alias(message.payload)) { reject(.aliasNotAccepted) }
                return []
            case .version: return []
            case .report(let name, let device):
                // It is old.
                guard !message.isRetained else { return [] }
                return changed(name, of: source, at: now, isTaken) { list, position in
                    list.reportReceived(position, device: device, message.payload, at: now)
                    return nil
                }
            case .telemetry(let name):
                guard !message.isRetained, let telemetry = ReceiverPayload.telemetry(message.payload) else { return [] }
                return changed(name, of: source, at: now, isTaken) { list, position in
                    list.receivers[position].telemetryReceived(telemetry, at: now)
                    return nil
                }
            case .status(let name):
                guard source.settings.topics.isStatusShared else {
                    return statusReceived(name, message, of: source, at: now, isTaken)
                }
                shared = shared ?? []
                // Where other devices have that topic, a receiver is known by its reports, or by the configuration.
                if positions[key(of: name, source)] != nil || source.settings.rooms?[name] != nil {
                    shared?.append(contentsOf: statusReceived(name, message, of: source, at: now, isTaken))
                }
            }
        }
        return shared
    }

    private mutating func statusReceived(
        _ name: String, _ message: MQTTMessage, of source: Source, at now: Int64, _ isTaken: (String) -> Bool
    ) -> [Effect] {
        // One that is not known leaves nothing.
        let isNamed = source.settings.rooms?[name] != nil || positions[key(of: name, source)] != nil
        guard let isOnline = ReceiverPayload.isOnline(message.payload), isOnline || isNamed else { return [] }
        return changed(name, of: source, at: now, isTaken) { list, position in
            guard isOnline else {
                return list.receivers[position].left() ? .left(list.receivers[position].key) : nil
            }
            if !message.isRetained { list.receivers[position].connected(at: now) }
            return nil
        }
    }

    /// The name of a receiver among the radios of the house. A long one ends with a hash, so that no two are equal.
    private func key(of name: String, _ source: Source) -> String {
        let key = source.prefix + TopicName.level(of: name)
        return key.utf8.count <= 64 ? key : source.prefix + TopicName.level(of: key)
    }

    private mutating func reject(_ reason: ReceiverRejection) {
        rejected[reason] = (rejected[reason] ?? 0).addingReportingOverflow(1).partialValue
    }

    private mutating func changed(
        _ name: String, of source: Source, at now: Int64, _ isTaken: (String) -> Bool,
        _ change: (inout Self, _ position: Int) -> Effect?
    ) -> [Effect] {
        let key = key(of: name, source)
        var effects: [Effect] = []
        guard let place = source.settings.place(of: name) else {
            reject(.notNamed)
            return []
        }
        guard !isTaken(key) else {
            reject(.nameTaken)
            return removed(key) ? [.displaced(key)] : []
        }
        let position: Int
        if let known = positions[key] {
            position = known
        } else {
            guard let displaced = displaced() else {
                reject(.tooManyReceivers)
                return []
            }
            if let displaced = displaced.first {
                removed(displaced)
                effects = [.removed(displaced)]
            }
            position = add(ForeignReceiver(source.settings.topics.make, name: name, key: key, place: place, at: now))
            effects.append(.found(key))
        }
        guard receivers[position].admits(at: now) else { return effects }
        let wasAway = receivers[position].isAway
        if let effect = change(&self, position) { effects.append(effect) }
        if wasAway, !receivers[position].isAway { effects.append(.returned(key)) }
        earliest = min(earliest, receivers[position].deadline)
        return effects
    }

    /// Returns the receiver that another one may replace, if the limit is reached; `nil` while all are present.
    private func displaced() -> [String]? {
        if receivers.count < Self.limit { return [] }
        let away = receivers.filter(\.isAway)
        return away.min { ($0.lastSign ?? .min, $0.key) < ($1.lastSign ?? .min, $1.key) }.map { [$0.key] }
    }

    private mutating func reportReceived(_ position: Int, device: String?, _ payload: [UInt8], at now: Int64) {
        let reports: [ReceiverReport]
        do throws(ReceiverRejection) {
            let beacon = if let device, !aliases.isEmpty { try aliases.beacon(of: device) } else { device }
            reports = try ReceiverPayload.reports(
                receivers[position].make, device: beacon, payload, wantsPhones: wantsPhones, isWanted: isWanted)
        } catch {
            receivers[position].reject(error)
            return
        }
        // Without a reception it is a message of a receiver about itself.
        guard !reports.isEmpty else {
            receivers[position].telemetryReceived(ReceiverPayload.telemetry(payload) ?? .init(), at: now)
            return
        }
        receivers[position].scanConfirmed(at: now)
        received(reports, by: position, at: now)
    }

    /// Handles what a receiver reports, which shows that it scans.
    private mutating func received(_ reports: [ReceiverReport], by position: Int, at now: Int64) {
        let offset = receivers[position].place.offset
        for report in reports {
            let number = Self.number(of: report.sender)
            guard let sender = sender(of: report.sender) else {
                receivers[position].otherReceived(number)
                receivers[position].sampled(number, isWanted: false, at: now)
                continue
            }
            receivers[position].sampled(number, isWanted: true, at: now)
            let rssi = report.rssi.map { Int8(min(max(Double($0) + offset.rounded(), -127), 20)) }
            let time = now.subtractingClamped(Int64(min(max(report.age, 0), 60) * 1e9))
            receivers[position].received(
                Reception(sender, rssi: rssi, at: Instant(nanoseconds: time)), battery: report.battery, at: now)
        }
    }

    private func isWanted(_ sender: ReceiverReport.Sender) -> Bool {
        switch sender {
        case .beacon(let identity, _): matcher.isMatched(identity)
        case .phone: wantsPhones
        case .other: false
        }
    }

    /// Returns a wanted sender; `nil` for another one.
    private func sender(of sender: ReceiverReport.Sender) -> Reception.Sender? {
        guard isWanted(sender) else { return nil }
        switch sender {
        case .beacon(let identity, let power):
            return .beacon(matcher.normalized(identity), measuredPower: power)
        case .phone(let address): return .device(address, .random)
        case .other: return nil
        }
    }

    private static func number(of sender: ReceiverReport.Sender) -> UInt64 {
        switch sender {
        case .beacon(let identity, _): identity.uuid.low ^ UInt64(identity.major) << 16 ^ UInt64(identity.minor)
        case .phone(let address): address.rawValue
        case .other(let number): number
        }
    }

    // MARK: Time

    /// Handles that time has passed. Returns the reports that are due, and the receivers that are away.
    ///
    /// Receivers report in common turns: each by itself would wake the broker's thread, and the regions' clocks behind it.
    mutating func advance(to now: Int64) -> (reports: [(name: String, report: RadioReport)], away: [String]) {
        guard earliest <= now else { return ([], []) }
        var reports: [(name: String, report: RadioReport)] = []
        var away: [String] = []
        earliest = publishedAt.map { max(now, $0).addingClamped(60 * Nanoseconds.second) } ?? .max
        let isTurn = receivers.indices.contains { receivers[$0].isDue(at: now) }
        for position in receivers.indices {
            if let report = receivers[position].report(at: now, isTurn: isTurn) {
                reports.append((receivers[position].key, report))
            }
            if receivers[position].awayAt <= now, receivers[position].left() { away.append(receivers[position].key) }
            earliest = min(earliest, receivers[position].deadline)
        }
        return (reports.sorted { $0.name < $1.name }, away.sorted())
    }
}

/// Receivers of other makes in a replay: a capture has what one of them publishes.
package struct ReplayedReceivers: Sendable {
    /// The time between two signs of life of a receiver that reports nothing: the telemetry of ESPresense.
    private static let pause = 15 * Nanoseconds.second

    private var receivers: ForeignReceivers

    package init(_ settings: [ReceiverSettings], regions: [MonitoredRegion]) {
        receivers = ForeignReceivers(settings)
        receivers.wanted(WantedBeacons(regions))
    }

    /// Handles that a receiver is there from now on, and returns its room; `nil` if the settings have no receiver with this name.
    ///
    /// - Parameter name: Its name among the radios, such as `espresense-kitchen`.
    package mutating func began(_ name: String, at now: Instant) -> (room: String?, isSmoothed: Bool)? {
        guard let receiver = receivers.began(name, at: now.nanoseconds) else { return nil }
        return (receiver.place.room, receiver.make.isSmoothed)
    }

    /// The time at which ``advance(to:)`` is next needed; `nil` without receivers.
    package var nextDeadline: Instant? {
        receivers.earliest(pause: Self.pause).map { Instant(nanoseconds: $0) }
    }

    /// Handles that time has passed. Returns the reports for the engine.
    package mutating func advance(to now: Instant) -> [(name: String, report: RadioReport)] {
        receivers.signsOfLife(before: now.nanoseconds.subtractingClamped(Self.pause), at: now.nanoseconds)
        return receivers.advance(to: now.nanoseconds).reports
    }

    /// Handles a message with one reception.
    package mutating func received(_ reception: Reception, by name: String, at now: Instant) {
        let sender: ReceiverReport.Sender =
            switch reception.sender {
            case .beacon(let identity, let power): .beacon(identity, measuredPower: power)
            case .device(let address, _) where address.isResolvable: .phone(address)
            case .device(let address, _): .other(address.rawValue)
            }
        receivers.replayed(ReceiverReport(sender, rssi: reception.rssi), by: name, at: now.nanoseconds)
    }
}

extension ForeignReceivers {
    fileprivate mutating func began(_ key: String, at now: Int64) -> ForeignReceiver? {
        for source in sources where key.hasPrefix(source.prefix) {
            let name = String(key.dropFirst(source.prefix.utf8.count))
            guard let place = source.settings.place(of: name) else { continue }
            removed(key)
            let position = add(
                ForeignReceiver(source.settings.topics.make, name: name, key: key, place: place, at: now))
            receivers[position].scanConfirmed(at: now)
            earliest = now
            return receivers[position]
        }
        return nil
    }

    fileprivate func earliest(pause: Int64) -> Int64? {
        receivers.lazy.map { min($0.due, ($0.lastSign ?? 0).addingClamped(pause)) }.min()
    }

    fileprivate mutating func signsOfLife(before time: Int64, at now: Int64) {
        for position in receivers.indices where receivers[position].lastSign ?? 0 <= time {
            receivers[position].scanConfirmed(at: now)
            earliest = now
        }
    }

    fileprivate mutating func replayed(_ report: ReceiverReport, by key: String, at now: Int64) {
        guard let position = positions[key] else { return }
        receivers[position].scanConfirmed(at: now)
        received([report], by: position, at: now)
        earliest = min(earliest, receivers[position].deadline)
    }
}
