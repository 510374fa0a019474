/// The first byte of every packet between host and controller.
///
/// Bluetooth Core Specification 5.4, Vol 4, Part A, Section 2 (UART transport, "H4"); Linux sockets use the same byte.
public enum HCIPacketType: UInt8, Hashable, Sendable, CaseIterable {
    /// Host to controller.
    case command = 0x01

    /// Connection data.
    case acl = 0x02

    /// Synchronous (voice) data.
    case synchronous = 0x03

    /// Controller to host.
    case event = 0x04

    /// Isochronous data.
    case isochronous = 0x05
}
