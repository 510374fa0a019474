package import HCI
import Plumbing

/// The keys of phones that ESPresense publishes as retained messages, for `okaeri enroll --from-broker`.
///
/// Any client of the broker can publish these messages, so their number and size are bounded, and names are filtered.
package struct PhoneDirectory: Sendable {
    /// A phone and its key.
    package struct Phone: Sendable, Equatable {
        package var name: String
        package var key: IdentityResolvingKey
    }

    private static let limit = 64
    private static let payloadLimit = 4096
    private static let nameLimit = 64
    private static let prefix = ["espresense", "settings"]

    /// The filter of the messages.
    package static let filter = "espresense/settings/+/config"

    /// The phones, in the order of their messages.
    package private(set) var phones: [Phone] = []

    package init() {}

    private struct Settings: Decodable {
        var id: String?
        var name: String?
    }

    /// Receives a message: `espresense/settings/irk:<32 digits>/config` with `{"id": …, "name": …}`.
    package mutating func receive(topic: String, payload: [UInt8]) {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        guard levels.count == 4, levels[..<2].elementsEqual(Self.prefix, by: { $0 == $1 }), levels[3] == "config",
            levels[2].hasPrefix(IdentityResolvingKey.prefix), payload.count <= Self.payloadLimit,
            let key = IdentityResolvingKey(levels[2])
        else { return }
        phones.removeAll { $0.key == key }
        guard phones.count < Self.limit, let settings = Wire.decode(Settings.self, payload) else { return }
        let names = [settings.name, settings.id].compactMap { $0?.plain(replacesFormat: true) }
        let name = names.first { !$0.isEmpty && !Self.shows(key, in: $0) }
        phones.append(
            Phone(name: name.map { String($0.prefix(Self.nameLimit)) } ?? "phone \(phones.count + 1)", key: key))
    }

    /// Whether a text is a key or contains this one. ESPresense names a phone `irk:<digits>` if the user gave it no name.
    private static func shows(_ key: IdentityResolvingKey, in text: String) -> Bool {
        let digits = text.lowercased()
        return IdentityResolvingKey(text) != nil
            || [key, key.reversed].contains { digits.contains($0.secretText.lowercased()) }
    }
}
