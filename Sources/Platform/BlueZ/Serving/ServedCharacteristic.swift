import DBus
import Synchronization

/// Answers what bluetoothd asks of a characteristic, for whichever central (`org.bluez.GattCharacteristic1`).
final class ServedCharacteristic: Sendable {
    private let characteristic: MutableCharacteristic
    private let now: @Sendable () -> ContinuousClock.Instant
    private let reads = Mutex(LongReads())
    private let refused: @Sendable (ATTError, Central) -> Void

    init(
        _ characteristic: MutableCharacteristic, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        refused: @escaping @Sendable (ATTError, Central) -> Void
    ) {
        self.characteristic = characteristic
        self.now = now
        self.refused = refused
    }

    func interface(of service: String) -> BusInterface {
        BusInterface(
            Interface.characteristic,
            methods: [
                .init("ReadValue", takes: ["a{sv}"], returns: ["ay"]) { [self] call in
                    await answering(call.arguments.first) { central, offset throws(ATTError) in
                        [.bytes(try await read(by: central, from: offset))]
                    }
                },
                .init("WriteValue", takes: ["ay", "a{sv}"]) { [self] call in
                    await answering(call.arguments.last) { central, offset throws(ATTError) in
                        try await write(call.arguments.first?.bytes ?? [], by: central, at: offset)
                        return []
                    }
                },
                // bluetoothd manages the subscriptions: it takes every value, and passes it on to the subscribers.
                .init("StartNotify") { _ in .success([]) },
                .init("StopNotify") { _ in .success([]) },
                .init("Confirm") { _ in .success([]) },
            ],
            properties: [
                .init("UUID", .string(characteristic.uuid.full)),
                .init("Service", .objectPath(service)),
                .init("Flags", .strings(characteristic.flags)),
            ])
    }

    private func answering(
        _ options: DBusValue?, _ answer: (Central, Int) async throws(ATTError) -> [DBusValue]
    ) async -> Result<[DBusValue], BusInterface.Refusal> {
        let options = options?.properties ?? [:]
        let central = Central(options)
        do throws(ATTError) {
            return .success(try await answer(central, options["offset"]?.integer ?? 0))
        } catch {
            refused(error, central)
            return .failure(.init(error.name, error.reason))
        }
    }

    private func read(by central: Central, from offset: Int) async throws(ATTError) -> [UInt8] {
        guard let read = characteristic.read else { throw ATTError(.requestNotSupported, "it cannot be read") }
        let key = LongReads.Key(central: central.identifier, characteristic: characteristic.uuid)
        let value: [UInt8]
        if offset > 0, let begun = reads.withLock({ $0.value(key, at: now()) }) {
            value = begun
        } else {
            value = Array(try await read(central).prefix(MutableCharacteristic.longestValue))
            reads.withLock { $0.begin(key, value, at: now()) }
        }
        guard 0...value.count ~= offset else {
            throw ATTError(.invalidOffset, "byte \(offset) of a value that has \(value.count) cannot be read")
        }
        return Array(value[offset...])
    }

    private func write(_ value: [UInt8], by central: Central, at offset: Int) async throws(ATTError) {
        guard let write = characteristic.write else { throw ATTError(.requestNotSupported, "it cannot be written") }
        guard offset == 0 else { throw ATTError(.invalidOffset, "a value is written from its beginning") }
        try await write(value, central)
    }
}
