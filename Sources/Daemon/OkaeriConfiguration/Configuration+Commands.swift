package import BlueZ
import OkaeriEvents
package import RegionMonitoring

extension Configuration {
    /// A command that the daemon runs for an event.
    package struct EventCommand: Sendable, Equatable {
        /// The source of the event. A command with the same trigger runs for the same devices.
        package enum Trigger: Sendable, Equatable {
            case region(String, signs: Set<RegionSign.Identity>, scope: Scope)
            case service(BluetoothUUID)
            /// All regions by their names, with the signs of each.
            case house(regions: [String: Set<String>])
        }

        /// The path of the key: `regions[1].onEnter`.
        package var place: String
        package var trigger: Trigger
        /// The program and its arguments; never empty.
        package var arguments: [String]

        /// The last part of ``place``: the event.
        package var key: Substring { place.split(separator: ".").last ?? "" }

        /// Returns whether the other command runs the same program for the same event of the same devices.
        package func isSame(as other: EventCommand) -> Bool {
            trigger == other.trigger && key == other.key && arguments == other.arguments
        }
    }

    /// The commands that the daemon runs for events.
    package var commands: [EventCommand] { commands(with: SavedRegions()) }

    /// Returns the commands that the daemon runs for events beside the regions that the page has saved.
    ///
    /// A saved region has no commands, and does not change the beacons of one that has. It is a part of the house.
    package func commands(with saved: SavedRegions) -> [EventCommand] {
        let ofRegions = regions.enumerated().flatMap { index, region in
            let trigger = EventCommand.Trigger.region(
                region.identifier, signs: Set(region.monitored.signs.map(\.identity)), scope: region.scope)
            return [("onEnter", region.onEnter), ("onExit", region.onExit), ("onPrompt", region.onPrompt)].map {
                EventCommand(place: "regions[\(index)].\($0)", trigger: trigger, arguments: $1)
            }
        }
        let ofServices = services.enumerated().flatMap { index, rule in
            [("onConnect", rule.onConnect), ("onDisconnect", rule.onDisconnect)].map {
                EventCommand(
                    place: "services[\(index)].\($0)", trigger: .service(rule.service), arguments: $1)
            }
        }
        let all = EventCommand.Trigger.house(regions: signsOfHouse(with: saved))
        let ofHouse = [("house.onOccupied", house.onOccupied), ("house.onEmpty", house.onEmpty)].map {
            EventCommand(place: $0, trigger: all, arguments: $1)
        }
        return (ofRegions + ofServices + ofHouse).filter { !$0.arguments.isEmpty }
    }

    private func signsOfHouse(with saved: SavedRegions) -> [String: Set<String>] {
        var signs: [String: Set<String>] = [:]
        for region in regions {
            signs[region.identifier, default: []].formUnion(region.monitored.signs.map(\.identity.description))
        }
        for patch in saved.patches {
            let phone = patch.phone.map { RegionSign.Identity.phone(file: $0).description }
            let others = patch.removing(["phone"]).signText
            let texts = [phone, others].compactMap(\.self)
            if !texts.isEmpty { signs[patch.identifier, default: []].formUnion(texts) }
        }
        return signs
    }
}

extension Configuration.EventCommand.Trigger {
    /// The paths of the key files of a region's phones.
    package var keyFiles: [String] {
        guard case .region(_, let signs, _) = self else { return [] }
        return signs.compactMap { sign in RegionSign(sign).phoneFile }
    }
}

extension Configuration.EventCommand.Trigger: CustomStringConvertible {
    /// The name and the devices, for people.
    package var description: String { description(changedKeys: []) }

    /// Returns the name and the devices, for people.
    ///
    /// - Parameter changedKeys: The key files of phones that get another key: a phone of the same file is another device then.
    package func description(changedKeys: Set<String>) -> String {
        let changed = Set(changedKeys.map { RegionSign.Identity.phone(file: $0).description })
        func list(_ signs: some Sequence<String>) -> String {
            signs.sorted().map { changed.contains($0) ? "\($0), whose key changes" : $0 }.joined(separator: " or ")
        }
        switch self {
        case .region(let name, let signs, let scope):
            let region = "the region \"\(name)\" (\(list(signs.map(\.description))))"
            return scope == .house ? "\(region) for the whole house" : region
        case .service(let uuid): return "the service \(uuid)"
        case .house(let regions):
            let all = regions.sorted { $0.key < $1.key }.map { "\"\($0.key)\" (\(list($0.value)))" }
            return "the house (\(all.joined(separator: ", ")))"
        }
    }
}
