import HCI
import IBeacon
import OkaeriBluetooth
import OkaeriPresence
import OkaeriTestSupport
import RegionMonitoring
import Synchronization

@testable import BeaconLocation

/// A driver with a clock that is set by hand, and what it published.
final class LocationBench: Sendable {
    static let beacon = BeaconIdentity(uuid: BeaconUUID(high: 1, low: 2), major: 100, minor: 100)

    /// A kernel that only has a clock.
    private final class Clock: BluetoothKernel {
        let time: Mutex<Int64>

        init(_ time: Int64) {
            self.time = Mutex(time)
        }

        func adapters() throws(KernelError) -> [Adapter] { [] }

        func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
            throw KernelError(.openSocket, code: 19)
        }

        func openHotPlugSocket() throws(KernelError) -> HCISocket { throw KernelError(.openSocket, code: 19) }

        func now() -> Int64 { time.withLock { $0 } }
    }

    /// An hour ahead of the kernel's.
    struct Wall: WallClock {
        static let ahead: Int64 = 3_600_000_000_000

        func wallTime(of instant: Instant) -> Int64 { instant.nanoseconds + Self.ahead }

        var now: Int64 { Self.ahead }
    }

    let driver: LocationDriver
    private let clock: Clock
    private let events: Box

    private final class Box: Sendable {
        let events = Mutex<[LocationEvent]>([])
    }

    init(at time: Int64 = 1_000_000_000_000, memory: RegionMonitor.Memory = .init()) {
        let (box, clock) = (Box(), Clock(time))
        (events, self.clock) = (box, clock)
        driver = LocationDriver(kernel: clock, clock: Wall(), memory: memory) { event in
            box.events.withLock { $0.append(event) }
        }
    }

    var now: Int64 { clock.now() }

    /// Returns the events since the last call.
    func published() -> [LocationEvent] {
        events.events.withLock { events in
            defer { events = [] }
            return events
        }
    }

    /// The same without the times.
    func publishedKinds() -> [LocationEvent.Kind] { published().map(\.kind) }

    func listen() {
        driver.driver.scannerDidUpdate(.well, at: now)
        driver.driver.scannerDidChangeListening(.continuous, at: now)
    }

    func lose(_ update: AdapterUpdate) {
        driver.driver.scannerDidChangeListening(nil, at: now)
        driver.driver.scannerDidUpdate(update, at: now)
    }

    func packet(_ rssi: Int8) -> [UInt8] {
        let data = IBeaconFrame(identity: Self.beacon, measuredPower: -59).advertisingData
        let body: [UInt8] = [0x02, 1, 0x03, 1, 6, 5, 4, 3, 2, 1, UInt8(data.count)] + data + [UInt8(bitPattern: rssi)]
        return [0x3E, UInt8(body.count)] + body
    }

    func hear(_ rssi: Int8) {
        let packet = packet(rssi)
        _ = driver.driver.scannerDidReceive(packet.span.bytes, at: now)
        _ = driver.driver.scannerDidFinishTurn(at: now)
    }

    /// Advances the clock alone.
    func advance(_ seconds: Int64) {
        clock.time.withLock { $0 += seconds * 1_000_000_000 }
    }

    /// Time passes in silence.
    func pass(_ seconds: Int, isAnswering: Bool = true) {
        for _ in 0..<seconds {
            advance(1)
            if isAnswering { driver.driver.scannerDidHearController(at: now) }
            _ = driver.driver.scannerDidFinishTurn(at: now)
        }
    }
}

extension AdapterUpdate {
    static let well = AdapterUpdate(state: .poweredOn, adapter: "hci0", reason: "it works")
    static let off = AdapterUpdate(state: .poweredOff, adapter: "hci0", reason: "it is off")
    static let absent = AdapterUpdate(state: .unsupported, adapter: nil, reason: "there is none")
}
