import IBeacon
import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring
import SystemPackage

/// `house.json` on the disk: the regions of the hub, as a standby received them last. It has the keys of `beacons.json`, without commands,
/// networks and the directories of key files.
package struct HouseRegionsFile: Sendable {
    /// The limit in bytes: that of a message.
    package static let sizeLimit = 128 << 10

    private let directory: String

    /// - Parameter directory: The state directory.
    package init(directory: String) { self.directory = directory }

    private var path: String { "\(directory)/\(StateDirectory.File.house.rawValue)" }

    /// Stores regions if they are valid. Blocking.
    ///
    /// - Returns: whether they are other ones than before.
    package func write(_ text: [UInt8]) throws -> Bool {
        _ = try Configuration(json: text, file: "the regions of the hub")
        guard try StateDirectory.contents(of: .house, in: directory) != text else { return false }
        try FileDescriptor.replaceFile(at: path, with: text, permissions: StateDirectory.File.house.permissions)
        return true
    }

    /// Returns the regions; without a file an empty list. Blocking.
    func regions() throws(ConfigurationError) -> [Configuration.Region] {
        let bytes: [UInt8]?
        do throws(FilePlace.Problem) {
            bytes = try StateDirectory.contents(of: .house, in: directory)
        } catch {
            throw ConfigurationError(
                file: path, place: ConfigurationError.wholeFile, found: error.description,
                expected: "a file of the daemon; delete it, and the hub sends it again")
        }
        guard let bytes else { return [] }
        return try Configuration(json: bytes, file: path).regions
    }
}

extension Configuration.Region {
    /// The region of a hub at a standby: commands, network and key files are those of its own configuration.
    ///
    /// - Parameter own: The regions of its own configuration.
    /// - Returns: `nil` if it has none of the signs: they are phones whose keys it does not have.
    func atStandby(_ own: [Configuration.Region]) -> Configuration.Region? {
        // Any client with the right to can write the definitions: commands and networks of theirs have no effect.
        let mine = own.first { $0.identifier == identifier }
        var region = mine ?? Configuration.Region(monitored: monitored)
        let files = own.flatMap(\.monitored.signs).compactMap(\.phoneFile)
        let signs = monitored.signs.compactMap { sign -> RegionSign? in
            guard let name = sign.phoneFile.map({ FilePath($0).lastComponent }) else { return sign }
            guard let file = files.first(where: { FilePath($0).lastComponent == name }) else { return nil }
            var sign = sign
            sign.identity = .phone(file: file)
            return sign
        }
        guard let first = signs.first else { return nil }
        region.monitored = MonitoredRegion(
            identifier: identifier, first, or: Array(signs.dropFirst()), notifyOnEntry: monitored.notifyOnEntry,
            notifyOnExit: monitored.notifyOnExit, ranging: monitored.ranging, battery: monitored.battery)
        // The definitions do not choose the beacon that runs a command of this machine.
        guard let mine, !region.hasSameSigns(as: mine) else { return region }
        region.network = nil
        (region.onEnter, region.onExit, region.onPrompt) = ([], [], [])
        return region
    }

    /// The region for a standby: a JSON object with the keys of a configuration, in one line.
    package var definition: String {
        let signs = monitored.signs.map(\.definition)
        let flags = [
            monitored.notifyOnEntry ? nil : EventField("notifyOnEntry", .flag(false)),
            monitored.notifyOnExit ? nil : EventField("notifyOnExit", .flag(false)),
            monitored.ranging == .off ? nil : EventField("ranging", .flag(true)),
            monitored.battery == .advertised ? nil : EventField("battery", .text(monitored.battery.rawValue)),
        ].compactMap(\.self)
        let own = signs.count == 1 ? signs[0] : [EventField("anyOf", .list(signs))]
        return ([EventField("identifier", .text(identifier))] + own + flags).json
    }
}

extension RegionSign {
    fileprivate var definition: [EventField] {
        let identity =
            switch identity {
            case .beacon(let beacons):
                [
                    EventField("uuid", .text("\(beacons.uuid)")),
                    beacons.major.map { EventField("major", .integer(Int($0))) },
                    beacons.minor.map { EventField("minor", .integer(Int($0))) },
                    beacons.mask == .all ? nil : EventField("mask", .object(MaskReport(beacons.mask).fields)),
                ]
            case .phone(let file): [EventField("phone", .text("/\(FilePath(file).lastComponent?.string ?? "")"))]
            }
        let settings = [
            enterRSSI.map { EventField("enterRSSI", .integer($0)) },
            exitRSSI.map { EventField("exitRSSI", .integer($0)) },
            exitAfter.map { EventField("exitAfter", .number($0 / .seconds(1))) },
            sensitivity == .balanced ? nil : EventField("sensitivity", .text(sensitivity.rawValue)),
            measuredPower.map { EventField("measuredPower", .integer(Int($0))) },
            pathLossExponent.map { EventField("pathLossExponent", .number($0)) },
        ]
        return (identity + settings).compactMap(\.self)
    }
}
