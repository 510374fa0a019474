import HCI
import OkaeriPlumbing

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

public enum ControllerKind: String, Hashable, Sendable {
    /// Bluetooth 4: legacy advertising only. A Raspberry Pi 4 is one, though it calls itself 5.0.
    case legacy

    /// Bluetooth 5: extended advertising and scanning as well.
    case extended

    /// Bluetooth 3 and earlier: BR/EDR without LE, as far as Linux needs it to set the controller up.
    case classic
}

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

extension EmulatedController {
    /// Carries out one of the commands it has; `followers` is what comes after the answer.
    mutating func carryOut(
        _ known: KnownCommand, _ command: HCICommand, _ followers: inout [Output], at now: Int64
    ) -> Answer {
        switch known {
        case .reset:
            followers = [.log("reset")] + forget()
            return .success
        case .setEventMask:
            return Self.decoding(command) { (parameters: SetEventMask) in
                state.eventMask = parameters.mask
                return .success
            }
        case .leSetEventMask:
            return Self.decoding(command) { (parameters: LESetEventMask) in
                state.leEventMask = parameters.mask
                return .success
            }
        case .leSetRandomAddress:
            // Whether it is a random one does not matter: the length of an address is that of a peer without its type.
            guard let peer = Peer([BluetoothAddressType.random.rawValue] + command.parameters) else { return .invalid }
            state.randomAddress = peer.address
            return .success
        case .leSetScanParameters:
            return Self.decoding(command) { (parameters: LESetScanParameters) in
                setScan(ScanSettings(parameters))
            }
        case .leSetExtendedScanParameters:
            return Self.decoding(command) { (parameters: LESetExtendedScanParameters) in
                setScan(ScanSettings(parameters))
            }
        case .leSetScanEnable:
            return Self.decoding(command) { (enable: LESetScanEnable) in
                let filter: LESetExtendedScanEnable.DuplicateFilter = enable.filtersDuplicates ? .on : .off
                return enableScan(
                    LESetExtendedScanEnable(isEnabled: enable.isEnabled, duplicateFilter: filter), .legacy, &followers,
                    at: now)
            }
        case .leSetExtendedScanEnable:
            return Self.decoding(command) { (enable: LESetExtendedScanEnable) in
                enableScan(enable, .extended, &followers, at: now)
            }
        case .leClearFilterAcceptList:
            return change(\.acceptList) { $0 = [] }
        case .leAddToFilterAcceptList:
            return add(command, to: \.acceptList)
        case .leRemoveFromFilterAcceptList:
            return remove(command, from: \.acceptList)
        case .leClearResolvingList:
            return change(\.resolvingList) { $0 = [] }
        case .leAddToResolvingList:
            return add(command, to: \.resolvingList)
        case .leRemoveFromResolvingList:
            return remove(command, from: \.resolvingList)
        case .leCreateConnection:
            return connect(Peer(command.parameters.dropFirst(5)))
        case .leExtendedCreateConnection:
            return connect(Peer(command.parameters.dropFirst(2)))
        case .leCreateConnectionCancel:
            return cancelConnection(&followers)
        case .leSetDataLength:
            // There is no connection.
            return .complete(.unknownConnection, [UInt8](command.parameters.prefix(2)))
        case .leReadPeerResolvableAddress, .leReadLocalResolvableAddress:
            return .complete(.unknownConnection, [UInt8](repeating: 0, count: 6))
        case .leSetExtendedAdvertisingParameters:
            // The selected transmit power: 0 dBm.
            return .complete(.success, [0])
        default:
            // What it only reads, or what takes another device to have an effect: nothing receives it, nothing connects.
            return .complete(.success, information(known))
        }
    }

    private static func decoding<Parameters: HCICommandParameters>(
        _ command: HCICommand, _ body: (Parameters) -> Answer
    ) -> Answer {
        do throws(HCIDecodingError) {
            return body(try command.decode())
        } catch {
            return .invalid
        }
    }

    private mutating func add(_ command: HCICommand, to list: WritableKeyPath<State, Set<Peer>>) -> Answer {
        guard let peer = Peer(command.parameters) else { return .invalid }
        guard state[keyPath: list].count < Self.listCapacity || state[keyPath: list].contains(peer) else {
            return .complete(.memoryCapacityExceeded, [])
        }
        return change(list) { $0.insert(peer) }
    }

    private mutating func remove(_ command: HCICommand, from list: WritableKeyPath<State, Set<Peer>>) -> Answer {
        guard let peer = Peer(command.parameters) else { return .invalid }
        return change(list) { $0.remove(peer) }
    }

    /// The accept list may not change under a scan that goes by it (Sections 7.8.15 to 7.8.17).
    private mutating func change(
        _ list: WritableKeyPath<State, Set<Peer>>, _ change: (inout Set<Peer>) -> Void
    ) -> Answer {
        let isInUse = state.scan.map { !$0.settings.filterPolicy.reportsUnknownDevices } ?? false
        guard list != \.acceptList || !isInUse else { return .disallowed }
        change(&state[keyPath: list])
        return .success
    }
}

extension EmulatedController.Answer {
    static let invalid = Self.complete(.invalidParameters, [])
    static let disallowed = Self.complete(.commandDisallowed, [])
}

extension HCIStatus {
    static let unknownConnection = HCIStatus(rawValue: 0x02)
}

/// Connecting: it is attempted until it is cancelled, as with a peer that is out of reach.
extension EmulatedController {
    /// Begins to connect; nil when the parameters are cut (Sections 7.8.12 and 7.8.66).
    mutating func connect(_ peer: Peer?) -> Answer {
        guard let peer else { return .status(.invalidParameters) }
        guard state.connecting == nil else { return .status(.commandDisallowed) }
        state.connecting = peer
        return .status(.success)
    }

    /// Gives up; the event that ends the attempt follows the answer (Section 7.8.13).
    mutating func cancelConnection(_ followers: inout [Output]) -> Answer {
        guard let peer = state.connecting else { return .disallowed }
        state.connecting = nil
        let head = [HCIStatus.unknownConnection.rawValue] + [UInt8](repeating: 0, count: 3) + peer.bytes
        if sends(.enhancedConnectionComplete) {
            // Two resolvable addresses, interval, latency, timeout, clock accuracy (Section 7.7.65.10).
            let rest = [UInt8](repeating: 0, count: 19)
            followers = [.event(.leMeta(.enhancedConnectionComplete, parameters: head + rest))]
        } else if sends(.connectionComplete) {
            // Interval, latency, timeout, clock accuracy (Section 7.7.65.1).
            followers = [
                .event(.leMeta(.connectionComplete, parameters: head + [UInt8](repeating: 0, count: 7)))
            ]
        }
        return .success
    }
}

extension LESubevent {
    static let connectionComplete = LESubevent(rawValue: 0x01)
    static let enhancedConnectionComplete = LESubevent(rawValue: 0x0A)
}

extension EmulatedController {
    /// Returns what commands that only read return (Vol 4, Part E, 7.4 and 7.8), after the status; or nothing.
    func information(_ known: KnownCommand) -> [UInt8] {
        switch known {
        case .readLocalVersion:
            // The version of HCI and of the link layer, no revision; the manufacturer's number that is for internal use.
            [version] + [UInt8](littleEndian: UInt16(0)) + [version] + [UInt8](littleEndian: UInt16(0xFFFF))
                + [UInt8](littleEndian: UInt16(0))
        case .readLocalSupportedCommands: KnownCommand.mask(of: kind).octets
        case .readLocalSupportedFeatures: kind == .classic ? Self.classicFeatures : Self.leWithoutClassic
        case .readBufferSize:
            [UInt8](littleEndian: Self.classicDataLength) + [0] + [UInt8](littleEndian: UInt16(8))
                + [UInt8](littleEndian: UInt16(0))
        case .readLocalName: [UInt8](repeating: 0, count: 248)
        case .readClassOfDevice: [0, 0, 0]
        case .readVoiceSetting: [UInt8](littleEndian: Self.defaultVoiceSetting)
        case .readNumberOfSupportedIACs: [1]
        case .readCurrentIACs: [1] + Self.generalInquiry
        case .readAddress: address.bytes
        case .leReadBufferSize: [UInt8](littleEndian: Self.minimumDataLength) + [8]
        case .leReadLocalSupportedFeatures: [UInt8](littleEndian: features)
        case .leReadAdvertisingTransmitPower: [0]
        case .leReadFilterAcceptListSize, .leReadResolvingListSize: [UInt8(Self.listCapacity)]
        case .leReadSupportedStates: [UInt8](littleEndian: Self.passiveAndActiveScanning)
        case .leReadSuggestedDefaultDataLength:
            [UInt8](littleEndian: Self.minimumDataLength) + [UInt8](littleEndian: Self.minimumDataTime)
        case .leReadMaximumDataLength:
            // The longest of Vol 6, Part B, Section 4.5.10, to send and to receive.
            ([UInt8](littleEndian: UInt16(251)) + [UInt8](littleEndian: UInt16(2120))).repeated
        case .leReadMaximumAdvertisingDataLength: [UInt8](littleEndian: UInt16(Advertiser.maximumDataLength))
        case .leReadNumberOfSupportedAdvertisingSets: [1]
        default: []
        }
    }

    /// The LE features (Vol 6, Part B, Section 4.6): data length extension, privacy, and extended advertising.
    private var features: UInt64 {
        switch kind {
        case .classic: 0
        case .legacy: 1 << 5 | 1 << 6
        case .extended: 1 << 5 | 1 << 6 | 1 << 12
        }
    }

    /// Bluetooth 2.0 or 5.0, in the numbers of HCI.
    private var version: UInt8 { kind == .classic ? 0x03 : 0x09 }

    /// LE Supported, BR/EDR Not Supported (Vol 2, Part C, Section 3.3).
    private static let leWithoutClassic: [UInt8] = [0, 0, 0, 0, 0x60, 0, 0, 0]

    /// 3-slot and 5-slot packets, and nothing of LE.
    private static let classicFeatures: [UInt8] = [0x03, 0, 0, 0, 0, 0, 0, 0]

    /// The payload of a DH5 packet, the longest of basic rate (Vol 2, Part B, Section 6.5.4).
    private static let classicDataLength: UInt16 = 339

    /// Section 6.12.
    private static let defaultVoiceSetting: UInt16 = 0x0060

    /// The access code of the general inquiry, 0x9E8B33.
    private static let generalInquiry: [UInt8] = [0x33, 0x8B, 0x9E]

    /// Bits 4 and 5 of the states (Section 7.8.27).
    private static let passiveAndActiveScanning: UInt64 = 0x30

    private static let minimumDataLength: UInt16 = 27
    private static let minimumDataTime: UInt16 = 328
}

extension [UInt8] {
    fileprivate var repeated: [UInt8] { self + self }
}

extension EmulatedController {
    /// Sets the scan parameters; nil when they name no PHY (Sections 7.8.10 and 7.8.64).
    mutating func setScan(_ settings: ScanSettings?) -> Answer {
        guard !isScanning else { return .disallowed }
        guard let settings else { return .invalid }
        state.scanSettings = settings
        return .success
    }

    /// Enables or disables the scan; enabling it anew starts the duplicate filter anew (Sections 7.8.11 and 7.8.65).
    mutating func enableScan(
        _ enable: LESetExtendedScanEnable, _ family: CommandFamily, _ followers: inout [Output], at now: Int64
    ) -> Answer {
        guard enable.isEnabled else {
            if isScanning { followers = [.log("scan disabled")] }
            state.scan = nil
            return .success
        }
        let settings = state.scanSettings ?? ScanSettings(LESetScanParameters(timing: .continuous), as: family)
        switch settings.ownAddressType {
        case .random, .resolvableOrRandom:
            guard state.randomAddress != nil else { return .invalid }
        case .public, .resolvableOrPublic:
            break
        }
        let scan = Scan(settings, enable, at: now)
        if let period = scan.period, let duration = scan.duration, period <= duration { return .invalid }
        if scan.filter == .onUntilNextPeriod, scan.period == nil { return .invalid }
        state.scan = scan
        followers = [.log(scan.line)]
        return .success
    }

    /// An advert is in the air. Returns how it is reported; nil when it is not.
    mutating func heard(_ report: AdvertisingReport, at now: Int64) -> CommandFamily? {
        guard var scan = state.scan, scan.isListening(at: now), scan.settings.hearsLE1M,
            ignoresWindows || scan.isInWindow(at: now)
        else { return nil }
        let family = scan.settings.family
        // A legacy scan does not follow to the channels where extended PDUs have their data.
        guard family == .extended || report.properties.contains(.legacy),
            sends(family == .legacy ? .advertisingReport : .extendedAdvertisingReport)
        else { return nil }
        let peer = Peer(address: report.address, type: report.addressType)
        guard scan.settings.filterPolicy.reportsUnknownDevices || state.acceptList.contains(peer) else { return nil }
        let passes = scan.passes(report, at: now)
        state.scan = scan
        return passes ? family : nil
    }

    /// Whether advertisers are asked for their scan responses.
    var isScanningActively: Bool {
        state.scan?.settings.type == .active
    }
}

extension ScanSettings {
    /// The controller's own choice, for a host that has made none: a window as long as the interval (Section 7.8.10).
    init(_ parameters: LESetScanParameters, as family: CommandFamily) {
        self.init(parameters)
        self.family = family
    }
}

extension Scan {
    fileprivate var line: String {
        let type =
            switch settings.type {
            case .passive: "passive"
            case .active: "active"
            }
        return "scan enabled dup=\(filter.rawValue) \(type) interval=\(settings.timing.interval.units) "
            + "window=\(settings.timing.window.units) (\(settings.family))"
    }
}
