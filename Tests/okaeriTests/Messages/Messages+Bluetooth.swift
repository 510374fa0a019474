import Glibc
import HCI

@testable import BlueZ
@testable import OkaeriBluetooth
@testable import OkaeriDBus

extension Messages {
    static var adapter: [Section] {
        [
            Section("AdapterUpdate", updates.map(\.reason)),
            Section("KernelError: operations", operations.map { KernelError($0, code: EIO) }),
            Section("KernelError: causes", kernelErrors.map(withKnownGroup)),
            Section("PowerFailure", [PowerFailure(KernelError(.switchOn, code: ERFKILL))]),
        ]
    }

    static var bluetooth: [Section] {
        [
            Section("CentralError", centralErrors),
            Section("AdvertisementError", advertisementErrors),
            Section("RegistrationSnapshot", [RegistrationSnapshot.mayNotAsk]),
            Section("BusError", busErrors),
        ]
    }

    private static let hci0 = Adapter(index: 0, name: "hci0", isUp: true)

    private static var updates: [AdapterUpdate] {
        [
            .works(hci0), .on(hci0), .absent("hci1"), .absent(nil), .withoutLowEnergy(hci0), .powerCycled(hci0),
            .repaired(hci0, isSuspected: true), .repaired(hci0, isSuspected: false),
            .silent(hci0, .leSetScanEnable), .hardwareError(hci0, 66),
            .refused(hci0, .leSetScanEnable, .unknownCommand), .refused(hci0, .leSetScanEnable, .commandDisallowed),
            .unanswered(nil), .unanswered("hci0"), .failed(KernelError(.openSocket, code: EPERM), nil),
        ] + obstacles.flatMap { [.notRepaired(hci0, $0), .deaf(hci0, $0)] }
            + samples(Adapter.RadioBlock.none) { block in
                switch block {
                case .none: .soft
                case .soft: .hard
                case .hard: nil
                }
            }.map { .off(Adapter(index: 0, name: "hci0", isUp: false, radioBlock: $0)) }
    }

    private static let obstacles = samples(RepairObstacle.fruitless) { obstacle in
        switch obstacle {
        case .fruitless: .foreignScan
        case .foreignScan: .tooEarly
        case .tooEarly: .notWanted
        case .notWanted: .failure(KernelError(.switchOff, code: EBUSY))
        case .failure: nil
        }
    }

    private static let operations = samples(KernelError.Operation.openSocket) { operation in
        switch operation {
        case .openSocket: .bindSocket
        case .bindSocket: .setFilter
        case .setFilter: .send
        case .send: .receive
        case .receive: .listAdapters
        case .listAdapters: .readAdapter
        case .readAdapter: .createWakeUp
        case .createWakeUp: .wait
        case .wait: .startThread
        case .startThread: .unblock
        case .unblock: .switchOn
        case .switchOn: .block
        case .block: .switchOff
        case .switchOff: .manage
        case .manage: nil
        }
    }

    private static let kernelErrors = [
        KernelError(.openSocket, code: EPERM), KernelError(.switchOn, code: EPERM), KernelError(.manage, code: EPERM),
        KernelError(.unblock, code: EACCES),
        KernelError(.openSocket, code: EAFNOSUPPORT), KernelError(.readAdapter, code: ENODEV),
        KernelError(.switchOff, code: EBUSY),
    ]

    /// Replaces the group of this machine that may switch radios.
    private static func withKnownGroup(_ error: KernelError) -> String {
        error.description.replacing(RadioSwitches.advice, with: RadioSwitches.advice(forGroup: "netdev"))
    }

    private static let address = "DC:A6:32:01:02:03"
    private static let batteryLevel = BluetoothUUID(0x2A19)

    private static let centralErrors = samples(CentralError.noBus(reason: "no such file or directory")) { error in
        switch error {
        case .noBus: .noDaemon
        case .noDaemon: .noAdapter("hci1")
        case .noAdapter(_?): .noAdapter(nil)
        case .noAdapter(nil): .poweredOff(adapter: "hci0")
        case .poweredOff: .notPermitted(reason: "rejected send message")
        case .notPermitted: .notFound(address: address, after: .seconds(30))
        case .notFound: .connectionFailed(address: address, reason: "le-connection-abort-by-local")
        case .connectionFailed: .disconnected(address: address)
        case .disconnected: .noCharacteristic(CharacteristicSelector(batteryLevel), address: address)
        case .noCharacteristic:
            .ambiguous(
                CharacteristicSelector(batteryLevel),
                choices: [
                    CharacteristicSelector(batteryLevel, in: BluetoothUUID(0x180F)),
                    CharacteristicSelector(batteryLevel, in: BluetoothUUID(0x1812), instance: 2),
                ])
        case .ambiguous: .notSupported(batteryLevel, .notify)
        case .notSupported: .refused(batteryLevel, refusals[0])
        case .refused(_, let refusal):
            refusals.firstIndex(of: refusal).flatMap { refusals.dropFirst($0 + 1).first }
                .map { .refused(batteryLevel, $0) } ?? .timedOut(what: "connecting \(address)", after: .seconds(30))
        case .timedOut: .unexpected(what: "reading Battery Level (2A19)", reason: "no reason given")
        case .unexpected: .cancelled
        case .cancelled: nil
        }
    }

    private static let refusals = samples(CentralError.Refusal.notAuthorized) { refusal in
        switch refusal {
        case .notAuthorized: .notPermitted
        case .notPermitted: .invalidLength
        case .invalidLength: .invalidOffset
        case .invalidOffset: .notSupported
        case .notSupported: .busy
        case .busy: .other("operation failed with ATT error: 0x80")
        case .other: nil
        }
    }

    private static let advertisementErrors = samples(AdvertisementError.tooLong(byteCount: 40)) { error in
        switch error {
        case .tooLong: .nameTooLong("a name of more than 29 bytes for a remote control")
        case .nameTooLong: .notAccepted(reason: "the kernel refused it: Invalid Parameters (0x0D)")
        case .notAccepted: nil
        }
    }

    private static let busErrors = samples(BusError.noOwner) { error in
        switch error {
        case .noOwner: .timedOut
        case .timedOut: .disconnected("connection refused")
        case .disconnected: .cancelled
        case .cancelled: .refused(name: "org.bluez.Error.NotReady", message: "resource not ready")
        case .refused: .unreadable
        case .unreadable: nil
        }
    }
}
