import OkaeriDBus
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

/// The reason for refusing a central's request (Core Specification, Vol 3, Part F, 3.4.1.1).
public struct ATTError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The error that the central receives (Core Specification, Vol 3, Part F, 3.4.1.1).
    public enum Code: Sendable, Hashable {
        /// 0x06: the server cannot do what is asked.
        case requestNotSupported
        /// 0x07: the value ends before the offset.
        case invalidOffset
        /// 0x0D: the value is too long or too short.
        case invalidAttributeValueLength
        /// 0x80, the first of those that the service itself defines
        case application
    }

    /// The error that the central receives.
    public var code: Code

    /// For the log here: no central receives more than the code.
    public var reason: String

    /// A refusal; `reason` is for the log here.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The ``reason``.
    public var description: String { reason }

    /// The name from which bluetoothd makes the code.
    var name: String {
        switch code {
        case .requestNotSupported: "org.bluez.Error.NotSupported"
        case .invalidOffset: "org.bluez.Error.InvalidOffset"
        case .invalidAttributeValueLength: "org.bluez.Error.InvalidValueLength"
        case .application: "org.bluez.Error.Failed"
        }
    }
}

/// The values that centrals are reading in pieces, so that all pieces are of the same one.
struct LongReads: Sendable {
    struct Key: Hashable {
        let central: String
        let characteristic: BluetoothUUID
    }

    private struct Reading {
        let value: [UInt8]
        var lastAsked: ContinuousClock.Instant
    }

    /// A central that has asked for nothing for so long asks no more (Core Specification, Vol 3, Part F, 3.3.3).
    static let timeout = Duration.seconds(30)

    /// So many at once; a further one takes the place of that which was asked for least recently.
    static let capacity = 32

    private var readings: [Key: Reading] = [:]

    mutating func begin(_ key: Key, _ value: [UInt8], at now: ContinuousClock.Instant) {
        if readings[key] == nil, readings.count >= Self.capacity,
            let oldest = readings.min(by: { $0.value.lastAsked < $1.value.lastAsked })
        {
            readings[oldest.key] = nil
        }
        readings[key] = Reading(value: value, lastAsked: now)
    }

    /// The value that is being read, for the next piece; nil where no reading is under way.
    mutating func value(_ key: Key, at now: ContinuousClock.Instant) -> [UInt8]? {
        guard let reading = readings[key], reading.lastAsked.duration(to: now) < Self.timeout else {
            readings[key] = nil
            return nil
        }
        readings[key]?.lastAsked = now
        return reading.value
    }
}
