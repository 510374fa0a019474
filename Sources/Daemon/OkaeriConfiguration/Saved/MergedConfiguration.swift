import Glibc
import HCI
import OkaeriEvents
import OkaeriPlumbing

/// A configuration as the daemon uses it: `beacons.json`, with the regions that the page has saved in `regions.json`.
///
/// A region with the identifier of one in `beacons.json` replaces the keys that it has. Root decides what runs and what is joined:
/// a region that runs commands keeps its beacon, and a region with a network keeps that. A part of `regions.json` that cannot be
/// used has no effect, and ``SavedReport/problems`` names it; the daemon starts with the rest.
package struct MergedConfiguration: Sendable {
    package private(set) var configuration: Configuration
    /// The text of `beacons.json`.
    let source: ConfigurationText
    /// The tree of the configuration; `nil`: that of ``source``.
    private var document: JSONNode?
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
                .map { "the region \"\($0.identifier)\" is not used: the hub has none of this name".escapedName }
            saved.problems += own.filter { mine in
                (mine.hasCommands || mine.network != nil)
                    && configuration.regions.contains { $0.identifier == mine.identifier && !$0.hasSameSigns(as: mine) }
            }.map {
                "the commands and the network of the region \"\($0.identifier)\" are not used: the hub has other beacons for it; write those into beacons.json"
                    .escapedName
            }
            saved.problems += lacking.map {
                "the region \"\($0)\" is not used here: this standby does not have the key of its phone".escapedName
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
        let text = try ConfigurationText(exactly: bytes, file: file)
        (configuration, source) = (try text.configuration(), text)
        own = configuration.regions
        self.saved = SavedReport(file: savedFile)
        switch saved {
        case .success(let saved): merge(saved, in: directory ?? "")
        case .failure(let error): self.saved.problems = error.description.split(separator: "\n").map(String.init)
        }
    }

    private mutating func merge(_ regions: SavedRegions, in directory: String) {
        let name = saved.file ?? SavedRegions.fileName
        let patches = regions.patches.compactMap { patch -> RegionPatch? in
            do throws(Refusal) {
                return try permitted(patch, in: directory)
            } catch {
                saved.problems.append("\(name): \(error.description)".escapedName)
                return nil
            }
        }
        use(patches, name: name)
        use(regions.receivers, name: name)
        if let room = regions.room {
            configuration.node.room = room
            saved.room = room
        }
    }

    /// Uses the changes that are valid together.
    private mutating func use(_ patches: [RegionPatch], name: String) {
        guard !patches.isEmpty, let complete = try? source.completed() else { return }
        var document = complete.document
        var used = patches
        let whole = patches.reduce(document) { $0.setting($1) }
        if let valid = try? Configuration(whole, file: name) {
            (document, configuration) = (whole, valid)
        } else {
            // One that is not valid any more beside beacons.json must not hide the others.
            used = patches.filter { patch in
                do throws(ConfigurationError) {
                    let changed = document.setting(patch)
                    configuration = try Configuration(changed, file: name)
                    document = changed
                    return true
                } catch {
                    let found = error.problems.map { Self.withoutIndex($0).description }.joined(separator: "; ")
                    saved.problems.append("\(name): \"\(patch.identifier)\" is not used: \(found)".escapedName)
                    return false
                }
            }
        }
        if !used.isEmpty { self.document = document }
        let names = Set(own.map(\.identifier))
        saved.changed = Set(used.map(\.identifier)).intersection(names)
        saved.added = Set(used.map(\.identifier)).subtracting(names)
    }

    /// Uses the receivers that the page has added. One that is not valid any more beside beacons.json must not hide the others' regions.
    private mutating func use(_ receivers: [ReceiverChoice], name: String) {
        guard !receivers.isEmpty, let complete = try? source.completed() else { return }
        saved.receivers = receivers
        let changed = (document ?? complete.document).adding(receivers)
        do throws(ConfigurationError) {
            (configuration, document) = (try Configuration(changed, file: name), changed)
        } catch {
            let found = error.problems.map(\.description).joined(separator: "; ")
            saved.problems.append("\(name): the receivers are not used: \(found)".escapedName)
        }
    }

    /// Returns a region in JSON; null if the configuration does not have it.
    func region(_ identifier: String) -> JSONNode.Value {
        let regions = (document ?? source.document)["regions"]
        guard case .array(let nodes)? = regions?.value else { return .null }
        return nodes.first { $0["identifier"]?.value.string == identifier }?.value ?? .null
    }

    /// The text of the configuration.
    package var text: String {
        guard let document, let complete = try? source.completed() else { return source.text(of: source.document) }
        return complete.text(of: document)
    }

    /// The position is one in the merged tree, which the reader does not see.
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
    private func permitted(_ patch: RegionPatch, in directory: String) throws(Refusal) -> RegionPatch {
        if let region = own.first(where: { $0.identifier == patch.identifier }) {
            return try usable(PageRights.permitted(patch, of: region).located(in: directory))
        }
        guard patch.phone != nil || patch["uuid"]?.string != nil else {
            throw Refusal(description: "\"\(patch.identifier)\" is not used: beacons.json has no region of this name")
        }
        return try usable(patch.located(in: directory))
    }

    /// Returns a change if the keys of its phones can be read. A daemon without a key would not start; without the change it does.
    private func usable(_ patch: RegionPatch) throws(Refusal) -> RegionPatch {
        for file in patch.phones {
            do throws(IdentityFileError) {
                _ = try IdentityFile.load(file)
            } catch {
                // Other users may read the regions, and not the keys.
                if error.problem == .file(.unreadable(errno: EACCES)) { continue }
                throw Refusal(description: "\"\(patch.identifier)\" is not used: \(error)")
            }
        }
        return patch
    }
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
    /// The receivers of other makes that the page has added.
    package var receivers: [ReceiverChoice] = []
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
