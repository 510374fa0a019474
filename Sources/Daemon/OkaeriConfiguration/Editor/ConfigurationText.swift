/// The text of `beacons.json`, in which keys and regions are changed. Everything else stays as it is, byte for byte, and what is
/// new has the layout of its neighbours.
package struct ConfigurationText: Sendable {
    private let bytes: [UInt8]
    private let file: String

    /// The tree of the text.
    let document: JSONNode

    /// A configuration without regions.
    private static let skeleton = "{\n  \"regions\": []\n}"

    /// The text of a file that is not there yet.
    static let new = skeleton + "\n"

    /// - Parameters:
    ///   - text: The content of the file; `nil`, or nothing but space, for a new one. An array of regions is added if there is none.
    ///   - file: The name of the file, for error messages.
    package init(_ text: String?, file: String) throws(ConfigurationError) {
        let text = text.flatMap { $0.isBlank ? nil : $0 } ?? Self.new
        self = try Self(exactly: Array(text.utf8), file: file).completed()
    }

    /// - Parameter bytes: The content of the file, which may lack an array of regions.
    init(exactly bytes: [UInt8], file: String) throws(ConfigurationError) {
        (self.bytes, self.file) = (bytes, file)
        document = try JSONNode(json: bytes, file: file)
    }

    /// Returns the text with an array of regions.
    func completed() throws(ConfigurationError) -> ConfigurationText {
        guard case .object(let members) = document.value, document["regions"] == nil else { return self }
        var completed = bytes
        let regions: JSONNode.Value = ["regions": .array([])]
        let new =
            members.isEmpty
            ? Array(Self.skeleton.utf8)
            : JSONText(bytes: bytes).replacing(document, with: document.merging(regions, order: []))
        completed.replaceSubrange(document.range, with: new)
        return try ConfigurationText(exactly: completed, file: file)
    }

    /// Returns the configuration in the text.
    ///
    /// - Throws: Every mistake in the text, with its place.
    package func configuration() throws(ConfigurationError) -> Configuration {
        try Configuration(document, file: file)
    }
}

// MARK: Changes

extension ConfigurationText {
    /// Returns the text after a merge patch (RFC 7396) of the whole configuration.
    ///
    /// - Throws: Every mistake that the text would have, with its place, also those that it has already.
    package func merging(_ patch: JSONNode.Value) throws(ConfigurationError) -> String {
        try checked(document.merging(patch, order: Configuration.order)).text
    }

    /// Returns the text with a region: that of its identifier changed, or a new one behind all others.
    ///
    /// - Throws: Every mistake that the text would have, with its place, also those that it has already.
    package func setting(_ region: RegionPatch) throws(ConfigurationError) -> String {
        try checked(document.setting(region)).text
    }

    /// Returns the text with a region of one phone behind all others.
    ///
    /// - Throws: Every mistake that the text would have, with its place, also those that it has already.
    package func adding(phone file: String, as identifier: String) throws(ConfigurationError) -> String {
        let region: JSONNode.Value = ["identifier": .string(identifier), "phone": .string(file)]
        return try checked(document.changingRegions { $0.append(JSONNode(value: region)) }).text
    }

    /// Returns the text without a region.
    ///
    /// - Throws: Every mistake that the text would have, with its place, also those that it has already.
    package func removing(_ identifier: String) throws(ConfigurationError) -> String {
        try checked(
            document.changingRegions { regions in
                if let index = regions.firstIndex(of: identifier) { regions.remove(at: index) }
            }
        ).text
    }

    /// Returns the text of a changed tree and the configuration in it.
    func checked(
        _ changed: JSONNode
    ) throws(ConfigurationError) -> (text: String, configuration: Configuration) {
        let text = text(of: changed)
        return (text, try Configuration(json: Array(text.utf8), file: file))
    }

    /// Returns the text of a changed tree, which may not be a configuration.
    func text(of changed: JSONNode) -> String {
        var result = bytes
        result.replaceSubrange(document.range, with: JSONText(bytes: bytes).replacing(document, with: changed))
        return String(decoding: result, as: UTF8.self)
    }
}

extension String {
    /// Whether it has nothing but space.
    var isBlank: Bool { utf8.allSatisfy { " \t\r\n".utf8.contains($0) } }
}

extension JSONNode {
    /// Returns the tree of a configuration with a region: that of its identifier changed, or a new one behind all others.
    ///
    /// - Parameter name: A new name for the region; `nil` keeps it.
    func setting(_ region: RegionPatch, name: String? = nil) -> JSONNode {
        changingRegions { regions in
            let index = regions.firstIndex(of: region.identifier)
            let old = index.map { regions[$0] } ?? JSONNode(value: .null)
            var patch = region.patch(of: old.value)
            // The name in the text stays as it is written there.
            if index == nil || name != nil { patch["identifier"] = .string(name ?? region.identifier) }
            let new = old.merging(patch, order: Configuration.order)
            if let index { regions[index] = new } else { regions.append(new) }
        }
    }

    /// Returns the tree of a configuration without an element of a region's `anyOf`. The keys of one that is left alone become the
    /// region's.
    func removing(sign index: Int, of identifier: String) -> JSONNode {
        changingRegions { regions in
            guard let place = regions.firstIndex(of: identifier),
                case .array(var signs)? = regions[place]["anyOf"]?.value, signs.indices.contains(index)
            else { return }
            signs.remove(at: index)
            var patch: JSONNode.Value = ["anyOf": .array(signs)]
            if signs.count == 1 {
                patch = .object(signs[0].value.members)
                patch["anyOf"] = .null
            }
            regions[place] = regions[place].merging(patch, order: Configuration.order)
        }
    }

    /// Returns the tree of a configuration with other regions. A tree without an array of regions stays as it is.
    func changingRegions(_ change: (inout [JSONNode]) -> Void) -> JSONNode {
        guard case .object(var members) = value, let index = members.firstIndex(where: { $0.key == "regions" }),
            case .array(var regions) = members[index].node.value
        else { return self }
        change(&regions)
        members[index].node.value = .array(regions)
        var changed = self
        changed.value = .object(members)
        return changed
    }
}

extension [JSONNode] {
    /// The index of the region with a name.
    fileprivate func firstIndex(of identifier: String) -> Int? {
        firstIndex { $0["identifier"]?.value.string == identifier }
    }
}
