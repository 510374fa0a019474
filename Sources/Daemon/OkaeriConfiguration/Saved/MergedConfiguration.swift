import Events
import Glibc
import HCI
import Plumbing

/// A configuration as the daemon uses it: `beacons.json`, with the regions that the page has saved in `regions.json`.
///
/// A region with the identifier of one in `beacons.json` replaces the keys that it has. Root decides what runs and what is joined:
/// a region that runs commands keeps its beacon, and a region with a network keeps that. A part of `regions.json` that cannot be
/// used has no effect, and ``SavedReport/problems`` names it; the daemon starts with the rest.
package struct MergedConfiguration: Sendable, Equatable {
    package private(set) var configuration: Configuration
    /// The text that the configuration was read from.
    package private(set) var text: String
    /// The regions of `beacons.json` alone.
    package private(set) var own: [Configuration.Region]
    package private(set) var saved: SavedReport

    /// Reads the configuration in `file`, and the saved regions in the state directory.
    ///
    /// - Parameter directory: The state directory; `nil`: there is none.
    package init(file: String, directory: String?) throws(ConfigurationError) {
        try self.init(
            json: try Configuration.contents(of: file), file: file,
            saved: directory.map(SavedRegionsFile.init(directory:)))
        if configuration.isStandby { useRegionsOfHub(in: directory) }
    }

    /// Takes the regions of the hub, as this standby received them last.
    private mutating func useRegionsOfHub(in directory: String?) {
        let own = configuration.regions
        configuration.regions = []
        guard let directory else { return }
        do throws(ConfigurationError) {
            let regions = try HouseRegionsFile(directory: directory).regions()
            configuration.regions = regions.compactMap { $0.atStandby(own) }
            let known = Set(regions.map(\.identifier))
            let lacking = known.subtracting(configuration.regions.map(\.identifier)).sorted()
            saved.problems += own.filter { !known.contains($0.identifier) && !known.isEmpty }
                .map { "the region \($0.identifier) is not used: the hub has none of this name".escapedName }
            saved.problems += lacking.map {
                "the region \($0) is not used here: this standby does not have the key of its phone".escapedName
            }
        } catch {
            saved.problems.append(error.description.escapedName)
        }
    }

    init(json bytes: [UInt8], file: String, saved: SavedRegionsFile?) throws(ConfigurationError) {
        try self.init(
            json: bytes, file: file, savedFile: saved?.path, directory: saved?.directory,
            saved: Result { () throws(ConfigurationError) in try saved?.regions() ?? SavedRegions() })
    }

    init(
        json bytes: [UInt8], file: String, savedFile: String?, directory: String? = nil,
        saved: Result<SavedRegions, ConfigurationError>
    ) throws(ConfigurationError) {
        configuration = try Configuration(json: bytes, file: file)
        own = configuration.regions
        text = String(decoding: bytes, as: UTF8.self)
        self.saved = SavedReport(file: savedFile)
        switch saved {
        case .success(let saved): merge(saved, in: directory ?? "")
        case .failure(let error): self.saved.problems = error.description.split(separator: "\n").map(String.init)
        }
    }

    private mutating func merge(_ regions: SavedRegions, in directory: String) {
        let name = saved.file ?? SavedRegions.fileName
        let drafts = regions.drafts.compactMap { draft -> RegionDraft? in
            do throws(Refusal) {
                return try permitted(draft, in: directory)
            } catch {
                saved.problems.append("\(name): \(error.description)".escapedName)
                return nil
            }
        }
        use(drafts, name: name)
        if let room = regions.room {
            configuration.node.room = room
            saved.room = room
        }
    }

    /// Uses the changes that are valid together.
    private mutating func use(_ drafts: [RegionDraft], name: String) {
        guard !drafts.isEmpty else { return }
        let whole = ConfigurationText(text, file: name)
        if !apply(drafts, to: whole, name: name) {
            // One that is not valid any more beside beacons.json must not hide the others.
            var used: [RegionDraft] = []
            var valid = whole
            for draft in drafts {
                do throws(ConfigurationError) {
                    let text = try valid.applying([draft])
                    _ = try Configuration(json: text, file: name)
                    valid = ConfigurationText(text, file: name)
                    used.append(draft)
                } catch {
                    let found = error.problems.map { Self.withoutIndex($0).description }.joined(separator: "; ")
                    saved.problems.append("\(name): \(draft.identifier) is not used: \(found)".escapedName)
                }
            }
            _ = apply(used, to: whole, name: name)
        }
    }

    /// Returns whether the configuration with these regions is valid, and uses it then.
    private mutating func apply(_ drafts: [RegionDraft], to text: ConfigurationText, name: String) -> Bool {
        guard let merged = try? text.applying(drafts), let valid = try? Configuration(json: merged, file: name) else {
            return false
        }
        configuration = valid
        self.text = String(decoding: merged, as: UTF8.self)
        let names = Set(own.map(\.identifier))
        saved.changed = Set(drafts.map(\.identifier)).intersection(names)
        saved.added = Set(drafts.map(\.identifier)).subtracting(names)
        return true
    }

    /// The position is one in the merged text, which the reader does not see.
    private static func withoutIndex(_ problem: ConfigurationError.Problem) -> ConfigurationError.Problem {
        var problem = problem
        if problem.place.hasPrefix("regions["), let end = problem.place.firstIndex(of: ".") {
            problem.place = String(problem.place[end...].dropFirst())
        }
        return problem
    }

    /// The reason why an entry of `regions.json` has no effect.
    private struct Refusal: Error {
        let description: String
    }

    /// Returns the part of a change that the page may make.
    private func permitted(_ draft: RegionDraft, in directory: String) throws(Refusal) -> RegionDraft {
        guard let region = own.first(where: { $0.identifier == draft.identifier }) else {
            if draft.phone != nil { return try usable(draft.located(in: directory)) }
            guard case .string? = draft[.uuid] else {
                throw Refusal(description: "\(draft.identifier) is not used: beacons.json has no region of this name")
            }
            return draft
        }
        var draft = draft
        draft.phone = nil
        if region.hasCommands { for member in RegionDraft.Member.beacon { draft[member] = nil } }
        if region.network != nil { draft[.wifi] = nil }
        return draft
    }

    /// Returns the region of a phone if its key can be read. A daemon without the key would not start; without the region it does.
    private func usable(_ draft: RegionDraft) throws(Refusal) -> RegionDraft {
        do throws(IdentityFileError) {
            _ = try IdentityFile.load(draft.phone ?? "")
        } catch {
            // Other users may read the regions, and not the keys.
            if error.problem == .file(.unreadable(errno: EACCES)) { return draft }
            throw Refusal(description: "\(draft.identifier) is not used: \(error)")
        }
        return draft
    }
}

extension RegionDraft.Member {
    /// The members that determine the beacons of a region.
    static let beacon: [RegionDraft.Member] = [.uuid, .major, .minor]
}

/// The use of `regions.json` in a configuration.
package struct SavedReport: Sendable, Equatable {
    /// The path of the file; `nil` without a state directory.
    package var file: String?
    /// The regions of the file alone, and those of `beacons.json` that it changes.
    package var added: Set<String> = []
    package var changed: Set<String> = []
    /// The room of this machine, if the page has set it.
    package var room: String?
    /// The parts of the file that are not used, each in a sentence.
    package var problems: [String] = []

    package init(file: String? = nil) {
        self.file = file
    }

    /// Returns the file that saved a region or changed it; `nil` for one that is as in `beacons.json`.
    package func file(of identifier: String) -> String? {
        added.contains(identifier) || changed.contains(identifier) ? file : nil
    }
}
