import HCI
import Plumbing

extension [UInt8] {
    /// An address as HCI sends it.
    init(_ address: BluetoothAddress) {
        self = [UInt8]([UInt8](littleEndian: address.rawValue).prefix(6))
    }
}
