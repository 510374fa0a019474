import IBeacon
import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring

/// The changes of a region that a browser with a login may make.
///
/// Only root decides which commands run, which beacons run them, which files of this machine are read, and what is in a
/// `beacons.json` that the daemon may not write. Everything that ``keys`` does not have is for an editor.
struct PageRights {
    /// The keys of a region that a request can set.
    static let keys = signKeys + ["notifyOnEntry", "notifyOnExit", "ranging", "wifi"]

    /// Those of its only sign.
    private static let signKeys =
        Configuration.beaconKeys + [Configuration.maskKey] + Configuration.receptionKeys

    /// The keys of the objects in a region that a request can set.
    static let parts = ["wifi": ["ssid", "join"], Configuration.maskKey: Configuration.beaconKeys]

    private let identifier: String
    /// The region as the daemon uses it; `nil` if there is none.
    private let region: Configuration.Region?
    /// The region as `beacons.json` has it; `nil` for one of the page.
    private let own: Configuration.Region?
    /// The path of `beacons.json`.
    private let file: String

    init(_ identifier: String, in merged: MergedConfiguration, file: String) {
        (self.identifier, self.file) = (identifier, file)
        region = merged.configuration.regions.first { $0.identifier == identifier }
        own = merged.own.first { $0.identifier == identifier }
    }

    /// Returns a change in `regions.json` without the keys that `beacons.json` decides.
    ///
    /// - Parameter own: The region as `beacons.json` has it.
    static func permitted(_ patch: RegionPatch, of own: Configuration.Region) -> RegionPatch {
        let beacons = Configuration.beaconKeys + [Configuration.maskKey, RegionPatch.furtherSignsKey]
        // Only a new region can be a phone.
        return patch.removing(
            ["phone"] + (own.hasCommands ? beacons : []) + (own.network == nil ? [] : ["wifi"]))
    }

    /// Throws if the page must not set a key that the change names.
    ///
    /// - Parameter isSaved: Whether the change is for `regions.json`, which cannot change a network of `beacons.json`.
    func check(_ patch: RegionPatch, isSaved: Bool) throws(RegionFiles.Refusal) {
        // The page shows one sign.
        if let region = region?.monitored, region.otherSigns != nil, Self.signKeys.contains(where: { patch[$0] != nil })
        {
            guard let own else { throw refused(.changeOfSavedSigns) }
            let isOfPage = own.monitored.signs.count == 1 && region.signs.count > 1
            if isOfPage { throw refused(.changeOfAddedSigns) }
            throw refused(region.signs.count == 1 ? .changeOfPhone : .changeOfSigns, file)
        }
        if isSaved, own?.network != nil, patch["wifi"] != nil {
            throw refused(.changeOfNetwork, file)
        }
    }

    /// Throws if a region that runs commands would mean other beacons: a login must not decide which beacon runs them.
    func check(_ changed: Configuration) throws(RegionFiles.Refusal) {
        guard let own, own.hasCommands, let after = changed.regions.first(where: { $0.identifier == identifier }),
            !own.hasSameSigns(as: after)
        else { return }
        throw refused(.changeOfCommands, file)
    }

    /// Throws if the page must not rename the region.
    ///
    /// - Parameters:
    ///   - isWritable: Whether the daemon may write `beacons.json`.
    ///   - isSaved: Whether `regions.json` has the region, or a change of it: under another name it would have no effect.
    func checkRenaming(isWritable: Bool, isSaved: Bool) throws(RegionFiles.Refusal) {
        guard let region else {
            throw .unknown(LocalizedText(RefusalPhrase.noRegion, identifier.plain()))
        }
        if region.hasCommands {
            throw refused(.renamingOfCommands, file)
        }
        guard own != nil else { return }
        if isSaved { throw refused(.renamingOfChanged) }
        guard isWritable else { throw refused(.renamingOfRoot, file) }
    }

    /// Throws if the page must not delete the region.
    ///
    /// - Parameter isWritable: Whether the daemon may write `beacons.json`.
    func checkDeletion(isWritable: Bool) throws(RegionFiles.Refusal) {
        guard let own else { return }
        if own.hasCommands {
            throw refused(.deletionOfCommands, file)
        }
        guard isWritable else {
            throw refused(.deletionOfRoot, file)
        }
    }

    private func refused(_ phrase: RefusalPhrase, _ values: String...) -> RegionFiles.Refusal {
        .forbidden(LocalizedText(phrase, [identifier] + values))
    }
}

extension RegionPatch {
    /// Reads the request of a client that must not name files of this machine: an object such as `{"identifier":
    /// "keys", "uuid": "…", "enterRSSI": -85, "wifi": {"ssid": "HomeNet"}}`, with null for keys to remove.
    ///
    /// - Parameters:
    ///   - place: Its place in the request, for error messages.
    ///   - isSaved: Whether it is an entry of `regions.json`, which may have the key file of a phone.
    package init(_ node: JSONNode, place: String, isSaved: Bool = false) throws(ConfigurationError) {
        guard case .object(let members) = node.value else {
            throw Self.mistake(place, found: node.summary, expected: "an object")
        }
        guard let identifier = node["identifier"]?.value.string else {
            throw Self.mistake("\(place).identifier", found: "no name", expected: "the region's name, such as \"home\"")
        }
        self.init(identifier: identifier)
        for member in members where member.key != "identifier" {
            let (key, value) = (member.key, member.node)
            if isSaved, key == "phone" {
                try Self.checkKeyFile(value, place: "\(place).phone")
            } else if isSaved, key == Self.furtherSignsKey {
                try Self.checkSigns(value, place: "\(place).\(key)")
            } else {
                try Self.check(member, PageRights.keys, place: place)
            }
            self[key] = value.value
        }
    }

    /// Reads the request for a further sign: `{"region": "anna", "uuid": "…", "major": 1, "minor": null, "mask": {"minor": "FF00"},
    /// "enterRSSI": -65, "exitRSSI": -86}`.
    ///
    /// - Returns: A change of the region that adds the sign.
    package static func sign(of request: JSONNode) throws(ConfigurationError) -> RegionPatch {
        guard case .object(let members) = request.value, let region = request["region"]?.value.string else {
            throw mistake("region", found: request["region"]?.summary ?? "nothing", expected: "the region's name")
        }
        let keys = Configuration.beaconKeys + [Configuration.maskKey] + Configuration.receptionKeys
        for member in members where member.key != "region" {
            try check(member, keys, place: "the sign")
        }
        let beacons = JSONNode.Value.object(
            members.filter {
                !Configuration.receptionKeys.contains($0.key) && $0.key != "region" && $0.node.value != .null
            })
        guard let constraint = Configuration.beacons(of: beacons) else {
            throw mistake(
                "the sign", found: "no beacons", expected: "uuid, and major, minor and mask as in beacons.json")
        }
        let settings = members.filter { Configuration.receptionKeys.contains($0.key) && $0.node.value != .null }
        return RegionPatch(identifier: region, further: constraint, .object(settings))
    }

    private static func check(
        _ member: JSONNode.Member, _ keys: [String], place: String
    ) throws(ConfigurationError) {
        let own = "\(place).\(member.key)"
        guard keys.contains(member.key) else {
            throw mistake(own, found: "a key that is not set here", expected: "one of \(keys.joined(separator: ", "))")
        }
        switch member.node.value {
        case .null, .bool, .number, .string: break
        case .object(let part) where PageRights.parts[member.key] != nil:
            let keys = PageRights.parts[member.key] ?? []
            for member in part { try check(member, keys, place: own) }
        case .array, .object: throw mistake(own, found: member.node.summary, expected: "one value, or null")
        }
    }

    private static func checkSigns(_ node: JSONNode, place: String) throws(ConfigurationError) {
        guard case .array(let signs) = node.value, 1..<RegionSign.limit ~= signs.count else {
            throw mistake(place, found: node.summary, expected: "an array of 1 to \(RegionSign.limit - 1) signs")
        }
        for (index, sign) in signs.enumerated() {
            let place = "\(place)[\(index)]"
            guard case .object(let members) = sign.value else {
                throw mistake(place, found: sign.summary, expected: "a sign")
            }
            for member in members {
                if member.key == "phone" {
                    try checkKeyFile(member.node, place: "\(place).phone")
                } else {
                    try check(member, Configuration.signKeys, place: place)
                }
            }
        }
    }

    private static func checkKeyFile(_ node: JSONNode, place: String) throws(ConfigurationError) {
        guard let name = node.value.string, PhoneKeyFile.isName(name) else {
            throw mistake(
                place, found: node.summary,
                expected: "the name of a key file in the state directory, such as \"anna.irk\"")
        }
    }

    private static func mistake(_ place: String, found: String, expected: String) -> ConfigurationError {
        ConfigurationError(file: "the request", place: place.plain(), found: found, expected: expected)
    }
}
