/// The records of the Linux Bluetooth monitor that are HCI packets (`HCI_MON_*` in the kernel's hci_mon.h). The others
/// report adapters that come and go, log lines and the management interface.
enum MonitorOpcode: UInt16 {
    case command = 2
    case event = 3
    case aclSent = 4
    case aclReceived = 5
    case scoSent = 6
    case scoReceived = 7
    case isoSent = 18
    case isoReceived = 19

    init(_ kind: HCIPacketType, _ direction: CapturePacket.Direction) {
        let sent = direction == .hostToController
        self =
            switch kind {
            case .command: .command
            case .event: .event
            case .acl: sent ? .aclSent : .aclReceived
            case .synchronous: sent ? .scoSent : .scoReceived
            case .isochronous: sent ? .isoSent : .isoReceived
            }
    }

    var kind: HCIPacketType {
        switch self {
        case .command: .command
        case .event: .event
        case .aclSent, .aclReceived: .acl
        case .scoSent, .scoReceived: .synchronous
        case .isoSent, .isoReceived: .isochronous
        }
    }

    var direction: CapturePacket.Direction {
        switch self {
        case .command, .aclSent, .scoSent, .isoSent: .hostToController
        case .event, .aclReceived, .scoReceived, .isoReceived: .controllerToHost
        }
    }
}
