import OkaeriEvents
import OkaeriPlumbing

/// The content of `regions.json`: the regions that the page saves where the daemon may not write `beacons.json`.
///
/// Each entry is a ``RegionPatch``: of one of `beacons.json`, with the keys that the page has
/// changed, or of a new one. Only root can write commands, passphrase files, listeners and the broker, so they are for
/// `beacons.json` alone. A new region may be a phone: its key file is in the state directory, and the entry has its name there,
/// never a path.
package struct SavedRegions: Sendable, Equatable {
    /// The name of the file in the state directory.
    package static let fileName = StateDirectory.File.regions.rawValue

    /// The limit in bytes: sixty-four regions with every key take a third of it.
    package static let sizeLimit = 64 << 10

    /// The maximum number of regions, and the longest name in bytes.
    package static let countLimit = 64
    static let nameLimit = 256

    /// The changes, in the order in which they were saved first.
    private(set) var patches: [RegionPatch] = []
    /// The room of this machine; `nil`: that of `beacons.json`.
    package var room: String?
    /// The receivers of other makes that the page has added.
    package private(set) var receivers: [ReceiverChoice] = []

    package init() {}

    /// Reads the text of the file.
    ///
    /// - Throws: The first entry that it must not contain, with its place.
    package init(json bytes: [UInt8], file: String) throws(ConfigurationError) {
        do throws(ConfigurationError) {
            let document = try JSONNode(json: bytes, file: file)
            guard case .object(let members) = document.value else {
                throw ConfigurationError(
                    file: file, place: "line \(document.line)", found: document.summary, expected: "an object")
            }
            for member in members {
                if member.key == "room" {
                    room = try Self.room(member.node)
                    continue
                }
                if member.key == "receivers" {
                    use(try ReceiverChoice.list(member.node))
                    continue
                }
                guard member.key == "regions", case .array(let regions) = member.node.value else {
                    throw ConfigurationError(
                        file: file, place: member.key.isEmpty ? "\"\"" : member.key,
                        found: member.key == "regions" ? member.node.summary : "a key for beacons.json alone",
                        expected: "an array of regions, and beside it \"room\" and \"receivers\" alone")
                }
                guard regions.count <= Self.countLimit else { throw Self.tooMany(regions.count) }
                for (index, region) in regions.enumerated() {
                    try append(try RegionPatch(region, place: "regions[\(index)]", isSaved: true), at: index)
                }
            }
        } catch {
            throw ConfigurationError(file: file, problems: error.problems)
        }
    }

    /// Returns the room in the value of a key.
    package static func room(_ node: JSONNode) throws(ConfigurationError) -> String {
        guard let room = node.value.string, Configuration.isRoom(room) else {
            throw ConfigurationError(
                file: "the request", place: "room", found: node.summary, expected: Configuration.expectedRoom)
        }
        return room
    }

    private mutating func append(_ patch: RegionPatch, at index: Int) throws(ConfigurationError) {
        let name = patch.identifier
        guard Self.isName(name), self[name] == nil else {
            throw ConfigurationError(
                file: "", place: "regions[\(index)].identifier", found: JSON.text(name),
                expected: "\(Configuration.Region.expectedIdentifier) that no other region has")
        }
        patches.append(patch)
    }

    private static func tooMany(_ count: Int) -> ConfigurationError {
        ConfigurationError(
            file: "", place: "regions", found: "\(count) regions",
            expected: "at most \(countLimit); write more into beacons.json")
    }

    /// Returns whether the page may give a region this name.
    package static func isName(_ name: String) -> Bool {
        Configuration.Region.isIdentifier(name) && name.utf8.count <= nameLimit
    }

    /// Returns the change of a region; `nil` if there is none.
    package subscript(identifier: String) -> RegionPatch? { patches.first { $0.identifier == identifier } }

    /// The names of the phones' key files in the state directory, each once.
    package var phones: [String] { Set(patches.flatMap(\.phones)).sorted() }

    /// The text of the file, a region a line.
    package var text: String {
        let lines = patches.map { "    \($0.text)" }
        let room = room.map { "  \"room\": \(JSON.text($0)),\n" } ?? ""
        let choices = receivers.map { "    \($0.text)" }.joined(separator: ",\n")
        let receivers = choices.isEmpty ? "" : "  \"receivers\": [\n\(choices)\n  ],\n"
        return "{\n\(room)\(receivers)  \"regions\": ["
            + (lines.isEmpty ? "" : "\n\(lines.joined(separator: ",\n"))\n  ") + "]\n}\n"
    }
}

// MARK: Changes

extension SavedRegions {
    /// Adds the change of a region to earlier ones.
    ///
    /// - Parameters:
    ///   - region: The region as it is now, in JSON; null for a new one.
    ///   - isNew: Whether `beacons.json` has no region of this name, so that there is nothing to remove.
    package mutating func set(
        _ patch: RegionPatch, of region: JSONNode.Value = .null, isNew: Bool
    ) throws(ConfigurationError) {
        let index = patches.firstIndex { $0.identifier == patch.identifier }
        var merged = (index.map { patches[$0] } ?? RegionPatch(identifier: patch.identifier))
            .followed(by: patch, of: region)
        if isNew { merged = merged.withoutRemovals }
        if let index {
            patches[index] = merged
        } else {
            guard patches.count < Self.countLimit else { throw Self.tooMany(patches.count + 1) }
            patches.append(merged)
        }
    }

    /// Adds receivers, and removes those without a room.
    package mutating func use(_ choices: [ReceiverChoice]) {
        for choice in choices {
            receivers.removeAll { $0.make == choice.make && $0.name == choice.name }
            if choice.room != nil { receivers.append(choice) }
        }
    }

    /// Removes the change of a region. Returns whether there was one.
    @discardableResult
    package mutating func remove(_ identifier: String) -> Bool {
        let count = patches.count
        patches.removeAll { $0.identifier == identifier }
        return patches.count != count
    }

    /// Adds a region of a phone.
    ///
    /// - Parameter keyFile: The name of its key file in the state directory.
    mutating func add(phone keyFile: String, as identifier: String) throws(ConfigurationError) {
        var patch = RegionPatch(identifier: identifier)
        patch["phone"] = .string(keyFile)
        try set(patch, isNew: true)
    }

    /// Adds a sign to a region.
    ///
    /// - Parameter sign: An element of `anyOf`; a phone with the name of its key file in the state directory.
    mutating func add(sign: JSONNode.Value, to identifier: String) throws(ConfigurationError) {
        if self[identifier] == nil { try set(RegionPatch(identifier: identifier), isNew: false) }
        guard let index = patches.firstIndex(where: { $0.identifier == identifier }) else { return }
        patches[index].furtherSigns.append(sign)
    }

    /// Removes a sign that the page has added to a region.
    ///
    /// - Parameter index: The position among the further signs; -1 for the sign with which the page has made the region, in whose
    ///   place comes the next one.
    mutating func remove(signAt index: Int, of identifier: String) {
        guard let place = patches.firstIndex(where: { $0.identifier == identifier }),
            patches[place].furtherSigns.indices.contains(max(0, index))
        else { return }
        let sign = patches[place].furtherSigns.remove(at: max(0, index))
        if index < 0 {
            for key in Configuration.signKeys { patches[place][key] = nil }
            for member in sign.members { patches[place][member.key] = member.node.value }
        }
        // A change without a key changes nothing.
        if patches[place].keys.members.isEmpty { patches.remove(at: place) }
    }

    package mutating func rename(_ identifier: String, to name: String) {
        guard let index = patches.firstIndex(where: { $0.identifier == identifier }) else { return }
        patches[index].identifier = name
    }
}
