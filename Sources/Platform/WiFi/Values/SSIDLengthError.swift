/// A network's name is empty, or longer than the air can carry.
public struct SSIDLengthError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The length of the name, in bytes of UTF-8.
    public let length: Int

    public var description: String {
        length == 0
            ? "the network's name is empty; give the SSID as the access point sends it"
            : "the network's name is too long: it has \(length) bytes of UTF-8, and at most "
                + "\(HomeNetwork.longestSSID) are allowed; give the SSID as the access point sends it"
    }
}
