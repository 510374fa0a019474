import HCI
import Plumbing

extension Emulation {
    /// The first byte of the packets of /dev/vhci itself.
    private static let vendorPacket: UInt8 = 0xFF

    /// The host has sent an H4 packet, or the kernel has created the adapter: `FF 00` and its number.
    public mutating func received(_ packet: [UInt8], at now: Int64) -> [Action] {
        guard isPlugged, let type = packet.first else { return [] }
        switch type {
        case Self.vendorPacket where packet.count >= 4:
            let index = UInt16(packet[2]) | UInt16(packet[3]) << 8
            log("controller hci\(index) created (\(controller.kind.rawValue)) address=\(controller.address)")
        case HCIPacketType.command.rawValue:
            do throws(HCIDecodingError) {
                obey(try HCICommand(packet.span.bytes), at: now)
            } catch {
                log("error the host sent a command that cannot be read: \(error)")
            }
        default:
            log("ignored a packet of type \(hexadecimal(type)): there are no connections")
        }
        return takeActions() + advanced(to: now)
    }

    private mutating func obey(_ command: HCICommand, at now: Int64) {
        if isVerbose { log("command \(command.opcode) \(command.parameters.hexadecimal)") }
        switch misbehaviour.received(command.opcode) {
        case .ignore:
            log("ignored \(command.opcode)")
        case .refuse(let status):
            log("refused \(command.opcode) status=\(hexadecimal(status.rawValue))")
            react(to: [EmulatedController.refusal(command.opcode, status)])
        case .obey:
            let wasScanning = controller.isScanning
            let outputs = controller.received(command, at: now)
            // Reports of a scan that has ended do not come after the answer that ends it.
            if wasScanning, !controller.isScanning { batch.discard() }
            react(to: outputs)
            endStall(after: command, outputs)
        }
    }

    /// Ends a stall if the command ends it: the host enables the scan again, or resets the controller.
    private mutating func endStall(after command: HCICommand, _ outputs: [EmulatedController.Output]) {
        let isMended: Bool
        switch misbehaviour.stall {
        case .enable: isMended = isEnable(command) && controller.isScanning && outputs.contains(where: \.isSuccess)
        case .reset: isMended = command.opcode == .reset
        case .resume, .none: isMended = false
        }
        if isMended { resume() }
    }

    private func isEnable(_ command: HCICommand) -> Bool {
        (command.opcode == .leSetScanEnable || command.opcode == .leSetExtendedScanEnable)
            && command.parameters.first == 1
    }

    mutating func resume() {
        if misbehaviour.stall != nil { log("resumed") }
        misbehaviour.stall = nil
    }

    mutating func react(to outputs: [EmulatedController.Output]) {
        for output in outputs {
            switch output {
            case .event(let event):
                do throws(HCIEncodingError) {
                    let packet = try event.packet()
                    if isVerbose { log("event \(packet.dropFirst().map { $0 }.hexadecimal)") }
                    send(packet)
                } catch {
                    log("error an event could not be sent: \(error)")
                }
            case .log(let line):
                log(line)
            }
        }
    }

    /// The adapter is plugged in, with nothing set.
    mutating func plugIn() {
        isPlugged = true
        controller.state = .init()
        actions.append(.open)
    }

    mutating func unplug() {
        isPlugged = false
        controller.state = .init()
        batch.discard()
        actions.append(.close)
        log("vanished")
        switch misbehaviour.stall {
        case .enable, .reset: resume()
        case .resume, .none: break
        }
    }

    /// The controller breaks down: it reports that, and has lost its state.
    mutating func breakDown(_ code: UInt8) {
        batch.discard()
        log("hardware error \(hexadecimal(code))")
        react(to: controller.forget() + [.event(.hardwareError(code: code))])
    }
}

extension EmulatedController.Output {
    fileprivate var isSuccess: Bool {
        switch self {
        case .event(.commandComplete(let complete)): complete.status == .success
        case .event, .log: false
        }
    }
}
