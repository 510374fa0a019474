package import IBeacon
import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi

/// A change of a region as a JSON merge patch (RFC 7396): a key that it names is set, or removed with null; the others stay.
///
/// Three things go together: with the UUID come major and minor, so that one that is not named is any; a mask belongs to the numbers of
/// its beacons, so that other numbers have none unless it is named; and a passphrase file, the security and the hotspot belong to a
/// network, so that another SSID has none unless they are named.
package struct RegionPatch: Sendable, Equatable {
    /// The region's name: that of one in the file, or of a new one.
    package internal(set) var identifier: String

    /// The keys that it names, without the name.
    private(set) var keys: JSONNode.Value = [:]

    package init(identifier: String) {
        self.identifier = identifier
    }

    /// A region of these beacons.
    package init(identifier: String, _ constraint: BeaconConstraint) {
        self.init(identifier: identifier)
        self["uuid"] = .string("\(constraint.uuid)")
        self["major"] = constraint.major.map { .number(Double($0)) }
        self["minor"] = constraint.minor.map { .number(Double($0)) }
        if constraint.mask != .all {
            self[Configuration.maskKey] = .object(
                MaskReport(constraint.mask).members.map { .init(key: $0, node: JSONNode(value: .string($1))) })
        }
    }

    /// A further sign of a region: these beacons.
    ///
    /// - Parameter settings: The keys of the sign beside those of the beacons.
    package init(identifier: String, further constraint: BeaconConstraint, _ settings: JSONNode.Value = [:]) {
        self.init(identifier: identifier)
        let beacons = RegionPatch(identifier: "", constraint).keys
        furtherSigns = [.object(beacons.members + settings.members)]
    }

    /// The new value of a key, and null for a removal; `nil`: the value stays as it is in the file.
    package subscript(key: String) -> JSONNode.Value? {
        get {
            let goesWithUUID = Configuration.beaconKeys.contains(key) && keys["uuid"] != nil
            return keys[key] ?? (goesWithUUID ? .null : nil)
        }
        set { keys[key] = newValue }
    }

    /// The merge patch of a region: with everything that goes with what it names.
    ///
    /// - Parameter region: The region in the file, or null.
    func patch(of region: JSONNode.Value) -> JSONNode.Value {
        var patch = keys
        for key in Configuration.beaconKeys { patch[key] = self[key] }
        patch[Configuration.maskKey] = mask(of: region)
        // Only a new region can be a phone.
        if region != .null { patch["phone"] = nil }
        if case .object? = region["wifi"], case .object? = patch["wifi"], var network = patch["wifi"] {
            if !isOfNetwork(region["wifi"]) {
                let others = ["ssid", "ssidHex", "passphraseFile", "security", "hotspot"]
                for key in others where network[key] == nil { network[key] = .null }
            } else if region["wifi"]?["ssidHex"] != nil {
                network["ssid"] = nil
            }
            patch["wifi"] = network
        }
        return withFurtherSigns(patch, of: region)
    }

    /// Returns a patch with the further signs behind those of the region, whose keys become the first sign.
    private func withFurtherSigns(_ patch: JSONNode.Value, of region: JSONNode.Value) -> JSONNode.Value {
        var patch = patch
        patch[Self.furtherSignsKey] = nil
        guard !furtherSigns.isEmpty else { return patch }
        let before = JSONNode(value: region).merging(patch, order: []).value
        var signs: [JSONNode] = []
        if case .array(let present)? = before["anyOf"] {
            signs = present
        } else {
            signs = [JSONNode(value: .object(before.members.filter { Configuration.signKeys.contains($0.key) }))]
        }
        for key in Configuration.signKeys { patch[key] = .null }
        patch["anyOf"] = .array(signs + furtherSigns.map { JSONNode(value: $0) })
        return patch
    }

    /// The change of the mask; `nil` if the mask of the region stays.
    private func mask(of region: JSONNode.Value) -> JSONNode.Value? {
        let maskKey = Configuration.maskKey
        if var mask = keys[maskKey], case .object = mask {
            for key in Configuration.beaconKeys where mask[key] == nil && region[maskKey]?[key] != nil {
                mask[key] = .null
            }
            return mask
        }
        guard keys[maskKey] == nil, let old = Configuration.beacons(of: region), old.mask != .all else {
            return keys[maskKey]
        }
        var changed = region
        for key in Configuration.beaconKeys { changed[key] = self[key].map { $0 == .null ? nil : $0 } ?? region[key] }
        guard let new = Configuration.beacons(of: changed), new.uuid == old.uuid else { return .null }
        // Without a number the region is wider, and its beacons are the same.
        let isSame = { (old: UInt16?, new: UInt16?) in old == nil || new == nil || old == new }
        return isSame(old.major, new.major) && isSame(old.minor, new.minor) ? nil : .null
    }

    /// Whether its network is that of a `wifi` value, or it names none.
    private func isOfNetwork(_ network: JSONNode.Value?) -> Bool {
        guard case .object? = keys["wifi"], let own = keys["wifi"], own["ssid"] != nil || own["ssidHex"] != nil else {
            return true
        }
        guard let old = SSID(ofNetwork: network) else { return false }
        // A client returns the text of a name that is not UTF-8.
        return SSID(ofNetwork: own) == old || own["ssid"]?.string.map { SSID($0) } == old
    }
}

// MARK: Changes that are kept

extension RegionPatch {
    /// Returns this change followed by another one.
    ///
    /// - Parameter region: The region with this change, in JSON; null for a new one.
    func followed(by later: RegionPatch, of region: JSONNode.Value) -> RegionPatch {
        var merged = self
        var changes = later.patch(of: .null)
        changes[Configuration.maskKey] = later.mask(of: region)
        for key in changes.members {
            var value = key.node.value
            if key.key == "wifi", case .object(let changes) = value, case .object? = keys["wifi"],
                later.isOfNetwork(keys["wifi"])
            {
                value = keys["wifi"] ?? value
                for change in changes { value[change.key] = change.node.value }
            }
            merged[key.key] = value
        }
        return merged
    }

    /// Returns the change without the removals, for a region that has nothing to remove.
    var withoutRemovals: RegionPatch { filtered { $0.node.value != .null } }

    /// Returns the change without some keys.
    func removing(_ names: [String]) -> RegionPatch { filtered { !names.contains($0.key) } }

    private func filtered(_ isKept: (JSONNode.Member) -> Bool) -> RegionPatch {
        var patch = self
        patch.keys = .object(keys.members.filter(isKept))
        return patch
    }

    /// The keys that determine the devices, as JSON; `nil` if it changes none.
    var signText: String? {
        let names = ["phone", "anyOf", Self.furtherSignsKey, Configuration.maskKey] + Configuration.beaconKeys
        let signs = filtered { names.contains($0.key) }
        return signs.keys.members.isEmpty ? nil : signs.text
    }

    /// The key of the signs that the page has added to those of the region.
    static let furtherSignsKey = "furtherSigns"

    /// The signs that the page has added to those of the region: each an element of `anyOf`.
    package var furtherSigns: [JSONNode.Value] {
        get {
            guard case .array(let signs)? = keys[Self.furtherSignsKey] else { return [] }
            return signs.map(\.value)
        }
        set { keys[Self.furtherSignsKey] = newValue.isEmpty ? nil : .array(newValue.map { JSONNode(value: $0) }) }
    }

    /// The name of the phone's key file in the state directory, if the region is a phone.
    var phone: String? { keys["phone"]?.string }

    /// The names of all its key files in the state directory, or their paths.
    var phones: [String] { [phone].compactMap(\.self) + furtherSigns.compactMap { $0["phone"]?.string } }

    /// Returns the same region with the paths of its key files.
    ///
    /// - Parameter directory: The state directory.
    func located(in directory: String) -> RegionPatch {
        func path(_ name: String) -> JSONNode.Value { .string(SocketPath.absolute("\(directory)/\(name)")) }
        var patch = self
        patch["phone"] = phone.map(path)
        patch.furtherSigns = furtherSigns.map { sign in
            var sign = sign
            sign["phone"] = sign["phone"]?.string.map(path)
            return sign
        }
        return patch
    }

    /// The change as one JSON object on one line, with null for what it removes.
    var text: String {
        var all = keys
        all["identifier"] = .string(identifier)
        return String(decoding: all.ordered(by: Configuration.order).text(.dense, inner: .dense), as: UTF8.self)
    }
}
