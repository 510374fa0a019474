import IBeacon
import OkaeriReceivers
import RegionMonitoring

/// The identifiers of beacons that ESPresense publishes in place of their own, by the retained settings of each device. One may stand
/// for several beacons, such as the frames of one tag.
///
/// Any client that may write the settings can fill them, so a beacon that a region wants has the place of another one.
struct BeaconAliases: Sendable {
    /// The number of devices with an alias.
    static let limit = 1024

    /// The number of devices with the same one.
    static let limitOfOne = 16

    private struct Device: Sendable {
        var name: String
        var identity: BeaconIdentity
    }

    private var aliases: [String: String] = [:]
    private var devices: [String: [Device]] = [:]
    /// The devices with an alias that no region wants.
    private var unwanted: Set<String> = []
    private var matcher = RegionMatcher([])

    var isEmpty: Bool { aliases.isEmpty }

    /// Handles what the regions want.
    mutating func wanted(_ matcher: RegionMatcher) {
        self.matcher = matcher
        unwanted = Set(devices.values.joined().lazy.filter { matcher.matches($0.identity).isEmpty }.map(\.name))
    }

    /// Handles the settings of a device.
    ///
    /// - Parameter alias: `nil` for settings without one.
    /// - Returns: Whether they are used; `false` for those beyond the limit, and for an alias that is another beacon's own identifier.
    mutating func changed(_ device: String, _ alias: String?) -> Bool {
        remove(device)
        guard let alias, alias != device, let identity = Self.identity(device) else { return true }
        guard device.utf8.count <= 128, Self.identity(alias) == nil else { return false }
        let isWanted = !matcher.matches(identity).isEmpty
        if devices[alias, default: []].count >= Self.limitOfOne || aliases.count >= Self.limit {
            let isFull = devices[alias, default: []].count >= Self.limitOfOne
            let displaced = isFull ? devices[alias]?.first { unwanted.contains($0.name) }?.name : unwanted.first
            guard isWanted, let displaced else { return false }
            remove(displaced)
        }
        aliases[device] = alias
        devices[alias, default: []].append(Device(name: device, identity: identity))
        if !isWanted { unwanted.insert(device) }
        return true
    }

    /// Returns the identifier of the wanted beacon that an alias stands for; another identifier as it is.
    ///
    /// - Throws: ``ReceiverRejection/ambiguous`` for an alias of beacons of different regions: one of them would keep the regions of the
    ///   other one inside.
    func beacon(of alias: String) throws(ReceiverRejection) -> String {
        guard let known = devices[alias] else { return alias }
        var (first, regions) = (String?.none, [Int]())
        for device in known where !unwanted.contains(device.name) {
            let matches = matcher.matches(device.identity)
            guard first == nil || matches == regions else { throw .ambiguous }
            (first, regions) = (first ?? device.name, matches)
        }
        return first ?? known.first?.name ?? alias
    }

    private mutating func remove(_ device: String) {
        guard let alias = aliases.removeValue(forKey: device) else { return }
        unwanted.remove(device)
        devices[alias]?.removeAll { $0.name == device }
        if devices[alias]?.isEmpty ?? false { devices[alias] = nil }
    }

    private static func identity(_ device: String) -> BeaconIdentity? {
        guard case .beacon(let identity, _)? = ReceiverPayload.sender(ofESPresense: device) else { return nil }
        return identity
    }
}
