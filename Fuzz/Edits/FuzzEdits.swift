@testable import OkaeriConfiguration
import OkaeriFuzzSupport
import HTTPTypes
@testable import OkaeriDaemon
import OkaeriServer

/// The input is a configuration, a zero octet, and the edit that a page sends: `{"region": {"identifier": …}, "dry": false}`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzEdits(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = input(start, count)
    let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
    guard let old = String(validating: bytes[..<end], as: UTF8.self) else { return 0 }
    checkRedaction(old)
    let request = Array(bytes[end...].dropFirst())
    let patch: RegionPatch
    do throws(PageFailure) {
        patch = try PageData.request(request).patch
    } catch {
        require(error.status.code == 400 && !error.sentence.isEmpty, "an edit is refused without a sentence")
        return 0
    }
    do throws(ConfigurationError) {
        let text = try ConfigurationText(old, file: "beacons.json")
        let new = try text.setting(patch)
        Edit(patch: patch, old: old, new: new).check(
            movesHooks: try movesHooks(of: patch.identifier, from: old, to: new))
        checkRedaction(new)
    } catch {
        requireWords(error)
        let secrets = secrets(in: old, besides: request)
        require(!secrets.contains { error.description.contains($0) }, "a refusal shows a command: \(error)")
    }
    return 0
}

/// Returns whether a page must not make the edit, because of the commands of the region.
private func movesHooks(
    of identifier: String, from old: String, to new: String
) throws(ConfigurationError) -> Bool {
    _ = try ConfigurationText(old, file: "beacons.json").configuration()
    // A text without regions has no commands of a region.
    guard
        let merged = try? MergedConfiguration(
            json: Array(old.utf8), file: "beacons.json", savedFile: nil, saved: .success(SavedRegions()))
    else { return false }
    let rights = PageRights(identifier, in: merged, file: "beacons.json")
    let changed = try Configuration(json: Array(new.utf8), file: "beacons.json")
    return (try? rights.check(changed)) == nil
}

/// Checks that the text for a page has no commands, is otherwise the same, and replaces no configuration that has some.
private func checkRedaction(_ text: String) {
    do throws(ConfigurationError) {
        let shown = try CommandRedaction(text, file: "beacons.json")
        guard shown.isRedacted else { return require(shown.text == text, "a text without commands is changed") }
        let isTaken = (try? Configuration(json: Array(shown.text.utf8), file: "beacons.json")) != nil
        require(!isTaken, "a configuration without its commands is accepted")
        require(!commands(in: text).contains { shown.text.contains($0) }, "a command is shown")
        let again = try CommandRedaction(shown.text, file: "beacons.json")
        require(again.text == shown.text, "a text without commands has others")
    } catch {
        requireWords(error)
    }
}

/// The strings of commands and passphrase files that stand nowhere else in the text, the request or a message. Shorter ones may
/// be a part of any message.
private func secrets(in text: String, besides request: [UInt8]) -> [String] {
    let examples = "an absolute path, or $CREDENTIALS_DIRECTORY/NAME, such as E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    let others = String(decoding: request, as: UTF8.self) + examples
    return strings(in: text, of: Configuration.privateKeys).filter { $0.count >= 8 && !others.contains($0) }
}

/// The strings of commands that stand nowhere else in the text.
private func commands(in text: String) -> [String] { strings(in: text, of: Configuration.commandKeys) }

private func strings(in text: String, of keys: Set<String>) -> [String] {
    guard let document = try? JSONNode(json: Array(text.utf8), file: "") else { return [] }
    var rest = Array(text.utf8)
    var found: [String] = []
    collect(document, keys, isWanted: false, &found, &rest)
    let others = String(decoding: rest, as: UTF8.self)
    // Shorter ones are part of every sentence.
    return found.filter { $0.utf8.count >= 12 && !others.contains($0) }
}

/// Blanks what is found.
private func collect(
    _ node: JSONNode, _ keys: Set<String>, isWanted: Bool, _ found: inout [String], _ rest: inout [UInt8]
) {
    switch node.value {
    case .null, .bool, .number: break
    case .string(let text):
        guard isWanted else { return }
        found.append(text)
        for index in node.range { rest[index] = 0x20 }
    case .array(let elements):
        for element in elements { collect(element, keys, isWanted: isWanted, &found, &rest) }
    case .object(let members):
        for member in members {
            collect(member.node, keys, isWanted: isWanted || keys.contains(member.key), &found, &rest)
        }
    }
}
