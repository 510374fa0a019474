import Bluetooth
import HCI
import IBeacon
import Synchronization
import TestSupport

@testable import BeaconLocation

/// A core with a clock that is set by hand, and what it told.
final class CoreBench: Sendable {
    static let beacon = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 100, minor: 100)

    /// A kernel that only tells the time.
    private final class Clock: BluetoothKernel {
        let time = Mutex<Int64>(1_000_000_000_000)

        func adapters() throws(KernelError) -> [Adapter] { [] }

        func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
            throw KernelError(.openSocket, code: 19)
        }

        func openHotPlugSocket() throws(KernelError) -> HCISocket { throw KernelError(.openSocket, code: 19) }

        func now() -> Int64 { time.withLock { $0 } }
    }

    let core: LocationCore
    private let clock = Clock()
    private let events: Box

    private final class Box: Sendable {
        let events = Mutex<[LocationEvent]>([])
    }

    init() {
        let box = Box()
        events = box
        core = LocationCore(kernel: clock) { event in box.events.withLock { $0.append(event) } }
    }

    var now: Int64 { clock.now() }

    /// What was told since the last look.
    func told() -> [LocationEvent] {
        events.events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    func listen() {
        core.scannerDidUpdate(.well, at: now)
        core.scannerDidChangeListening(true, at: now)
    }

    func lose(_ update: AdapterUpdate) {
        core.scannerDidChangeListening(false, at: now)
        core.scannerDidUpdate(update, at: now)
    }

    func packet(_ rssi: Int8) -> [UInt8] {
        let data = IBeaconFrame(identity: Self.beacon, measuredPower: -59).advertisingData
        let body: [UInt8] = [0x02, 1, 0x03, 1, 6, 5, 4, 3, 2, 1, UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
        return [0x04, 0x3E, UInt8(body.count)] + body
    }

    func hear(_ rssi: Int8) {
        let packet = packet(rssi)
        core.scannerDidReceive(packet.span.bytes, at: now)
        _ = core.scannerDidFinishTurn(at: now)
    }

    /// Time passes in silence.
    func pass(_ seconds: Int, isAnswering: Bool = true) {
        for _ in 0..<seconds {
            clock.time.withLock { $0 += 1_000_000_000 }
            if isAnswering { core.scannerDidHearController(at: now) }
            _ = core.scannerDidFinishTurn(at: now)
        }
    }
}

extension AdapterUpdate {
    static let well = AdapterUpdate(state: .poweredOn, adapter: "hci0", reason: "it works")
    static let off = AdapterUpdate(state: .poweredOff, adapter: "hci0", reason: "it is off")
    static let absent = AdapterUpdate(state: .unsupported, adapter: nil, reason: "there is none")
}
