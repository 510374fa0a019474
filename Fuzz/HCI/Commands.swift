import OkaeriFuzzSupport
import HCI

/// A command, and its parameters as those of every command that is known, are encoded to the bytes they came from.
func checkCommand(_ packet: UnsafeRawBufferPointer) {
    do throws(HCIDecodingError) {
        let command = try HCICommand(packet.bytes)
        require(command.packet.elementsEqual(packet.prefix(command.packet.count)), "a command is encoded otherwise")
        require(!command.opcode.description.isEmpty, "a command has no name")
        checkParameters(LESetScanParameters.self, command)
        checkParameters(LESetScanEnable.self, command)
        checkParameters(LESetExtendedScanParameters.self, command)
        checkParameters(LESetExtendedScanEnable.self, command)
        checkParameters(SetEventMask.self, command)
        checkParameters(LESetEventMask.self, command)
    } catch {
        requireWords(error)
    }
}

private func checkParameters<Parameters: HCICommandParameters>(_ type: Parameters.Type, _ command: HCICommand) {
    do throws(HCIDecodingError) {
        let parameters = try Parameters(parameters: command.parameters.span.bytes)
        let encoded = HCICommand(parameters)
        require(command.parameters.starts(with: encoded.parameters), "\(type) is encoded to other bytes")
        require(try encoded.decode(type) == parameters, "\(type) is decoded to other parameters")
        require((try? command.decode(type)) == (command.opcode == type.opcode ? parameters : nil), "of another command")
    } catch {
        requireWords(error)
    }
}
