import HCI
import Plumbing

/// The controller's side of HCI: it carries commands out, and decides its answers and the advertisements that it reports.
///
/// It is an LE-only controller as Bluetooth Core Specification 5.4, Vol 4, Part E describes one. It knows nothing of
/// scripts and never misbehaves; time comes in as nanoseconds of any clock that does not go back.
struct EmulatedController: Sendable {
    /// The events that it sends, and its log lines.
    enum Output: Hashable, Sendable {
        case event(HCIEvent)
        case log(String)
    }

    enum Answer: Hashable, Sendable {
        case complete(HCIStatus, [UInt8])
        case status(HCIStatus)

        static let success = Answer.complete(.success, [])
    }

    /// The number of devices in the accept list and in the resolving list.
    static let listCapacity = 16

    let kind: ControllerKind
    let address: BluetoothAddress

    /// Whether advertisements between the scan windows are received, too.
    var ignoresWindows = false

    /// Everything that Reset puts back.
    var state = State()

    struct State: Sendable {
        /// The defaults of Sections 7.3.1 and 7.8.1: LE events are off until the host wants them.
        var eventMask: UInt64 = 0x1FFF_FFFF_FFFF
        var leEventMask: UInt64 = 0x1F
        var randomAddress: BluetoothAddress?
        var acceptList: Set<Peer> = []
        var resolvingList: Set<Peer> = []

        /// The family of commands that the host has used; the other one is disallowed.
        var family: CommandFamily?

        var scanSettings: ScanSettings?
        var scan: Scan?

        var connecting: Peer?
    }

    var isScanning: Bool { state.scan != nil }

    /// The time at which `advanced(to:)` has something to do.
    var nextDeadline: Int64? { state.scan?.end }

    mutating func received(_ command: HCICommand, at now: Int64) -> [Output] {
        guard let known = KnownCommand(rawValue: command.opcode.rawValue),
            known.isKnown(to: kind)
        else {
            return [
                .log("unknown command \(hexadecimal(command.opcode.rawValue))"),
                Self.event(command.opcode, .status(.unknownCommand)),
            ]
        }
        if kind == .extended, let family = known.family {
            guard state.family == nil || state.family == family else {
                return [Self.refusal(command.opcode, .commandDisallowed)]
            }
            state.family = family
        }
        var followers: [Output] = []
        let answer = carryOut(known, command, &followers, at: now)
        return [Self.event(command.opcode, answer)] + followers
    }

    /// Time goes by: a scan with a duration ends.
    mutating func advanced(to now: Int64) -> [Output] {
        guard let end = nextDeadline, now >= end else { return [] }
        state.scan = nil
        let isMasked = !sends(.scanTimeout)
        return [.log("scan timed out")] + (isMasked ? [] : [.event(.leMeta(.scanTimeout, parameters: []))])
    }

    /// Drops the state that a broken controller, or Reset, loses.
    mutating func forget() -> [Output] {
        let wasScanning = isScanning
        state = State()
        return wasScanning ? [.log("scan disabled by reset")] : []
    }

    /// The answer that a command is not carried out.
    static func refusal(_ opcode: HCIOpcode, _ status: HCIStatus) -> Output {
        let isAnsweredByStatus = KnownCommand(rawValue: opcode.rawValue)?.isAnsweredByStatus ?? false
        return event(opcode, isAnsweredByStatus ? .status(status) : .complete(status, []))
    }

    private static func event(_ opcode: HCIOpcode, _ answer: Answer) -> Output {
        switch answer {
        case .complete(let status, let parameters):
            .event(
                .commandComplete(CommandComplete(opcode: opcode, status: status, returnParameters: parameters)))
        case .status(let status):
            .event(.commandStatus(CommandStatus(opcode: opcode, status: status)))
        }
    }

    /// Whether the host's masks let an LE event through.
    func sends(_ subevent: LESubevent) -> Bool {
        state.eventMask & SetEventMask.leMeta != 0 && state.leEventMask & 1 << (UInt64(subevent.rawValue) - 1) != 0
    }
}
