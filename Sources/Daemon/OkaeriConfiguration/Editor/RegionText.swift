import Events
import Plumbing
import WiFi

extension RegionDraft {
    /// The text of a region that the draft is carried out on.
    func edited(_ region: ObjectText) -> ObjectText {
        var region = region
        for (position, member) in Member.allCases.enumerated() {
            guard let setting = self[member] else { continue }
            let key = member.rawValue
            guard let value = text(of: setting, in: region.text(of: key)) else {
                region.remove(key)
                continue
            }
            let before = ["identifier"] + Member.allCases[..<position].map(\.rawValue)
            region.set(key, to: value, after: before)
        }
        return region
    }

    /// The text of a new region.
    func text(_ layout: Layout) -> [UInt8] {
        let identifier = layout.member("identifier", Array(JSON.text(identifier).utf8))
        let members = Member.allCases.compactMap { member -> [UInt8]? in
            guard let setting = self[member], let value = text(of: setting, in: nil) else { return nil }
            return layout.member(member.rawValue, value)
        }
        let phone = phone.map { layout.member("phone", Array(JSON.text($0).utf8)) }
        return layout.object([identifier] + [phone].compactMap(\.self) + members)
    }

    /// The text of a value; nil where there is to be none.
    ///
    /// - Parameter old: The old text.
    private func text(of setting: Setting, in old: [UInt8]?) -> [UInt8]? {
        if case .network(let settings) = setting {
            network(settings, in: old.flatMap(ObjectText.init))
        } else {
            setting.text
        }
    }

    private func network(_ settings: [WiFiMember: Setting], in old: ObjectText?) -> [UInt8]? {
        func text(_ member: WiFiMember) -> [UInt8]? { settings[member].flatMap { self.text(of: $0, in: nil) } }
        guard var network = old else {
            let layout = Layout.line
            return layout.object(
                WiFiMember.allCases.compactMap { member in text(member).map { layout.member(member.rawValue, $0) } })
        }
        let keepsPassphrase = settings[.ssid].map { $0.name != nil && $0.name == network.name } ?? true
        for (position, member) in WiFiMember.allCases.enumerated() {
            if let value = text(member) {
                network.set(member.rawValue, to: value, after: WiFiMember.allCases[..<position].map(\.rawValue))
            } else if settings[member] != nil || member == .passphraseFile && !keepsPassphrase {
                network.remove(member.rawValue)
            }
        }
        // They are those of the former network.
        if !keepsPassphrase { for key in ["security", "hotspot"] { network.remove(key) } }
        return network.bytes
    }
}

extension ObjectText {
    /// The network that the `wifi` entry names.
    fileprivate var name: SSID? { members.first { $0.key == "ssid" }?.node.value.string.map { SSID($0) } }
}

extension RegionDraft.Setting {
    /// The JSON of one value; `nil` for none.
    var text: [UInt8]? {
        switch self {
        case .removed, .network: nil
        case .bool(let bool): Array("\(bool)".utf8)
        // JSON cannot represent the other numbers; the check then rejects null.
        case .number(let number): Array((number.isFinite ? number.plain : "null").utf8)
        case .string(let string): Array(JSON.text(string).utf8)
        }
    }

    fileprivate var name: SSID? { if case .string(let ssid) = self { SSID(ssid) } else { nil } }
}
