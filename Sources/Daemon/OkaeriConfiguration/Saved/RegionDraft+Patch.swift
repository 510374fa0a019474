import Events
import Plumbing

extension RegionDraft {
    /// Returns this change followed by another one of the same region.
    func changed(by later: RegionDraft) -> RegionDraft {
        var merged = self
        for member in Member.allCases {
            guard let setting = later[member] else { continue }
            if member == .wifi, case .network(let old)? = merged[.wifi], case .network(let new) = setting,
                new[.ssid] == nil || new[.ssid] == old[.ssid]
            {
                merged[.wifi] = .network(old.merging(new) { $1 })
            } else {
                merged[member] = setting
            }
        }
        return merged
    }

    /// Takes the removals out, for a region that has nothing to remove.
    mutating func dropRemovals() {
        for member in Member.allCases where self[member] == .removed { self[member] = nil }
    }

    /// Returns the same change of a region with another name.
    func renamed(_ name: String) -> RegionDraft {
        var draft = RegionDraft(identifier: name)
        for member in Member.allCases { draft[member] = self[member] }
        draft.phone = phone
        return draft
    }

    /// Returns the same region with the path of its key file, if it is a phone.
    ///
    /// - Parameter directory: The state directory.
    func located(in directory: String) -> RegionDraft {
        var draft = self
        draft.phone = phone.map { SocketPath.absolute("\(directory)/\($0)") }
        return draft
    }

    /// The change as one JSON object on one line, with null for what it removes.
    var patchText: String {
        let members = Member.allCases.compactMap { member in
            settings[member].map { ", \(JSON.text(member.rawValue)): \($0.patchText)" }
        }
        let phone = phone.map { ", \"phone\": \(JSON.text($0))" } ?? ""
        return "{\"identifier\": \(JSON.text(identifier))\(phone)\(members.joined())}"
    }
}

extension RegionDraft.Setting {
    fileprivate var patchText: String {
        switch self {
        case .removed: "null"
        case .bool(let bool): "\(bool)"
        case .number(let number): number.isFinite ? number.plain : "null"
        case .string(let string): JSON.text(string)
        case .network(let members):
            "{"
                + RegionDraft.WiFiMember.allCases.compactMap { member in
                    members[member].map { "\(JSON.text(member.rawValue)): \($0.patchText)" }
                }.joined(separator: ", ") + "}"
        }
    }
}
