import HCI

/// The address of another device, with its type: an entry of the accept list.
struct Peer: Hashable, Sendable {
    let address: BluetoothAddress
    let type: BluetoothAddressType
}

extension Peer {
    /// Reads address type and address, as the accept list's commands send them; nil when they are cut.
    init?(_ parameters: some Collection<UInt8>) {
        guard let type = parameters.first, parameters.count >= 7 else { return nil }
        let value = parameters.dropFirst().prefix(6).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(
            address: BluetoothAddress(low: UInt32(truncatingIfNeeded: value), high: UInt16(value >> 32)),
            type: BluetoothAddressType(rawValue: type))
    }

    var bytes: [UInt8] { [type.rawValue] + address.bytes }
}
