import OkaeriPlumbing

/// A browser that was let in.
package struct BrowserSession: Codable, Hashable, Sendable {
    /// The identifier for revoking it: six hexadecimal digits.
    package var id: String
    /// The name that it gave itself, or that a user gave it.
    package var name: String
    /// The times of its login and of its last request, to the hour: seconds since the Unix epoch.
    package var since: Int64
    package var seen: Int64
    /// Of its cookie, in hexadecimal digits.
    var digest: String

    /// The longest name in characters, and in bytes: a character may have any number of accents.
    private static let longestName = (characters: 60, bytes: 240)

    /// Returns the readable part of a name, which comes from any client with a link; `nil` if nothing of it is visible.
    static func visible(_ name: String) -> String? {
        var visible = ""
        for character in name.plain(replacesFormat: true).prefix(longestName.characters) {
            guard visible.utf8.count + character.utf8.count <= longestName.bytes else { break }
            visible.append(character)
        }
        return visible.hasVisibleCharacter ? visible : nil
    }

    /// Returns the readable part of a name, or the name of a browser without one.
    static func readable(_ name: String) -> String { visible(name) ?? "a browser" }

    static func text(_ bytes: [UInt8]) -> String {
        bytes.map { hexadecimal($0, prefix: "", uppercase: false) }.joined()
    }

    /// Whether this can be one: a file may be damaged.
    var isSound: Bool {
        id.utf8.count == 6 && digest.utf8.count == 64
            && (id + digest).utf8.allSatisfy { $0.hexadecimalValue != nil } && (0...253_402_300_799).contains(since)
            && (0...253_402_300_799).contains(seen)
    }

    /// The same with the readable part of its name: earlier versions stored longer ones.
    var withReadableName: BrowserSession {
        var session = self
        session.name = Self.readable(name)
        return session
    }
}

/// The devices as they are kept: in a state file from before there were any, there is none.
package struct LoginsMemory: PersistedMemory {
    package var webDevices: [BrowserSession]?

    package init(_ devices: [BrowserSession]) {
        webDevices = devices.isEmpty ? nil : devices
    }

    private enum CodingKeys: String, CodingKey {
        case webDevices
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        webDevices = try members.decodeIfPresent([BrowserSession].self, forKey: .webDevices)?.map(\.withReadableName)
        let isSound = (webDevices ?? []).allSatisfy(\.isSound) && (webDevices?.count ?? 0) <= Logins.mostDevices
        guard isSound else {
            throw DecodingError.dataCorruptedError(
                forKey: .webDevices, in: members, debugDescription: "a device that was let in is not valid")
        }
    }
}
