import BlueZ
import OkaeriEvents
import OkaeriPlumbing
import SystemPackage

/// Reports the changes of a peripheral and its values to a person or a program.
struct PeripheralPrinter: Sendable {
    let asJSON: Bool

    func connected(_ peripheral: Peripheral) throws(Errno) {
        let name = peripheral.name
        if asJSON { return try write(Line("didConnectPeripheral", peripheral.address, name: name)) }
        Terminal.printNotice("\(title(peripheral)) is connected")
    }

    /// - Parameter reason: The reason why the connection has ended, if it is known.
    func disconnected(_ peripheral: Peripheral, _ reason: DisconnectionReason?) throws(Errno) {
        guard !asJSON else {
            var line = Line("didDisconnectPeripheral", peripheral.address, name: peripheral.name)
            line.reason = reason?.description
            return try write(line)
        }
        let why = reason.map { ": \($0)" } ?? ""
        Terminal.printNotice(
            "\(title(peripheral)) is disconnected\(why); okaeri connects it again when it is in range")
    }

    /// The peripheral is there again, and cannot be connected for this reason.
    func failed(_ peripheral: Peripheral, _ reason: CentralError) throws(Errno) {
        guard !asJSON else {
            var line = Line("didFailToConnectPeripheral", peripheral.address, name: peripheral.name)
            line.reason = reason.description
            return try write(line)
        }
        Terminal.printNotice("\(reason)")
    }

    /// - Parameter event: The event of the value, by its name in JSON.
    func value(
        _ value: [UInt8], of characteristic: Characteristic, at address: String, _ event: String
    ) throws(Errno) {
        guard !asJSON else {
            var line = Line(event, address, name: characteristic.uuid.characteristicName)
            line.service = characteristic.service.description
            line.characteristic = characteristic.uuid.description
            line.instance = characteristic.numberIfSeveral
            line.value = value.hexadecimal
            return try write(line)
        }
        let text = value.text.map { "  \"\($0)\"" } ?? ""
        try Terminal.print("\(characteristic.title)  \(value.hexadecimal)\(text)")
    }

    func list(_ services: [GATTService], of peripheral: Peripheral) throws(Errno) {
        for service in services {
            if asJSON {
                var line = Line("didDiscoverService", peripheral.address, name: service.uuid.serviceName)
                line.service = service.uuid.description
                line.characteristics = service.characteristics.map(Line.Member.init)
                try write(line)
                continue
            }
            try Terminal.print(service.uuid.serviceTitle)
            for characteristic in service.characteristics {
                let properties = characteristic.words.joined(separator: " ")
                try Terminal.print("  \(characteristic.title)  \(properties)")
            }
        }
    }

    private func title(_ peripheral: Peripheral) -> String {
        peripheral.address + (peripheral.name.map { " (\($0))" } ?? "")
    }

    private func write(_ line: Line) throws(Errno) { try Terminal.print(JSON.line(line)) }
}

/// One object a line.
private struct Line: Encodable {
    struct Member: Encodable {
        var characteristic: String
        var name: String?
        /// From 2 on: the number among those of the UUID.
        var instance: Int?
        var properties: [String]

        init(_ characteristic: Characteristic) {
            self.characteristic = characteristic.uuid.description
            name = characteristic.uuid.characteristicName
            instance = characteristic.numberIfSeveral
            properties = characteristic.words
        }
    }

    var event: String
    var address: String
    var name: String?
    var service: String?
    var characteristic: String?
    var instance: Int?
    var value: String?
    var reason: String?
    var characteristics: [Member]?

    init(_ event: String, _ address: String, name: String?) {
        self.event = event
        self.address = address
        self.name = name
    }
}

extension Characteristic {
    /// The number among those of its UUID in its service, from 2 on.
    fileprivate var numberIfSeveral: Int? { instance > 1 ? instance : nil }

    /// `Battery Level (2A19)`, the second one `Battery Level (2A19)#2`.
    fileprivate var title: String { uuid.characteristicTitle + (numberIfSeveral.map { "#\($0)" } ?? "") }

    /// The operations of the value, in the specification's order.
    fileprivate var words: [String] { CharacteristicProperty.allCases.filter(properties.contains).map(\.rawValue) }
}

extension [UInt8] {
    /// As text, if it is some that can be shown.
    fileprivate var text: String? {
        guard !isEmpty, let text = String(validating: self, as: UTF8.self) else { return nil }
        // Values of several lines are usual; where one ends is to be seen.
        let line = text.replacing("\n", with: "\\n")
        return line.plain() == line ? line : nil
    }
}
