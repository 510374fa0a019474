import DBus
import Plumbing

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
