import OkaeriDBus
import OkaeriPlumbing
import Synchronization

/// A request of bluetoothd that the program is notified of.
enum ServedEvent: Sendable {
    /// The request of a central was refused.
    case refused(ATTError, Central)
    /// A central has subscribed.
    case subscribed(MutableCharacteristic.ID)
    /// The last subscribed central has unsubscribed.
    case unsubscribed(MutableCharacteristic.ID)
}

/// Answers the reads and writes of one value, of a characteristic or of a descriptor, for all centrals.
final class ServedValue: Sendable {
    private let read: MutableCharacteristic.Read?
    private let write: MutableCharacteristic.Write?
    private let reads = Mutex(LongReads())
    private let report: @Sendable (ServedEvent) -> Void

    init(
        read: MutableCharacteristic.Read?, write: MutableCharacteristic.Write?,
        report: @escaping @Sendable (ServedEvent) -> Void
    ) {
        (self.read, self.write, self.report) = (read, write, report)
    }

    /// The methods that `org.bluez.GattCharacteristic1` and `org.bluez.GattDescriptor1` have in common.
    var methods: [BusInterface.Method] {
        [
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
        ]
    }

    private func answering(
        _ options: DBusValue?, _ answer: (Central, Int) async throws(ATTError) -> [DBusValue]
    ) async -> Result<[DBusValue], BusInterface.Refusal> {
        let options = options?.properties ?? [:]
        let central = Central(options)
        do throws(ATTError) {
            return .success(try await answer(central, options["offset"]?.integer ?? 0))
        } catch {
            report(.refused(error, central))
            return .failure(.init(error.name, error.message))
        }
    }

    private func read(by central: Central, from offset: Int) async throws(ATTError) -> [UInt8] {
        guard let read else { throw ATTError(.requestNotSupported, "it cannot be read") }
        let value: [UInt8]
        if offset > 0, let begun = reads.withLock({ $0.value(central.identifier, at: .now) }) {
            value = begun
        } else {
            value = Array(try await answer(of: { try await read(central) }).prefix(MutableCharacteristic.longestValue))
            reads.withLock { $0.begin(central.identifier, value, at: .now) }
        }
        guard 0...value.count ~= offset else {
            throw ATTError(.invalidOffset, "byte \(offset) of a value that has \(value.count) cannot be read")
        }
        return Array(value[offset...])
    }

    private func write(_ value: [UInt8], by central: Central, at offset: Int) async throws(ATTError) {
        guard let write else { throw ATTError(.requestNotSupported, "it cannot be written") }
        guard offset == 0 else { throw ATTError(.invalidOffset, "a value is written from its beginning") }
        try await answer(of: { try await write(value, central) })
    }

    /// The maximum length of the description of a program's error, in characters.
    private static let longestReason = 200

    /// Calls a handler of the program.
    private func answer<Value: Sendable>(of handler: () async throws -> Value) async throws(ATTError) -> Value {
        do {
            return try await handler()
        } catch let refusal as ATTError {
            throw refusal
        } catch {
            throw ATTError(.unlikelyError, String("\(error)".plain().prefix(Self.longestReason)))
        }
    }
}
