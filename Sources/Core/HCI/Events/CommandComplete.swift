/// A command was carried out, or failed. Bluetooth Core Specification 5.4, Vol 4, Part E, Section 7.7.14.
public struct CommandComplete: Hashable, Sendable {
    /// The number of commands that the controller accepts now.
    public var commandsAllowed: UInt8

    /// The command's opcode.
    public var opcode: HCIOpcode

    /// The command's return parameters; with nearly all commands the first byte is the status.
    public var returnParameters: [UInt8]

    /// An event; at most 252 return parameters fit into its packet.
    public init(opcode: HCIOpcode, returnParameters: [UInt8], commandsAllowed: UInt8 = 1) {
        self.commandsAllowed = commandsAllowed
        self.opcode = opcode
        self.returnParameters = returnParameters
    }

    /// The answer of a command which returns its status first.
    public init(opcode: HCIOpcode, status: HCIStatus, returnParameters: [UInt8] = [], commandsAllowed: UInt8 = 1) {
        self.init(
            opcode: opcode, returnParameters: [status.rawValue] + returnParameters, commandsAllowed: commandsAllowed)
    }

    /// The status; nil when the command returned nothing.
    public var status: HCIStatus? {
        returnParameters.first.map(HCIStatus.init(rawValue:))
    }
}
