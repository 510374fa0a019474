package import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring
import Synchronization

/// The files of the configuration, as the page reads and changes them: `beacons.json` if the daemon may write it, otherwise
/// `regions.json`.
package struct RegionFiles: Sendable {
    /// `beacons.json`.
    private let main: ConfigurationFile
    /// `regions.json`; `nil` without a state directory.
    private let saved: SavedRegionsFile?

    /// The user that writes `beacons.json`.
    private let user: UInt32

    /// Whether the changes are those of a command on this machine, which may change everything, and not those of the page.
    private let isCommand: Bool

    package init(file: String, directory: String?, user: UInt32, isCommand: Bool = false) {
        main = ConfigurationFile(file)
        (self.user, self.isCommand) = (user, isCommand)
        saved = directory.map(SavedRegionsFile.init(directory:))
    }

    /// The reason why a request is refused.
    package enum Refusal: Error, Sendable, Equatable {
        /// The request is malformed, or would make the configuration invalid.
        case invalid(ConfigurationError)
        /// A file cannot be read.
        case unreadable(ConfigurationError)
        /// `beacons.json` decides, which only root can write.
        case forbidden(LocalizedText)
        /// There is no such region.
        case unknown(LocalizedText)
        /// The name belongs to another region, or to none.
        case name(LocalizedText)
    }

    /// The content of both files.
    package struct Content: Sendable {
        package let merged: MergedConfiguration
        fileprivate let mainText: String?
        fileprivate let saved: Result<(text: String?, regions: SavedRegions), ConfigurationError>

        fileprivate var savedText: String? { try? saved.get().text }
        fileprivate var regions: SavedRegions { (try? saved.get().regions) ?? SavedRegions() }

        package var text: String { mainText == nil && merged.saved.added.isEmpty ? "" : merged.text }

        func has(_ identifier: String) -> Bool { merged.own.contains { $0.identifier == identifier } }
    }

    /// A file with its new text.
    package struct Edit: Sendable {
        let file: ConfigurationFile
        /// The text before; `nil` if there is no file.
        package let old: String?
        package let text: String
        package var path: String { file.path }

        /// The reason why it cannot be written; `nil` if it can.
        package let obstacle: WriteObstacle?

        /// The key files that the new text no longer names.
        var unused: [PhoneKeyFile] = []
    }

    private static let change = Mutex(())

    /// Runs one change of the files of this process after the other, each from reading to writing: of two at once, one would find the
    /// files of the other. Blocking.
    package static func exclusively<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        try change.withLock { _ throws(Failure) in try body() }
    }

    /// Writes all files, or none of them: a conflict with another program, or a failure, leaves each as it was. Then deletes the key
    /// files that they no longer name.
    package static func write(_ edits: [Edit]) throws(WriteObstacle) {
        for edit in edits { try edit.file.check(replacing: edit.old) }
        for (index, edit) in edits.enumerated() {
            do throws(WriteObstacle) {
                try edit.file.write(edit.text, replacing: edit.old)
            } catch {
                // A file that another program has changed is not ours, whatever its text is.
                let written = error.problem == .changed ? edits[..<index] : edits[...index]
                for edit in written.reversed() { edit.file.takeBack(edit.text, replacing: edit.old) }
                throw error
            }
        }
        for key in edits.flatMap(\.unused) { key.remove() }
    }

    package func content() throws(Refusal) -> Content {
        do throws(ConfigurationError) {
            let mainText = try main.text()
            let bytes = Array((mainText.flatMap { $0.isBlank ? nil : $0 } ?? ConfigurationText.new).utf8)
            let read = Result { () throws(ConfigurationError) -> (text: String?, regions: SavedRegions) in
                guard let saved, let bytes = try saved.bytes() else { return (nil, SavedRegions()) }
                return (String(decoding: bytes, as: UTF8.self), try SavedRegions(json: bytes, file: saved.path))
            }
            return Content(
                merged: try MergedConfiguration(
                    json: bytes, file: main.path, savedFile: saved?.path, directory: saved?.directory,
                    saved: read.map(\.regions)),
                mainText: mainText, saved: read)
        } catch {
            throw .unreadable(error)
        }
    }

    /// Returns the files of a region, and whether the page can delete it.
    package func report(_ region: Configuration.Region, in content: Content) -> ConfigurationReport.Region {
        let identifier = region.identifier
        let isFixed = (try? rights(of: identifier, in: content).checkDeletion(isWritable: mainObstacle == nil)) == nil
        let isMain = content.has(identifier)
        let signs = region.monitored.signs
        let changes = content.merged.saved.file(of: identifier)
        return .init(
            identifier: identifier, file: isMain ? main.path : changes ?? main.path, changed: isMain ? changes : nil,
            fixed: isFixed,
            signs: signs.count < 2
                ? nil
                : signs.map { sign in
                    let isFixed = (try? removing(sign: sign.name, from: identifier, in: content))
                        .map { $0.contains { $0.obstacle != nil } }
                    return .init(name: sign.name, fixed: isFixed ?? true)
                })
    }

    private func rights(of identifier: String, in content: Content) -> PageRights {
        PageRights(identifier, in: content.merged, file: main.path)
    }

    private var mainObstacle: WriteObstacle? { main.obstacle(user: user) }

    /// The reason why the page can save no region; `nil` if it can.
    package var obstacle: WriteObstacle? {
        guard let obstacle = mainObstacle else { return nil }
        return saved.map { $0.file.obstacle } ?? obstacle
    }
}

// MARK: Changes

extension RegionFiles {
    /// Returns the texts after a change of a region.
    ///
    /// - Parameters:
    ///   - name: A new name for the region; `nil` keeps it.
    ///   - isDry: Whether the text is only shown. A text that is shown can be copied by hand, also with other beacons for commands.
    package func setting(
        _ patch: RegionPatch, name: String?, isDry: Bool = false, in content: Content
    ) throws(Refusal) -> [Edit] {
        let identifier = patch.identifier
        let newName = name.flatMap { $0 == identifier ? nil : $0 }
        let rights = rights(of: identifier, in: content)
        if let newName {
            try check(newName, in: content)
            let isSaved = content.regions[identifier] != nil
            try rights.checkRenaming(isWritable: mainObstacle == nil, isSaved: isSaved)
        }
        let isForMain = isForMain(identifier, in: content)
        try rights.check(patch, isSaved: !isForMain)
        guard !isForMain else { return [try editOfMain(patch, name: newName, isDry: isDry, in: content)] }
        var regions = content.regions
        do throws(ConfigurationError) {
            try regions.set(patch, of: content.merged.region(identifier), isNew: !content.has(identifier))
            if let newName { regions.rename(identifier, to: newName) }
        } catch {
            throw .invalid(ConfigurationError(file: "the request", problems: error.problems))
        }
        return [try edit(regions, of: newName ?? identifier, in: content)]
    }

    /// Whether a change of a region is for `beacons.json`: where the daemon may write it, and each other change of the region is there.
    private func isForMain(_ identifier: String, in content: Content) -> Bool {
        let mustUseMain = saved.map { $0.file.obstacle != nil } ?? true
        return content.regions[identifier] == nil && (mustUseMain || mainObstacle == nil)
    }

    private func editOfMain(
        _ patch: RegionPatch, name: String? = nil, isDry: Bool = false, in content: Content
    ) throws(Refusal) -> Edit {
        try editOfMain(of: patch.identifier, isDry: isDry, in: content) { $0.setting(patch, name: name) }
    }

    /// Returns the text of `beacons.json` after a change of a region.
    private func editOfMain(
        of identifier: String, isDry: Bool = false, in content: Content, _ change: (JSONNode) -> JSONNode
    ) throws(Refusal) -> Edit {
        let changed = try Self.valid { () throws(ConfigurationError) in
            let complete = try content.merged.source.completed()
            return try complete.checked(change(complete.document))
        }
        let edit = Edit(file: main, old: content.mainText, text: changed.text, obstacle: mainObstacle)
        if !isDry, edit.obstacle == nil { try check(changed.configuration, of: identifier, in: content) }
        return edit
    }

    private func check(_ changed: Configuration, of identifier: String, in content: Content) throws(Refusal) {
        if !isCommand { try rights(of: identifier, in: content).check(changed) }
    }

    private static func valid<Value>(_ body: () throws(ConfigurationError) -> Value) throws(Refusal) -> Value {
        do throws(ConfigurationError) { return try body() } catch { throw .invalid(error) }
    }

    /// Returns the texts without a region.
    package func removing(_ identifier: String, from content: Content) throws(Refusal) -> [Edit] {
        let region = content.merged.own.first { $0.identifier == identifier }
        // One that is not used is deleted too.
        guard region != nil || content.regions[identifier] != nil else {
            throw .unknown(LocalizedText(RefusalPhrase.noRegion, identifier.plain()))
        }
        var edits: [Edit] = []
        if region != nil {
            if !isCommand { try rights(of: identifier, in: content).checkDeletion(isWritable: mainObstacle == nil) }
            let text = try Self.valid { () throws(ConfigurationError) in
                try content.merged.source.completed().removing(identifier)
            }
            edits.append(Edit(file: main, old: content.mainText, text: text, obstacle: mainObstacle))
        }
        var regions = content.regions
        if regions.remove(identifier), let saved { edits.insert(Self.edit(regions, in: content, saved), at: 0) }
        return edits
    }

    /// Returns the text with a new region of a phone whose key file is in the state directory.
    ///
    /// - Parameter identifier: The name of the region and of the key file: see `Configuration.isNodeName(_:)`.
    package func adding(phone identifier: String, in content: Content) throws(Refusal) -> Edit {
        let isTaken = content.merged.configuration.regions.contains { $0.identifier == identifier }
        guard !isTaken, content.regions[identifier] == nil else {
            throw .name(LocalizedText(RefusalPhrase.regionExists, identifier))
        }
        var regions = content.regions
        try Self.valid { () throws(ConfigurationError) in
            try regions.add(phone: PhoneKeyFile.name(of: identifier), as: identifier)
        }
        return try edit(regions, of: identifier, in: content)
    }

    /// Returns the text with a further sign of a region. A region with the sign is entered and left with any of its signs.
    ///
    /// - Parameter phone: The name of the key file in the state directory, without its suffix.
    package func adding(phone: String, to identifier: String, in content: Content) throws(Refusal) -> Edit {
        try checkExists(identifier, in: content)
        return try adding(["phone": .string(PhoneKeyFile.name(of: phone))], to: identifier, in: content)
    }

    /// Returns the text with a further sign of a region.
    ///
    /// - Parameter patch: A change with the sign alone, of beacons.
    package func adding(sign patch: RegionPatch, in content: Content) throws(Refusal) -> Edit {
        try checkExists(patch.identifier, in: content)
        // In `regions.json` the page can undo it.
        guard saved != nil else { return try editOfMain(patch, in: content) }
        return try adding(patch.furtherSigns[0], to: patch.identifier, in: content)
    }

    /// Returns the texts without one sign of a region, which keeps the others.
    ///
    /// - Parameter name: The ``RegionSign/name`` of the sign.
    package func removing(
        sign name: String, from identifier: String, in content: Content
    ) throws(Refusal) -> [Edit] {
        try checkExists(identifier, in: content)
        let region = content.merged.configuration.regions.first { $0.identifier == identifier }
        let signs = region?.monitored.signs ?? []
        guard let index = signs.firstIndex(where: { $0.isNamed(name) }) else {
            let names = signs.map(\.name).joined(separator: ", ")
            throw .unknown(LocalizedText(RefusalPhrase.noSign, identifier, name.plain(), names))
        }
        guard signs.count > 1 else { throw .forbidden(LocalizedText(RefusalPhrase.onlySign, identifier)) }
        let own = content.merged.own.first { $0.identifier == identifier }?.monitored.signs.count
        // Those of the page are behind the others.
        guard let own, index < own else {
            var regions = content.regions
            regions.remove(signAt: index - (own ?? 1), of: identifier)
            return [try edit(regions, of: regions[identifier] == nil ? nil : identifier, in: content)]
        }
        guard own > 1 else {
            throw .forbidden(LocalizedText(RefusalPhrase.onlySignOfFile, identifier, main.path))
        }
        return [try editOfMain(of: identifier, in: content) { $0.removing(sign: index, of: identifier) }]
    }

    private func adding(
        _ sign: JSONNode.Value, to identifier: String, in content: Content
    ) throws(Refusal) -> Edit {
        var regions = content.regions
        try Self.valid { () throws(ConfigurationError) in try regions.add(sign: sign, to: identifier) }
        return try edit(regions, of: identifier, in: content)
    }

    private func checkExists(_ identifier: String, in content: Content) throws(Refusal) {
        guard content.merged.configuration.regions.contains(where: { $0.identifier == identifier }) else {
            throw .unknown(LocalizedText(RefusalPhrase.noRegion, identifier.plain()))
        }
    }

    private static func edit(_ regions: SavedRegions, in content: Content, _ saved: SavedRegionsFile) -> Edit {
        // A region of `beacons.json` may name a key of the page. By the last part of its path: a link may lead to the same folder.
        let ownKeys = content.merged.own.flatMap(\.monitored.signs).compactMap(\.phoneFile)
            .compactMap { $0.split(separator: "/").last.map(String.init) }
        let unused = Set(content.regions.phones).subtracting(regions.phones).subtracting(ownKeys)
        return Edit(
            file: saved.file, old: content.savedText, text: regions.text, obstacle: saved.file.obstacle,
            unused: unused.sorted().map { PhoneKeyFile(named: $0, in: saved.directory) })
    }

    /// Returns the text without the page's changes of a region of `beacons.json`.
    package func removingChanges(of identifier: String, from content: Content) throws(Refusal) -> Edit {
        var regions = content.regions
        guard content.has(identifier), regions.remove(identifier) else {
            throw .unknown(LocalizedText(RefusalPhrase.noChanges, identifier.plain(), main.path))
        }
        return try edit(regions, of: nil, in: content)
    }

    /// Returns the texts with another room of this machine.
    ///
    /// - Parameter room: `nil` for the room of `beacons.json`.
    package func setting(room: String?, in content: Content) throws(Refusal) -> [Edit] {
        var regions = content.regions
        regions.room = room
        return [try edit(regions, of: nil, in: content)]
    }

    /// Returns the texts with receivers that are used from now on, and without those that have no room.
    package func setting(_ receivers: [ReceiverChoice], in content: Content) throws(Refusal) -> [Edit] {
        var regions = content.regions
        regions.use(receivers)
        try Self.valid { () throws(ConfigurationError) in
            guard regions.receivers.count <= ReceiverChoice.limit else {
                throw ConfigurationError(
                    file: "the request", place: "receivers", found: "\(regions.receivers.count) receivers",
                    expected: "at most \(ReceiverChoice.limit); write further ones into beacons.json")
            }
            _ = try Configuration(content.merged.source.document.adding(regions.receivers), file: "the request")
        }
        return [try edit(regions, of: nil, in: content)]
    }

    private func check(_ name: String, in content: Content) throws(Refusal) {
        guard SavedRegions.isName(name) else {
            throw .name(LocalizedText(RefusalPhrase.noName, "\(SavedRegions.nameLimit)"))
        }
        let regions = content.merged.configuration.regions
        guard !regions.contains(where: { $0.identifier == name }), content.regions[name] == nil else {
            throw .name(LocalizedText(RefusalPhrase.regionExists, name))
        }
    }

    /// Returns the new text of `regions.json`, if the changed region is valid beside `beacons.json`.
    private func edit(_ regions: SavedRegions, of identifier: String?, in content: Content) throws(Refusal) -> Edit {
        guard let saved else { throw .forbidden(LocalizedText(RefusalPhrase.noStateDirectory)) }
        if case .failure(let error) = content.saved {
            throw .forbidden(
                LocalizedText(
                    Language.english(RefusalPhrase.cannotSave, error.description),
                    japanese: Language.japanese(RefusalPhrase.cannotSave, error.sentence(in: .japanese))))
        }
        let text = regions.text
        let configuration = try Self.valid { () throws(ConfigurationError) in
            guard text.utf8.count <= SavedRegions.sizeLimit else {
                throw ConfigurationError(
                    file: saved.path, place: "regions", found: "\(text.utf8.count) bytes",
                    expected: "at most \(SavedRegions.sizeLimit); write further regions into beacons.json")
            }
            let document = try content.merged.source.completed().document
            let patch = identifier.flatMap { regions[$0]?.located(in: saved.directory) }
            return try Configuration(patch.map { document.setting($0) } ?? document, file: "the request")
        }
        if let identifier { try check(configuration, of: identifier, in: content) }
        return Self.edit(regions, in: content, saved)
    }
}
