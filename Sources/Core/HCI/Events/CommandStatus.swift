/// A command was taken up, or failed at once. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.15.
public struct CommandStatus: Hashable, Sendable {
    /// Success: it is being carried out.
    public var status: HCIStatus

    /// The number of commands that the controller accepts now.
    public var commandsAllowed: UInt8

    /// The command's opcode.
    public var opcode: HCIOpcode

    /// An event; its parameters take 4 bytes.
    public init(opcode: HCIOpcode, status: HCIStatus, commandsAllowed: UInt8 = 1) {
        self.status = status
        self.commandsAllowed = commandsAllowed
        self.opcode = opcode
    }
}
