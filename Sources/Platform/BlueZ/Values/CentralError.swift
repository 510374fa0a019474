import OkaeriDBus
import OkaeriPlumbing

/// The reason why a request of a central failed: what happened, why, and what to do.
public enum CentralError: Error, Sendable, Hashable {
    /// There is no system bus, or it closes the connection; `reason` is the end of a sentence.
    case noBus(reason: String)
    /// bluetoothd is not running.
    case noDaemon
    /// No adapter, or not the one of this name.
    case noAdapter(String?)
    /// The adapter is switched off, or blocked by rfkill.
    case poweredOff(adapter: String)
    /// The bus does not let this user talk to bluetoothd (`org.freedesktop.DBus.Error.AccessDenied`).
    case notPermitted(reason: String)
    /// The peripheral was not heard for as long as that.
    case notFound(address: String, after: Duration)
    /// bluetoothd could not connect it, or lost it at once; `reason` is its own: `le-connection-abort-by-local`.
    case connectionFailed(address: String, reason: String)
    /// The peripheral went away, was switched off, or was lost with bluetoothd or the adapter. The reason is that of
    /// bluetoothd 5.82 and later; `nil` with an earlier one, and if there was no connection.
    case disconnected(address: String, reason: DisconnectionReason? = nil)
    /// The peripheral does not have this characteristic.
    case noCharacteristic(CharacteristicSelector, address: String)
    /// The peripheral has several of these characteristics. The choices select one each.
    case ambiguous(CharacteristicSelector, choices: [CharacteristicSelector])
    /// The characteristic does not have this property.
    case notSupported(BluetoothUUID, CharacteristicProperty)
    /// The peripheral, or bluetoothd, does not do it with this characteristic.
    case refused(BluetoothUUID, Refusal)
    /// `what`, as the beginning of a sentence, has taken longer than that.
    case timedOut(what: String, after: Duration)
    /// bluetoothd answers to `what`, as the beginning of a sentence, as it should not.
    case unexpected(what: String, reason: String)
    /// The task was cancelled.
    case cancelled

    /// The reason why a peripheral refuses reading or writing (Core Specification, Vol 3, Part F, 3.4.1.1).
    public enum Refusal: Sendable, Hashable {
        /// Only a paired device may: ATT's errors 0x05, 0x08, 0x0C and 0x0F.
        case notAuthorized
        /// Not for this value: 0x02 and 0x03.
        case notPermitted
        /// The value is too long or too short: 0x0D.
        case invalidLength
        /// The value ends before that: 0x07.
        case invalidOffset
        /// The peripheral cannot do it: 0x06.
        case notSupported
        /// Another request for the same value is under way.
        case busy
        /// Another error, as a text.
        case other(String)
    }
}

extension CentralError: CustomStringConvertible {
    /// The number of choices in a message.
    private static let shownChoices = 16

    /// The failure, its reason and the remedy.
    public var description: String {
        switch self {
        case .noBus(let reason):
            "the system bus cannot be reached: \(reason); check that \(Installation.words("dbus runs with `systemctl status dbus`", or: "\(Installation.name.english) has the socket of the system bus, and the machine its user, as docs/containers.md shows"))"
        case .noDaemon:
            "bluetoothd is not running; \(Remedy.start("bluetooth", by: "enable --now").order("start it with ")) (Debian's package is bluez)"
        case .noAdapter(let name?):
            "there is no adapter \(name); `ls /sys/class/bluetooth` lists those that there are"
        case .noAdapter(nil):
            "there is no Bluetooth adapter; plug one in, or look for the reason with `dmesg | grep -i bluetooth`"
        case .poweredOff(let adapter):
            "Bluetooth is off: the adapter \(adapter) has no power; switch it on with `rfkill unblock bluetooth`, then "
                + "`bluetoothctl power on`"
        case .notPermitted(let reason):
            "this user may not use bluetoothd: \(reason); \(Installation.words("run the command with sudo, or join the group with `sudo adduser $USER bluetooth` and log in again", or: Remedy.busUser))"
        case .notFound(let address, let limit):
            "\(address) was not received within \(limit.inSeconds); switch it on, bring it near, and end its connection to "
                + "another device: `okaeri devices` lists the devices in range"
        case .connectionFailed(let address, let reason):
            "\(address) could not be connected: \(reason); bring it nearer, make sure that no other device is connected to it, and "
                + "try again, or pair it first with `bluetoothctl pair \(address)`"
        case .disconnected(let address, let reason):
            "\(address) was disconnected: "
                + (reason.map { "\($0)" } ?? "it went out of range, was switched off, or Bluetooth was")
                + "; try again when it is back, or pair it first with `bluetoothctl pair \(address)`"
        case .noCharacteristic(let selector, let address):
            "\(address) has no characteristic \(selector.title); `okaeri connect \(address)` lists those it has"
        case .ambiguous(let selector, let choices):
            "there are several characteristics \(selector.title); use one of "
                + choices.prefix(Self.shownChoices).map(\.description).joined(separator: ", ")
                + (choices.count > Self.shownChoices ? ", …" : "")
        case .notSupported(let uuid, let property):
            "\(uuid.characteristicTitle) cannot do that: it does not have the property \(property.rawValue); "
                + "`okaeri connect` lists the properties"
        case .refused(let uuid, let refusal):
            "\(uuid.characteristicTitle) was refused: \(refusal)"
        case .timedOut(let what, let limit):
            "\(what) took longer than \(limit.inSeconds) and was stopped; bring the peripheral nearer and try again, or "
                + "pair it first with `bluetoothctl`"
        case .unexpected(let what, let reason):
            "\(what) failed: \(reason); \(Remedy.log("bluetooth")) may show why, and "
                + "\(Remedy.restart("bluetooth")) often helps"
        case .cancelled:
            "it was cancelled"
        }
    }
}

extension CentralError.Refusal: CustomStringConvertible {
    /// The reason and the remedy, without the name of the characteristic.
    public var description: String {
        switch self {
        case .notAuthorized:
            "only a paired device may do that; pair it once with `bluetoothctl pair ADDRESS`"
        case .notPermitted: "the peripheral does not allow it; its properties show what it allows"
        case .invalidLength: "the value has the wrong length; the peripheral's documentation has the right one"
        case .invalidOffset: "the value is not that long; read it from its beginning"
        case .notSupported: "the peripheral does not support it; its properties show what it supports"
        case .busy: "another request for it is under way; try again in a moment"
        case .other(let reason): "\(reason); the peripheral's documentation may explain it"
        }
    }
}

extension Duration {
    var inSeconds: String { "\((self / .seconds(1)).plain) s" }
}

extension BluetoothUUID {
    /// `Battery Level (2A19)`.
    public var characteristicTitle: String { characteristicName.map { "\($0) (\(self))" } ?? description }

    /// `Battery (180F)`.
    public var serviceTitle: String { serviceName.map { "\($0) (\(self))" } ?? description }
}

extension CentralError {
    /// Creates the error of a call to bluetoothd that needs no peripheral.
    ///
    /// - Parameters:
    ///   - what: The request, as the beginning of a sentence.
    ///   - limit: The time limit that has passed.
    init(_ error: BusError, what: String, limit: Duration) {
        switch error {
        case .noOwner: self = .noDaemon
        case .timedOut: self = .timedOut(what: what, after: limit)
        case .disconnected(let why): self = .noBus(reason: why)
        case .cancelled: self = .cancelled
        case .refused("org.freedesktop.DBus.Error.AccessDenied", let message): self = .notPermitted(reason: message)
        case .refused(let name, let message):
            self = .unexpected(what: what, reason: message.isEmpty ? name : message)
        case .unreadable: self = .unexpected(what: what, reason: "\(error)")
        }
    }

    /// Creates the error of reading, writing or subscribing to a characteristic.
    init(_ error: BusError, uuid: BluetoothUUID, address: String, what: String, limit: Duration) {
        switch error {
        case .refused("org.bluez.Error.NotConnected", _): self = .disconnected(address: address)
        // The object has gone, with its peripheral.
        case .refused("org.freedesktop.DBus.Error.UnknownObject", _),
            .refused("org.freedesktop.DBus.Error.UnknownMethod", _):
            self = .disconnected(address: address)
        case .refused("org.bluez.Error.Failed", "Not connected"): self = .disconnected(address: address)
        case .refused("org.bluez.Error.NotAuthorized", _): self = .refused(uuid, .notAuthorized)
        case .refused("org.bluez.Error.NotPermitted", _): self = .refused(uuid, .notPermitted)
        case .refused("org.bluez.Error.InvalidValueLength", _): self = .refused(uuid, .invalidLength)
        case .refused("org.bluez.Error.InvalidArguments", "Invalid Length"): self = .refused(uuid, .invalidLength)
        case .refused("org.bluez.Error.InvalidOffset", _): self = .refused(uuid, .invalidOffset)
        case .refused("org.bluez.Error.NotSupported", _): self = .refused(uuid, .notSupported)
        case .refused("org.bluez.Error.InProgress", _): self = .refused(uuid, .busy)
        case .refused("org.bluez.Error.Failed", let message): self = .refused(uuid, .init(failure: message))
        case .noOwner, .disconnected: self = .disconnected(address: address)
        case .timedOut, .cancelled, .refused, .unreadable: self.init(error, what: what, limit: limit)
        }
    }
}

extension CentralError.Refusal {
    /// bluetoothd has no name of its own for most of ATT's error codes, and writes the number into the message.
    init(failure message: String) {
        let code = message.split(separator: "ATT error: 0x").dropFirst().first.flatMap { UInt8(hexadecimal: $0) }
        switch code {
        case 0x02, 0x03: self = .notPermitted
        case 0x05, 0x08, 0x0C, 0x0F: self = .notAuthorized
        case 0x07: self = .invalidOffset
        case 0x0D: self = .invalidLength
        case 0x06: self = .notSupported
        case 0x0E: self = .other("the peripheral could not do it (ATT error 0x0E, unlikely error)")
        case let code?:
            self = .other("the peripheral answers with its error \(hexadecimal(code))")
        case nil: self = .other(message.isEmpty ? "bluetoothd gives no reason" : message)
        }
    }
}
