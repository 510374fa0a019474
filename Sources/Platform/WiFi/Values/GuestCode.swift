/// The text of a QR code that joins a network with a phone's camera, as Android and iOS read it (Wi-Fi Alliance, WPA3 Specification 3.0, 7).
package struct GuestCode: Sendable {
    /// `WIFI:T:WPA;S:HomeNet;P:correct horse;;`, with a backslash before each of `\ ; , : "`.
    package let text: String

    package init(_ network: HomeNetwork, passphrase: UnsafePointer<CChar>) {
        self.init(
            ssid: network.ssid, passphrase: String(cString: passphrase), isWPA3: network.security == .wpa3)
    }

    /// - Parameters:
    ///   - isWPA3: Whether the network has WPA3 alone, which the text then requires of the guest's device, too.
    package init(ssid: String, passphrase: String, isWPA3: Bool) {
        func escaped(_ text: String) -> String {
            text.reduce(into: "") { result, character in
                if #"\;,:""#.contains(character) { result += "\\" }
                result.append(character)
            }
        }
        text = "WIFI:T:WPA;" + (isWPA3 ? "R:1;" : "") + "S:\(escaped(ssid));P:\(escaped(passphrase));;"
    }
}
