import DBus
import Plumbing

/// A peripheral and its values: CoreBluetooth's `CBPeripheral`, over BlueZ.
public struct Peripheral: Sendable {
    /// Its address, `DC:A6:32:01:02:03`.
    public let address: String

    let manager: CentralManager

    /// The time limit of a read, a write or a subscription by default: 15 s. ATT gives up after thirty seconds (Core
    /// Specification, Vol 3, Part F, 3.3.3), and the link with it.
    public static let timeout = Duration.seconds(15)

    /// The peripheral's discovery; `nil` if bluetoothd does not have it.
    public var discovery: Discovery? {
        let view = manager.mirror.view
        return device(view).flatMap { view.tree[$0, Interface.device] }.flatMap(Discovery.init)
    }

    /// As it calls itself; nil if it has not.
    public var name: String? { discovery?.name }

    /// Whether there is a connection to it, also one of another program.
    public var isConnected: Bool { discovery?.isConnected == true }

    // MARK: Services

    /// Its services, in their order; empty while it is not connected.
    public var services: [GATTService] {
        let view = manager.mirror.view
        guard let device = device(view) else { return [] }
        return view.tree.paths(with: Interface.gattService, below: device).compactMap { path in
            guard let properties = view.tree[path, Interface.gattService],
                let uuid = properties["UUID"]?.string.flatMap({ BluetoothUUID($0) })
            else { return nil }
            let characteristics = view.tree.paths(with: Interface.characteristic, below: path).compactMap {
                Characteristic($0, view.tree, service: uuid)
            }
            return GATTService(
                uuid: uuid, isPrimary: properties["Primary"]?.boolean ?? true, characteristics: characteristics)
        }
    }

    /// The first characteristic of a UUID.
    ///
    /// - Parameters:
    ///   - uuid: of the characteristic.
    ///   - service: of which service; nil: of any.
    /// - Throws: ``CentralError/noCharacteristic(_:address:)``, ``CentralError/disconnected(address:)``, or what is
    ///   wrong with Bluetooth.
    public func characteristic(
        _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil
    ) throws(CentralError) -> Characteristic {
        guard isConnected else { throw obstacle(manager.mirror.view) ?? .disconnected(address: address) }
        let characteristics = services.filter { service == nil || $0.uuid == service }.flatMap(\.characteristics)
        guard let found = characteristics.first(where: { $0.uuid == uuid }) else {
            throw .noCharacteristic(uuid, address: address)
        }
        return found
    }

    // MARK: Values

    /// Reads a value, however long it is (`org.bluez.GattCharacteristic1`, ReadValue).
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic to read.
    ///   - limit: The time limit.
    /// - Throws: ``CentralError/notSupported(_:_:)`` without a question to the peripheral,
    ///   ``CentralError/refused(_:_:)``, ``CentralError/disconnected(address:)``,
    ///   ``CentralError/timedOut(what:after:)`` or ``CentralError/cancelled``.
    public func readValue(
        for characteristic: Characteristic, within limit: Duration = timeout
    ) async throws(CentralError) -> [UInt8] {
        try check(characteristic, [.read])
        let answer = try await ask(characteristic, "ReadValue", [.properties([:])], within: limit)
        guard let value = answer.first?.bytes else {
            throw .unexpected(what: "the read of \(characteristic.uuid)", reason: "the answer holds no bytes")
        }
        return value
    }

    /// Writes a value (`org.bluez.GattCharacteristic1`, WriteValue).
    ///
    /// - Parameters:
    ///   - value: 512 bytes at most (Core Specification, Vol 3, Part F, 3.2.9).
    ///   - characteristic: The characteristic to write.
    ///   - type: whether the peripheral confirms it.
    ///   - limit: The time limit.
    /// - Throws: as ``readValue(for:within:)``.
    public func writeValue(
        _ value: [UInt8], for characteristic: Characteristic, type: WriteType = .withResponse,
        within limit: Duration = timeout
    ) async throws(CentralError) {
        let word: String
        switch type {
        case .withResponse:
            try check(characteristic, [.write])
            word = "request"
        case .withoutResponse:
            try check(characteristic, [.writeWithoutResponse])
            word = "command"
        }
        _ = try await ask(
            characteristic, "WriteValue", [.bytes(value), .properties(["type": .string(word)])], within: limit)
    }

    // MARK: -

    func device(_ view: ObjectMirror.View) -> String? {
        view.adapter(named: manager.adapter).flatMap { view.device(address, on: $0.path) }
    }

    func obstacle(_ view: ObjectMirror.View) -> CentralError? {
        guard let device = device(view), view.isConnected(device) else { return .disconnected(address: address) }
        return nil
    }

    private func check(
        _ characteristic: Characteristic, _ needed: Set<CharacteristicProperty>
    ) throws(CentralError) {
        let missing = needed.subtracting(characteristic.properties)
        if let missing = missing.first { throw .notSupported(characteristic.uuid, missing) }
    }

    func ask(
        _ characteristic: Characteristic, _ method: String, _ arguments: [DBusValue] = [], within limit: Duration
    ) async throws(CentralError) -> [DBusValue] {
        let reply = manager.send(characteristic.path, Interface.characteristic, method, arguments, within: limit)
        let result = try await manager.answer(to: reply, within: limit, watching: .object(characteristic.device)) {
            obstacle($0)
        }
        do throws(BusError) {
            return try result.get()
        } catch {
            if let obstacle = obstacle(manager.mirror.view) { throw obstacle }
            throw CentralError(
                error, uuid: characteristic.uuid, address: address,
                what: "\(method) of \(characteristic.uuid.characteristicTitle) at \(address)", limit: limit)
        }
    }
}

extension Characteristic {
    /// The object of the peripheral, above those of the service and the characteristic.
    var device: String { path.split(separator: "/").dropLast(2).map { "/\($0)" }.joined() }

    fileprivate init?(_ path: String, _ tree: ObjectTree, service: BluetoothUUID) {
        guard let properties = tree[path, Interface.characteristic],
            let uuid = properties["UUID"]?.string.flatMap({ BluetoothUUID($0) })
        else { return nil }
        let flags = (properties["Flags"]?.strings ?? []).compactMap(CharacteristicProperty.init)
        self.init(uuid: uuid, service: service, properties: Set(flags), path: path)
    }
}

extension Peripheral {
    /// The pause before a subscription that was refused for the moment is tried again.
    private static let pause = Duration.seconds(1)

    /// Subscribes to a value: each that the peripheral notifies or indicates. A value that is read comes as well. A
    /// reader that leaves more than 256 of them unread loses the oldest.
    ///
    /// The subscription outlives the connection: when the peripheral is connected again it is made anew, also after a
    /// restart of bluetoothd. The stream does not connect the peripheral again; see
    /// ``CentralManager/connections(to:remembered:)``. The sequence ends when its task is cancelled, or with a
    /// ``CentralError`` when the peripheral refuses.
    public func values(for characteristic: Characteristic) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream(
            [UInt8].self, bufferingPolicy: .bufferingNewest(ObjectMirror.valueLimit)
        ) { continuation in
            let values = manager.mirror.values(of: characteristic.path)
            let listening = Task { for await value in values { continuation.yield(value) } }
            let task = Task {
                do throws(CentralError) {
                    try await self.subscribe(to: characteristic)
                } catch {
                    continuation.finish(throwing: error == .cancelled ? nil : error)
                }
            }
            continuation.onTermination = { _ in
                listening.cancel()
                task.cancel()
            }
        }
    }

    private func subscribe(to characteristic: Characteristic) async throws(CentralError) {
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw .notSupported(characteristic.uuid, .notify)
        }
        defer { unsubscribe(from: characteristic) }
        while true {
            _ = try await manager.mirror.wait(until: nil, for: .object(characteristic.device)) { view in
                self.isThere(characteristic, view) ? true : nil
            }
            do throws(CentralError) {
                _ = try await ask(characteristic, "StartNotify", within: Self.timeout)
            } catch .disconnected {
                continue
            } catch .refused(_, .busy) {
                guard await Self.pause.elapsed() else { throw .cancelled }
                continue
            }
            _ = try await manager.mirror.wait(until: nil, for: .object(characteristic.device)) { view in
                self.isThere(characteristic, view) ? nil : true
            }
        }
    }

    private func isThere(_ characteristic: Characteristic, _ view: ObjectMirror.View) -> Bool {
        guard let device = device(view), view.isConnected(device), view.isResolved(device) else { return false }
        return view.tree[characteristic.path, Interface.characteristic] != nil
    }

    private func unsubscribe(from characteristic: Characteristic) {
        guard isThere(characteristic, manager.mirror.view) else { return }
        let mirror = manager.mirror
        // Without waiting: bluetoothd does the same when the program ends.
        Task { try? await mirror.call(characteristic.path, Interface.characteristic, "StopNotify") }
    }
}
