package import Events
import Plumbing
import RegionMonitoring

/// The files of the configuration, as the page reads and changes them: `beacons.json` if the daemon may write it, otherwise
/// `regions.json`.
package struct RegionFiles: Sendable {
    /// `beacons.json`.
    private let main: ConfigurationFile
    /// `regions.json`; `nil` without a state directory.
    private let saved: SavedRegionsFile?

    /// The user that writes `beacons.json`.
    private let user: UInt32

    package init(file: String, directory: String?, user: UInt32) {
        main = ConfigurationFile(file)
        self.user = user
        saved = directory.map(SavedRegionsFile.init(directory:))
    }

    /// The reason why a request is refused.
    package enum Refusal: Error, Sendable, Equatable {
        /// The request is malformed, or would make the configuration invalid.
        case invalid(ConfigurationError)
        /// A file cannot be read.
        case unreadable(ConfigurationError)
        /// `beacons.json` decides, which only root can write.
        case forbidden(String)
        /// There is no such region.
        case unknown(String)
        /// The name belongs to another region, or to none.
        case name(String)
    }

    /// The content of both files.
    package struct Content: Sendable {
        package let merged: MergedConfiguration
        let mainText: String?
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

        /// The key files that the new text names no more.
        var unused: [PhoneKeyFile] = []

        package func write() throws(WriteObstacle) {
            try file.write(text, replacing: old)
            for key in unused { key.remove() }
        }
    }

    package func content() throws(Refusal) -> Content {
        do throws(ConfigurationError) {
            let mainText = try main.text()
            let bytes = Array((mainText.flatMap { $0.isBlank ? nil : $0 } ?? "{\n  \"regions\": []\n}\n").utf8)
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
        let isMain = content.has(identifier)
        let changes = content.merged.saved.file(of: identifier)
        return .init(
            identifier: identifier, file: isMain ? main.path : changes ?? main.path, changed: isMain ? changes : nil,
            fixed: isMain && (region.hasCommands || mainObstacle != nil))
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
    /// - Parameter name: A new name for the region; `nil` keeps it.
    package func setting(_ draft: RegionDraft, name: String?, in content: Content) throws(Refusal) -> [Edit] {
        let identifier = draft.identifier
        let newName = name.flatMap { $0 == identifier ? nil : $0 }
        if let newName { try check(newName, for: identifier, in: content) }
        try refuseSigns(draft, in: content)
        let isSaved = content.regions[identifier] != nil
        let isMain = content.has(identifier)
        let mustUseMain = saved.map { $0.file.obstacle != nil } ?? true
        if !isSaved, mustUseMain || mainObstacle == nil {
            do throws(ConfigurationError) {
                var text = try ConfigurationText(content.mainText, file: main.path).setting(draft)
                if let newName { text = try ConfigurationText(text, file: main.path).renaming(identifier, to: newName) }
                return [Edit(file: main, old: content.mainText, text: text, obstacle: mainObstacle)]
            } catch {
                throw .invalid(error)
            }
        }
        try refuseForeign(draft, in: content)
        var regions = content.regions
        do throws(ConfigurationError) {
            try regions.set(draft, isNew: !isMain)
            if let newName { regions.rename(identifier, to: newName) }
        } catch {
            throw .invalid(ConfigurationError(file: "the request", problems: error.problems))
        }
        return [try edit(regions, of: newName ?? identifier, in: content)]
    }

    /// Returns the texts without a region.
    package func removing(_ identifier: String, from content: Content) throws(Refusal) -> [Edit] {
        let region = content.merged.own.first { $0.identifier == identifier }
        // One that is not used is deleted too.
        guard region != nil || content.regions[identifier] != nil else {
            throw .unknown("there is no region \(identifier.plain()); `okaeri status` lists the regions")
        }
        var edits: [Edit] = []
        if let region {
            if region.hasCommands {
                throw .forbidden(
                    "cannot delete \(identifier) from the page: the region runs commands; delete it in \(main.path), then run "
                        + "`sudo systemctl reload okaeri`")
            }
            guard mainObstacle == nil else {
                throw .forbidden(
                    "cannot delete \(identifier) from the page: it is in \(main.path), which the daemon may not write; delete "
                        + "it there, then run `sudo systemctl reload okaeri`")
            }
            do throws(ConfigurationError) {
                let text = try ConfigurationText(content.mainText, file: main.path).removing(identifier)
                edits.append(Edit(file: main, old: content.mainText, text: text, obstacle: mainObstacle))
            } catch {
                throw .invalid(error)
            }
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
            throw .name("there is a region \(identifier) already; choose another name")
        }
        var regions = content.regions
        do throws(ConfigurationError) {
            try regions.add(phone: PhoneKeyFile.name(of: identifier), as: identifier)
        } catch {
            throw .invalid(error)
        }
        return try edit(regions, of: identifier, in: content)
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
            throw .unknown("the page has changed no region \(identifier.plain()) of \(main.path)")
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

    private func check(_ name: String, for identifier: String, in content: Content) throws(Refusal) {
        guard SavedRegions.isName(name) else {
            throw .name(
                "the new name is none; a region has \(Configuration.Region.expectedIdentifier), of at most "
                    + "\(SavedRegions.nameLimit) bytes")
        }
        let regions = content.merged.configuration.regions
        guard !regions.contains(where: { $0.identifier == name }), content.regions[name] == nil else {
            throw .name("there is a region \(name) already; choose another name")
        }
        guard let region = regions.first(where: { $0.identifier == identifier }) else {
            throw .unknown("there is no region \(identifier.plain()); `okaeri status` lists the regions")
        }
        if region.hasCommands {
            throw .forbidden(
                "cannot rename \(identifier) from the page: the region runs commands; rename it in \(main.path), then run "
                    + "`sudo systemctl reload okaeri`")
        }
        guard content.has(identifier) else { return }
        guard mainObstacle == nil, content.regions[identifier] == nil else {
            throw .forbidden(
                "cannot rename \(identifier) from the page: it is in \(main.path), where root names it; rename it there, then "
                    + "run `sudo systemctl reload okaeri`")
        }
    }

    /// Throws if the request would change the beacons of a region with several signs: the page shows one.
    private func refuseSigns(_ draft: RegionDraft, in content: Content) throws(Refusal) {
        let region = content.merged.configuration.regions.first { $0.identifier == draft.identifier }
        guard let signs = region?.monitored.otherSigns else { return }
        guard RegionDraft.signMembers.contains(where: { draft[$0] != nil }) else { return }
        throw .forbidden(
            "cannot change the beacons of \(draft.identifier) from the page: the region \(signs); change that in "
                + "\(main.path), then run `sudo systemctl reload okaeri`")
    }

    /// Throws if the request would change a key that `regions.json` cannot change.
    private func refuseForeign(_ draft: RegionDraft, in content: Content) throws(Refusal) {
        guard let region = content.merged.own.first(where: { $0.identifier == draft.identifier }) else { return }
        if region.network != nil, draft[.wifi] != nil {
            throw .forbidden(
                "cannot change the Wi-Fi of \(draft.identifier) from the page: it is in \(main.path), which the daemon may not "
                    + "write; change it there, then run `sudo systemctl reload okaeri`")
        }
    }

    /// Returns the new text of `regions.json`, if the changed region is valid beside `beacons.json`.
    private func edit(_ regions: SavedRegions, of identifier: String?, in content: Content) throws(Refusal) -> Edit {
        guard let saved else { throw .forbidden("the daemon has no state directory; start it with `--state-dir`") }
        if case .failure(let error) = content.saved {
            throw .forbidden("cannot save: \(error.description); correct the file or delete it")
        }
        let text = regions.text
        let drafts = identifier.flatMap { regions[$0] }.map { [$0.located(in: saved.directory)] } ?? []
        let configuration: Configuration
        do throws(ConfigurationError) {
            guard text.utf8.count <= SavedRegions.sizeLimit else {
                throw ConfigurationError(
                    file: saved.path, place: "regions", found: "\(text.utf8.count) bytes",
                    expected: "at most \(SavedRegions.sizeLimit); write further regions into beacons.json")
            }
            let changed = try ConfigurationText(content.mainText, file: "the request").applying(drafts)
            configuration = try Configuration(json: changed, file: "the request")
        } catch {
            throw .invalid(error)
        }
        if let identifier, let before = content.merged.own.first(where: { $0.identifier == identifier }),
            before.hasCommands,
            let after = configuration.regions.first(where: { $0.identifier == identifier }),
            !before.hasSameSigns(as: after)
        {
            throw .forbidden(Self.beaconRefusal(identifier, main.path))
        }
        return Self.edit(regions, in: content, saved)
    }

    /// A login must not decide which beacon runs commands.
    package static func beaconRefusal(_ identifier: String, _ file: String) -> String {
        "cannot change the beacon of \(identifier) from the page: the region runs commands; change it on the machine, with "
            + "`sudo okaeri setup` or in \(file)"
    }
}

extension String {
    /// Whether it has nothing but space.
    fileprivate var isBlank: Bool { utf8.allSatisfy { " \t\r\n".utf8.contains($0) } }
}
