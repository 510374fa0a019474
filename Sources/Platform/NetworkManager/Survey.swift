import OkaeriDBus
import OkaeriWiFi

/// The ways to join a network at one moment.
enum Survey {
    /// A device is connected to it; its name.
    case connected(device: String?)

    /// A device is on its way to it.
    case connecting

    /// It can be joined like this.
    case ready(JoinPlan)

    /// It cannot be joined.
    case unavailable(JoinFailure)

    /// Whether the rights of this user decide what can be done.
    var needsPermission: Bool {
        switch self {
        case .ready, .unavailable(.radioOff): true
        case .connected, .connecting, .unavailable: false
        }
    }
}

struct JoinPlan {
    let device: GObjectReference

    /// The D-Bus path of the access point: the strongest one that is protected as it must be.
    let accessPointPath: String

    let keys: NetworkSecurity.KeyManagement

    /// The strength of the access point, in percent, as NetworkManager rates it.
    let strength: Int

    /// Whether the device is connected to an unprotected network of the same name.
    let replacesWeakTwin: Bool

    /// NetworkManager's profile; nil if one is to be made with the passphrase.
    let profile: GObjectReference?

    /// The passphrase of a new profile, or that of an earlier one that was made from the passphrase file.
    let passphrase: PassphraseSource?

    var credentials: NetworkCondition.Credentials { passphrase == nil ? .savedProfile : .passphraseFile }
}

/// The source of the passphrase of a new profile.
enum PassphraseSource {
    case file(String)
    case typed(TypedPassphrase)

    var isRawKey: Bool {
        get throws(PassphraseFileError) {
            switch self {
            case .file(let path): try PassphraseFile.load(path).isRawKey
            case .typed(let passphrase): passphrase.isRawKey
            }
        }
    }

    /// Lends the passphrase as a C string.
    func withCString<T>(_ body: (UnsafePointer<CChar>) -> T) throws(PassphraseFileError) -> T {
        switch self {
        case .file(let path):
            let passphrase = try PassphraseFile.load(path)
            return passphrase.withCString(body)
        case .typed(let passphrase): return passphrase.withCString(body)
        }
    }
}
