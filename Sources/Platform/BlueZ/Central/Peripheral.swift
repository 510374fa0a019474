import OkaeriDBus
import OkaeriPlumbing

/// A peripheral and its values: CoreBluetooth's `CBPeripheral`, over BlueZ.
///
/// It has no `readRSSI`: bluetoothd cannot read the signal strength of a connection. The last one of an advertisement is the
/// ``Discovery/rssi`` of its ``discovery``.
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
        return view.tree.services(of: device)
    }

    /// Returns the services that a service includes (`org.bluez.GattService1`, Includes), in their order.
    public func includedServices(of service: GATTService) -> [GATTService] {
        services.filter { service.includes.contains($0.path) }
    }

    /// Returns the one characteristic that a UUID, its service and its number select. Of several, it is the only one that
    /// has one of the properties.
    ///
    /// - Parameters:
    ///   - uuid: The UUID of the characteristic.
    ///   - service: The UUID of the service; `nil` for any.
    ///   - instance: The number among those of the UUID and the service, from 1; `nil` for any.
    ///   - properties: The properties of which the characteristic needs one, if there are several characteristics.
    /// - Throws: ``CentralError/noCharacteristic(_:address:)``, ``CentralError/ambiguous(_:choices:)``,
    ///   ``CentralError/notSupported(_:_:)`` if there are several and none has a property that is needed,
    ///   ``CentralError/disconnected(address:reason:)``, or what is wrong with Bluetooth.
    public func characteristic(
        _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil, instance: Int? = nil,
        with properties: Set<CharacteristicProperty> = []
    ) throws(CentralError) -> Characteristic {
        try characteristic(CharacteristicSelector(uuid, in: service, instance: instance), with: properties)
    }

    /// Returns the one characteristic that a selector selects; see ``characteristic(_:in:instance:with:)``.
    ///
    /// - Parameters:
    ///   - selector: The UUID, the service and the number.
    ///   - properties: The properties of which the characteristic needs one, if there are several characteristics.
    /// - Throws: As ``characteristic(_:in:instance:with:)``.
    public func characteristic(
        _ selector: CharacteristicSelector, with properties: Set<CharacteristicProperty> = []
    ) throws(CentralError) -> Characteristic {
        guard isConnected else { throw obstacle(manager.mirror.view) ?? .disconnected(address: address) }
        return try selector.select(from: services.flatMap(\.characteristics), with: properties, address: address)
    }

    // MARK: Values

    /// The maximum length of a value of any attribute, in bytes (Core Specification, Vol 3, Part F, 3.2.9).
    private static let longestValue = 512

    /// Returns the maximum length of a value to write, in bytes.
    ///
    /// - Parameter type: Without a response the value has to fit one packet of the connection. With one, bluetoothd
    ///   splits a long value.
    /// - Returns: `nil` if it is unknown: the peripheral is not connected, or bluetoothd is older than 5.62.
    public func maximumWriteValueLength(for type: WriteType) -> Int? {
        let view = manager.mirror.view
        guard let device = device(view), view.isConnected(device) else { return nil }
        switch type {
        case .withResponse: return Self.longestValue
        case .withoutResponse:
            // The MTU of the link, which each of them has; the operation and the handle take three bytes.
            let mtu = view.tree.paths(with: Interface.characteristic, below: device).lazy
                .compactMap { view.tree[$0, Interface.characteristic]?["MTU"]?.integer }.first
            return mtu.flatMap { (23...0xFFFF).contains($0) ? min($0 - 3, Self.longestValue) : nil }
        }
    }

    /// Reads a value, however long it is (`org.bluez.GattCharacteristic1`, ReadValue).
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic to read.
    ///   - limit: The time limit.
    /// - Throws: ``CentralError/notSupported(_:_:)`` without a question to the peripheral,
    ///   ``CentralError/refused(_:_:)``, ``CentralError/disconnected(address:reason:)``,
    ///   ``CentralError/timedOut(what:after:)`` or ``CentralError/cancelled``.
    public func readValue(
        for characteristic: Characteristic, within limit: Duration = timeout
    ) async throws(CentralError) -> [UInt8] {
        try check(characteristic, .read)
        return try await read(characteristic.attribute, within: limit)
    }

    /// Reads a descriptor, however long it is (`org.bluez.GattDescriptor1`, ReadValue).
    ///
    /// - Parameters:
    ///   - descriptor: The descriptor to read.
    ///   - limit: The time limit.
    /// - Throws: as ``readValue(for:within:)-(Characteristic,_)``.
    public func readValue(
        for descriptor: Descriptor, within limit: Duration = timeout
    ) async throws(CentralError) -> [UInt8] {
        try await read(descriptor.attribute, within: limit)
    }

    /// Writes a value (`org.bluez.GattCharacteristic1`, WriteValue).
    ///
    /// - Parameters:
    ///   - value: 512 bytes at most (Core Specification, Vol 3, Part F, 3.2.9); see ``maximumWriteValueLength(for:)``.
    ///   - characteristic: The characteristic to write.
    ///   - type: whether the peripheral confirms it.
    ///   - limit: The time limit.
    /// - Throws: as ``readValue(for:within:)-(Characteristic,_)``.
    public func writeValue(
        _ value: [UInt8], for characteristic: Characteristic, type: WriteType = .withResponse,
        within limit: Duration = timeout
    ) async throws(CentralError) {
        let word: String
        switch type {
        case .withResponse:
            try check(characteristic, .write)
            word = "request"
        case .withoutResponse:
            try check(characteristic, .writeWithoutResponse)
            word = "command"
        }
        let arguments: [DBusValue] = [.bytes(value), .properties(["type": .string(word)])]
        _ = try await ask(characteristic.attribute, "WriteValue", arguments, within: limit)
    }

    /// Writes a descriptor (`org.bluez.GattDescriptor1`, WriteValue).
    ///
    /// - Parameters:
    ///   - value: 512 bytes at most (Core Specification, Vol 3, Part F, 3.2.9).
    ///   - descriptor: The descriptor to write. bluetoothd writes the one that subscribes (2902) itself.
    ///   - limit: The time limit.
    /// - Throws: as ``readValue(for:within:)-(Characteristic,_)``.
    public func writeValue(
        _ value: [UInt8], for descriptor: Descriptor, within limit: Duration = timeout
    ) async throws(CentralError) {
        _ = try await ask(descriptor.attribute, "WriteValue", [.bytes(value), .properties([:])], within: limit)
    }

    // MARK: -

    func device(_ view: ObjectMirror.View) -> String? {
        view.adapter(named: manager.adapter).flatMap { view.device(address, on: $0.path) }
    }

    func obstacle(_ view: ObjectMirror.View) -> CentralError? {
        guard let device = device(view), view.isConnected(device) else { return disconnected(view) }
        return nil
    }

    /// The error of a connection that has ended, later than the end with that number.
    func disconnected(_ view: ObjectMirror.View, after end: UInt64 = 0) -> CentralError {
        .disconnected(address: address, reason: view.ends.reason(of: address, after: end))
    }

    private func check(_ characteristic: Characteristic, _ needed: CharacteristicProperty) throws(CentralError) {
        guard characteristic.properties.contains(needed) else { throw .notSupported(characteristic.uuid, needed) }
    }

    private func read(_ attribute: Attribute, within limit: Duration) async throws(CentralError) -> [UInt8] {
        let answer = try await ask(attribute, "ReadValue", [.properties([:])], within: limit)
        guard let value = answer.first?.bytes else {
            throw .unexpected(what: "the read of \(attribute.uuid)", reason: "the answer holds no bytes")
        }
        return value
    }

    func ask(
        _ attribute: Attribute, _ method: String, _ arguments: [DBusValue] = [], within limit: Duration
    ) async throws(CentralError) -> [DBusValue] {
        let reply = manager.send(attribute.path, attribute.interface, method, arguments, within: limit)
        let result = try await manager.answer(to: reply, within: limit, watching: .object(attribute.device)) {
            obstacle($0)
        }
        do throws(BusError) {
            return try result.get()
        } catch {
            if let obstacle = obstacle(manager.mirror.view) { throw obstacle }
            throw CentralError(
                error, uuid: attribute.uuid, address: address,
                what: "\(method) of \(attribute.uuid.characteristicTitle) at \(address)", limit: limit)
        }
    }
}

/// An object of bluetoothd with a value.
struct Attribute: Sendable {
    var uuid: BluetoothUUID
    var path: String
    var interface: String
    /// The object of the peripheral, above those of the service and of the attribute.
    var device: String
}

extension Characteristic {
    var attribute: Attribute {
        Attribute(uuid: uuid, path: path, interface: Interface.characteristic, device: path.parent(2))
    }
}

extension Descriptor {
    fileprivate var attribute: Attribute {
        Attribute(uuid: uuid, path: path, interface: Interface.descriptor, device: path.parent(3))
    }
}

extension String {
    /// The path of the object that is so many levels above.
    fileprivate func parent(_ levels: Int) -> String {
        split(separator: "/").dropLast(levels).map { "/\($0)" }.joined()
    }
}

extension ObjectTree {
    /// The services below a device, in their order.
    fileprivate func services(of device: String) -> [GATTService] {
        /// The number of characteristics so far, by the UUID of the service and their own.
        var instances: [BluetoothUUID: [BluetoothUUID: Int]] = [:]
        return paths(with: Interface.gattService, below: device).compactMap { path in
            guard let properties = self[path, Interface.gattService],
                let uuid = properties["UUID"]?.string.flatMap({ BluetoothUUID($0) })
            else { return nil }
            let characteristics = paths(with: Interface.characteristic, below: path).compactMap { path in
                var found = characteristic(path, service: uuid)
                if let own = found?.uuid {
                    instances[uuid, default: [:]][own, default: 0] += 1
                    found?.instance = instances[uuid]?[own] ?? 1
                }
                return found
            }
            return GATTService(
                uuid: uuid, isPrimary: properties["Primary"]?.boolean ?? true, characteristics: characteristics,
                path: path, includes: properties["Includes"]?.strings ?? [])
        }
    }

    private func characteristic(_ path: String, service: BluetoothUUID) -> Characteristic? {
        guard let properties = self[path, Interface.characteristic],
            let uuid = properties["UUID"]?.string.flatMap({ BluetoothUUID($0) })
        else { return nil }
        let flags = (properties["Flags"]?.strings ?? []).compactMap(CharacteristicProperty.init)
        let descriptors = paths(with: Interface.descriptor, below: path).compactMap { path in
            self[path, Interface.descriptor]?["UUID"]?.string.flatMap { BluetoothUUID($0) }
                .map { Descriptor(uuid: $0, path: path) }
        }
        return Characteristic(
            uuid: uuid, service: service, properties: Set(flags), descriptors: descriptors, path: path)
    }
}
