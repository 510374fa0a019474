import BlueZ
import Glibc
import Synchronization

// Serves four characteristics: one to read, one to write, one that notifies, and one that indicates over an encrypted link.

/// Prints a line on standard error.
func printError(_ text: String) {
    let line = "\(text)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

/// Returns a UUID of this example's own.
func own(_ number: UInt64) -> BluetoothUUID {
    BluetoothUUID(high: 0x5A1B_0000_9C3E_4F60 | number << 32, low: 0x8D27_41E6_B0C5_7F39)
}

/// The time between two values, in seconds.
let interval = Mutex(1)
let description = MutableDescriptor.userDescription("the number of seconds since the start")

let name = MutableCharacteristic(BluetoothUUID(0x2A24), properties: .read, value: Array("okaeri".utf8))
let pace = MutableCharacteristic(
    own(2), properties: .write,
    write: { value, central in
        guard value.count == 1 else { throw ATTError(.invalidAttributeValueLength, "the interval is one byte") }
        guard value[0] > 0 else { throw ATTError(.application(0x80), "the interval is at least one second") }
        interval.withLock { $0 = Int(value[0]) }
        print("\(central.address) has set an interval of \(value[0]) s")
    })
let seconds = MutableCharacteristic(own(3), properties: .notify, descriptors: [description])
let alarm = MutableCharacteristic(own(4), properties: .indicateEncryptionRequired)

/// Sends the time to the subscribers of both characteristics. A value that finds no room is dropped: the next one replaces it.
func count(_ manager: PeripheralManager) async {
    let start = ContinuousClock.now
    var alarms: Int64 = 0
    while (try? await Task.sleep(for: .seconds(interval.withLock(\.self)))) != nil {
        let passed = (ContinuousClock.now - start).components.seconds
        manager.updateValue([UInt8(truncatingIfNeeded: passed)], for: seconds.id)
        // Every ten seconds, also if no value comes at that second.
        if passed / 10 > alarms { manager.updateValue([1], for: alarm.id) }
        alarms = passed / 10
    }
}

do {
    try await withPeripheralManager { manager in
        guard await manager.authorize() == .authorized else {
            printError(manager.obstacle?.description ?? "bluetoothd does not answer; see `systemctl status bluetooth`")
            exit(EX_UNAVAILABLE)
        }
        try manager.add(MutableService(own(1), characteristics: [name, pace, seconds, alarm]))
        try manager.startAdvertising(Advertisement(.connectable, localName: "Values", serviceUUIDs: [own(1)]))
        let counting = Task { await count(manager) }
        defer { counting.cancel() }
        for await event in manager.events {
            switch event {
            case .didStartAdvertising(let adapter): print("\"Values\" can be connected, by \(adapter)")
            case .didSubscribe(let characteristic): print("a central has subscribed to \(characteristic)")
            case .didUnsubscribe(let characteristic): print("no central is subscribed to \(characteristic) now")
            case .didRefuse(let error, let central): printError("\(central.address) was refused: \(error)")
            case .didUpdateState(.poweredOn, let reason): print(reason)
            case .didFail(let reason), .didFailToUpdateSubscribers(let reason), .didUpdateState(_, let reason):
                printError(reason)
            case .didAddServices, .isReadyToUpdateSubscribers: break
            }
        }
    }
} catch {
    printError("\(error)")
    exit(EX_UNAVAILABLE)
}
