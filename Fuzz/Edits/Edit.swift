@testable import OkaeriConfiguration
import OkaeriFuzzSupport
import IBeacon
import OkaeriWiFi
import RegionMonitoring

/// An edit that was carried out: what must hold of the text after it.
struct Edit {
    let patch: RegionPatch
    let old: String
    let new: String

    private typealias Members = [(key: String, text: [UInt8], node: JSONNode)]

    func check(movesHooks: Bool) {
        guard let configuration = try? Configuration(json: Array(new.utf8), file: ""),
            let region = configuration.regions.first(where: { $0.identifier == patch.identifier })
        else { return require(false, "an edit makes no configuration with its region: \(new)") }
        checkHooks(region, movesHooks: movesHooks)
        let again = try? ConfigurationText(new, file: "").setting(patch)
        require(again == new, "the same edit once more changes the text: \(new)")
        let (before, after) = (members(old), members(new))
        require(
            isSame(before.filter { $0.key != "regions" }, after.filter { $0.key != "regions" }), "another key changed")
        checkRegions(regions(old), regions(new))
    }

    /// The commands are those that were there, and no other beacon runs them.
    private func checkHooks(_ region: Configuration.Region, movesHooks: Bool) {
        let before = try? ConfigurationText(old, file: "").configuration().regions.first {
            $0.identifier == patch.identifier
        }
        guard let before else { return require(!region.hasCommands, "an edit adds commands") }
        require(
            (before.onEnter, before.onExit, before.onPrompt) == (region.onEnter, region.onExit, region.onPrompt),
            "an edit changes commands")
        require(before.scope == region.scope, "an edit changes the scope of commands")
        let isMoved = !before.hasSameSigns(as: region)
        require(movesHooks == (isMoved && before.hasCommands), "another beacon runs the commands")
    }

    /// The other regions stay byte for byte, in their order.
    private func checkRegions(_ before: [Members], _ after: [Members]) {
        guard let index = after.firstIndex(where: { identifier($0) == patch.identifier }) else {
            return require(false, "the region is not there")
        }
        let isNew = !before.contains { identifier($0) == patch.identifier }
        require(after.count == before.count + (isNew ? 1 : 0), "there are regions too many")
        let others = after.indices.filter { $0 != index }
        let kept = before.filter { identifier($0) != patch.identifier }
        require(zip(kept, others).allSatisfy { isSame($0, after[$1]) }, "another region changed")
        checkMembers(isNew ? [] : before[index], after[index])
    }

    private func checkMembers(_ before: Members, _ after: Members) {
        let edited = Set(PageRights.keys.filter { patch[$0] != nil }).union(["identifier"])
        func untouched(_ members: Members) -> Members { members.filter { !edited.contains($0.key) } }
        require(isSame(untouched(before), untouched(after)), "what is not named changed")
        for key in PageRights.keys {
            guard let value = patch[key] else { continue }
            let node = after.first { $0.key == key }?.node
            switch value {
            case .null: require(node == nil, "\(key) is there")
            case .object: checkNetwork(value, before.first { $0.key == key }?.node, node)
            default: require(node?.value == value, "\(key) is another")
            }
        }
    }

    /// A passphrase file stays with its network, and none comes in.
    private func checkNetwork(_ settings: JSONNode.Value, _ before: JSONNode?, _ after: JSONNode?) {
        func member(_ key: String, _ node: JSONNode?) -> String? {
            guard case .object(let members)? = node?.value else { return nil }
            return members.first { $0.key == key }?.node.value.string
        }
        require(settings["passphraseFile"] == nil, "a page names a file")
        let (old, new) = (member("passphraseFile", before), member("passphraseFile", after))
        require(new == nil || new == old, "a passphrase file comes in")
        guard let ssid = member("ssid", after) else { return require(false, "a network without a name") }
        if new != nil { require(member("ssid", before).flatMap { SSID($0) } == SSID(ssid), "another network has it") }
        if case .string(let wanted)? = settings["ssid"] { require(ssid == wanted, "another network") }
    }

    // MARK: - The texts

    private func regions(_ text: String) -> [Members] {
        guard let document = try? JSONNode(json: Array(text.utf8), file: ""),
            case .object(let members) = document.value,
            case .array(let regions)? = members.first(where: { $0.key == "regions" })?.node.value
        else { return [] }
        return regions.map { Self.members($0, in: Array(text.utf8)) }
    }

    private func members(_ text: String) -> Members {
        guard let document = try? JSONNode(json: Array(text.utf8), file: "") else { return [] }
        return Self.members(document, in: Array(text.utf8))
    }

    private static func members(_ node: JSONNode, in bytes: [UInt8]) -> Members {
        guard case .object(let members) = node.value else { return [] }
        return members.map { ($0.key, Array(bytes[$0.node.range]), $0.node) }
    }

    private func identifier(_ region: Members) -> String? { region.first { $0.key == "identifier" }?.node.value.string }

    private func isSame(_ one: Members, _ other: Members) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { $0.key == $1.key && $0.text == $1.text }
    }
}
