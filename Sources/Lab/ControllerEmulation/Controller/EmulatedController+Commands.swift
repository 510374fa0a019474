import HCI

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
        let isInUse = state.scan.map { !$0.settings.filterPolicy.hearsStrangers } ?? false
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
