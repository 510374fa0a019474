import Events

/// The text of `beacons.json`, in which a region is set. Everything else stays as it is, byte for byte, and what is new is
/// laid out as what is there.
package struct ConfigurationText: Sendable {
    private let bytes: [UInt8]
    let file: String

    /// The text of a file that is not there yet.
    private static let skeleton = "{\n  \"regions\": []\n}"

    /// - Parameters:
    ///   - text: The content of the file; `nil`, or nothing but space, for a new one.
    ///   - file: its name, for the messages.
    package init(_ text: String?, file: String) {
        let isNew = text?.utf8.allSatisfy { " \t\r\n".utf8.contains($0) } ?? true
        bytes = Array((isNew ? Self.skeleton + "\n" : text ?? "").utf8)
        self.file = file
    }

    init(_ bytes: [UInt8], file: String) {
        (self.bytes, self.file) = (bytes, file)
    }

    /// Returns the regions in the text; none if it has no array of regions yet.
    ///
    /// - Throws: every mistake in the text, with its place.
    package func regions() throws(ConfigurationError) -> [Configuration.Region] { try configuration().regions }

    /// Returns the configuration in the text, with an array of regions if it has none yet.
    ///
    /// - Throws: every mistake in the text, with its place.
    package func configuration() throws(ConfigurationError) -> Configuration {
        let document = try JSONNode(json: bytes, file: file)
        var completed = bytes
        if let top = Self.top(of: document, in: bytes) { completed.replaceSubrange(document.range, with: top.bytes) }
        return try Configuration(json: completed, file: file)
    }

    /// The text with this region: that of its identifier changed, or a new one behind all others.
    ///
    /// - Throws: every mistake there would be in the text, with its place, also those that are there already.
    package func setting(_ region: RegionDraft) throws(ConfigurationError) -> String {
        let result = try edited { Self.edited($0, $1, region) }
        _ = try Configuration(json: result, file: file)
        return String(decoding: result, as: UTF8.self)
    }

    /// The text with a region of one phone behind all others.
    ///
    /// - Throws: every mistake there would be in the text, with its place, also those that are there already.
    package func adding(phone file: String, as identifier: String) throws(ConfigurationError) -> String {
        let result = try edited { bytes, document in
            Self.edited(bytes, document) { array, _, elements, top in
                Self.appended(to: array, elements, around: top) { layout in
                    layout.object(
                        [("identifier", identifier), ("phone", file)].map {
                            layout.member($0, Array(JSON.text($1).utf8))
                        })
                }
            }
        }
        _ = try Configuration(json: result, file: self.file)
        return String(decoding: result, as: UTF8.self)
    }

    /// The text without a region.
    ///
    /// - Throws: every mistake there would be in the text, with its place, also those that are there already.
    package func removing(_ identifier: String) throws(ConfigurationError) -> String {
        let result = try edited { bytes, document in
            Self.edited(bytes, document) { array, regions, elements, _ in
                guard let index = Self.index(of: identifier, in: regions) else { return array }
                let range =
                    elements.count == 1
                    ? 1..<array.count - 1
                    : index == 0
                        ? elements[0].lowerBound..<elements[1].lowerBound
                        : elements[index - 1].upperBound..<elements[index].upperBound
                return Array(array[..<range.lowerBound] + array[range.upperBound...])
            }
        }
        _ = try Configuration(json: result, file: file)
        return String(decoding: result, as: UTF8.self)
    }

    /// The text with another name for a region.
    ///
    /// - Throws: every mistake there would be in the text, with its place, also those that are there already.
    package func renaming(_ identifier: String, to name: String) throws(ConfigurationError) -> String {
        let result = try edited { bytes, document in
            Self.edited(bytes, document) { array, regions, elements, _ in
                guard let index = Self.index(of: identifier, in: regions),
                    var region = ObjectText(Array(array[elements[index]]))
                else { return array }
                region.set("identifier", to: Array(JSON.text(name).utf8))
                return Array(array[..<elements[index].lowerBound]) + region.bytes
                    + array[elements[index].upperBound...]
            }
        }
        _ = try Configuration(json: result, file: file)
        return String(decoding: result, as: UTF8.self)
    }

    /// The text with these regions, one after another; it may be no configuration.
    func applying(_ regions: [RegionDraft]) throws(ConfigurationError) -> [UInt8] {
        var text = self
        for region in regions {
            text = ConfigurationText(try text.edited { Self.edited($0, $1, region) }, file: file)
        }
        return text.bytes
    }

    /// The text with another outermost object.
    private func edited(
        _ edit: (_ bytes: [UInt8], _ document: JSONNode) -> [UInt8]?
    ) throws(ConfigurationError) -> [UInt8] {
        let document = try JSONNode(json: bytes, file: file)
        guard let edited = edit(bytes, document) else {
            // It is no configuration, and the error names the place.
            _ = try Configuration(json: bytes, file: file)
            throw ConfigurationError(
                file: file, place: "regions", found: "no regions", expected: "an array of regions")
        }
        var result = bytes
        result.replaceSubrange(document.range, with: edited)
        return result
    }

    /// The text with these members of an object of the outermost one, such as `listen` of `web`; the others stay. The object
    /// is added if there is none.
    ///
    /// - Throws: every mistake there would be in the text, with its place, also those that are there already.
    package func setting(
        _ members: [(key: String, value: RegionDraft.Setting)], of key: String
    ) throws(ConfigurationError) -> String {
        let document = try JSONNode(json: bytes, file: file)
        var result = bytes
        if var top = Self.top(of: document, in: bytes) {
            let old = top.text(of: key).flatMap(ObjectText.init)
            if var object = old, !object.members.isEmpty {
                for member in members {
                    if let value = member.value.text {
                        object.set(member.key, to: value)
                    } else {
                        object.remove(member.key)
                    }
                }
                top.set(key, to: object.bytes)
            } else {
                let layout = Layout.line
                let texts = members.compactMap { member in member.value.text.map { layout.member(member.key, $0) } }
                top.set(key, to: layout.object(texts))
            }
            result.replaceSubrange(document.range, with: top.bytes)
        }
        // What is no object is no configuration, and the error names the place.
        _ = try Configuration(json: result, file: file)
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the text without a key of the outermost object.
    ///
    /// - Throws: every mistake there would be in the text, with its place, also those that are there already.
    package func removing(key: String) throws(ConfigurationError) -> String {
        try editing { $0.remove(key) }
    }

    /// Returns the text with a change of the outermost object.
    func editing(_ change: (inout ObjectText) -> Void) throws(ConfigurationError) -> String {
        let document = try JSONNode(json: bytes, file: file)
        var result = bytes
        if var top = Self.top(of: document, in: bytes) {
            change(&top)
            result.replaceSubrange(document.range, with: top.bytes)
        }
        // What is no object is no configuration, and the error names the place.
        _ = try Configuration(json: result, file: file)
        return String(decoding: result, as: UTF8.self)
    }

    /// The text of the outermost object with the region; nil where it has no place for one.
    private static func edited(_ bytes: [UInt8], _ document: JSONNode, _ region: RegionDraft) -> [UInt8]? {
        edited(bytes, document) { changed($0, $1, $2, region, around: $3) }
    }

    /// The text of the outermost object with another array of regions.
    ///
    /// - Parameter change: Receives the text of the array, its regions with their places in it, and the layout around it.
    private static func edited(
        _ bytes: [UInt8], _ document: JSONNode,
        _ change: (_ array: [UInt8], _ regions: [JSONNode], _ elements: [Range<Int>], _ top: Layout) -> [UInt8]?
    ) -> [UInt8]? {
        guard var top = top(of: document, in: bytes), let index = top.index(of: "regions"),
            case .array(let regions) = top.members[index].node.value, let array = top.text(of: "regions")
        else { return nil }
        let start = top.members[index].node.range.lowerBound
        let elements = regions.map { $0.range.lowerBound - start..<$0.range.upperBound - start }
        guard let changed = change(array, regions, elements, top.layout) else { return nil }
        top.set("regions", to: changed)
        return top.bytes
    }

    /// Returns the outermost object, with an array of regions if it had none; `nil` for anything but an object.
    private static func top(of document: JSONNode, in bytes: [UInt8]) -> ObjectText? {
        guard var top = ObjectText(Array(bytes[document.range])) else { return nil }
        if top.members.isEmpty, let skeleton = ObjectText(Array(skeleton.utf8)) { top = skeleton }
        if top.index(of: "regions") == nil { top.set("regions", to: Array("[]".utf8)) }
        return top
    }

    private static func index(of identifier: String, in regions: [JSONNode]) -> Int? {
        regions.firstIndex { $0["identifier"]?.value.string == identifier }
    }

    /// The text of the array with the region.
    private static func changed(
        _ array: [UInt8], _ regions: [JSONNode], _ elements: [Range<Int>], _ region: RegionDraft, around top: Layout
    ) -> [UInt8]? {
        var array = array
        if let index = index(of: region.identifier, in: regions) {
            guard let old = ObjectText(Array(array[elements[index]])) else { return nil }
            array.replaceSubrange(elements[index], with: region.edited(old).bytes)
            return array
        }
        return appended(to: array, elements, around: top) { region.text($0) }
    }

    /// The text of the array with a further region.
    private static func appended(
        to array: [UInt8], _ elements: [Range<Int>], around top: Layout, _ region: (Layout) -> [UInt8]
    ) -> [UInt8]? {
        var array = array
        guard let last = elements.last else {
            let indentation = Indentation(of: top)
            return Array("[".utf8) + indentation.element + region(indentation.region) + indentation.closing
                + Array("]".utf8)
        }
        guard let neighbour = ObjectText(Array(array[last])) else { return nil }
        let layout = neighbour.layout
        let separator =
            elements.count > 1
            ? Array(array[elements[elements.count - 2].upperBound..<last.lowerBound])
            : [Layout.comma] + array[1..<last.lowerBound]
        array.insert(contentsOf: separator + region(layout), at: last.upperBound)
        return array
    }
}

/// The layout of the first region in an empty array: as deep as the outermost object's layout has it.
private struct Indentation {
    /// Before the region, and behind it.
    let element: [UInt8]
    let closing: [UInt8]
    let region: Layout

    init(of top: Layout) {
        guard let newline = top.opening.firstIndex(of: UInt8(ascii: "\n")) else {
            (element, closing) = ([], [])
            region = Layout(
                opening: top.opening, separator: Layout.line.separator, colon: top.colon, closing: top.opening)
            return
        }
        let line = Array(top.opening[...newline])
        let unit = Array(top.opening[(newline + 1)...])
        func indented(_ depth: Int) -> [UInt8] { line + (0..<depth).flatMap { _ in unit } }
        (element, closing) = (indented(2), indented(1))
        region = Layout(
            opening: indented(3), separator: [Layout.comma] + indented(3), colon: top.colon, closing: indented(2))
    }
}
