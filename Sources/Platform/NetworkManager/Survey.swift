import DBus
import WiFi

/// The ways to join a network at one moment.
enum Survey {
    /// A device is connected to it; its name.
    case connected(device: String?)

    /// It can be joined like this.
    case ready(JoinPlan)

    /// It cannot be joined.
    case unavailable(JoinFailure)
}

struct JoinPlan {
    let device: GObjectReference

    /// The D-Bus path of the access point: the strongest one that is protected as it must be.
    let accessPointPath: String

    let keys: NetworkSecurity.KeyManagement

    /// The strength of the access point, in percent, as NetworkManager rates it.
    let strength: Int

    /// NetworkManager's profile; nil if one is to be made from the passphrase file of this path.
    let profile: GObjectReference?

    let passphraseFile: String?

    var credentials: NetworkCondition.Credentials { profile == nil ? .passphraseFile : .savedProfile }
}
