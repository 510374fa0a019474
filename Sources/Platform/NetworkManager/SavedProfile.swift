/// The result of a request for a profile of a network.
package enum SavedProfile: Sendable, Equatable {
    /// There is one that fits, or the device is connected to the network.
    case existing
    /// The profile is new, and the device has joined the network with it.
    case joined(device: String?)
    /// The profile is new. The device is connected to another network, so nothing has tried the passphrase.
    case untried(device: String?)
}
