import Events
import BlueZ
import Plumbing
import SystemPackage

/// Reports the changes of a peripheral and its values to a person or a program.
struct PeripheralPrinter: Sendable {
    let asJSON: Bool

    func connected(_ peripheral: Peripheral) throws(Errno) {
        let name = peripheral.name
        if asJSON { return try write(Line("didConnectPeripheral", peripheral.address, name: name)) }
        Terminal.printNotice("\(title(peripheral)) is connected")
    }

    func disconnected(_ peripheral: Peripheral) throws(Errno) {
        if asJSON { return try write(Line("didDisconnectPeripheral", peripheral.address, name: peripheral.name)) }
        Terminal.printNotice("\(title(peripheral)) is disconnected; it is looked for, and connected when it is back")
    }

    /// - Parameter event: The event of the value, by its name in JSON.
    func value(
        _ value: [UInt8], of characteristic: Characteristic, at address: String, _ event: String
    ) throws(Errno) {
        guard !asJSON else {
            var line = Line(event, address, name: characteristic.uuid.characteristicName)
            line.service = characteristic.service.description
            line.characteristic = characteristic.uuid.description
            line.value = value.hexadecimal
            return try write(line)
        }
        let text = value.text.map { "  \"\($0)\"" } ?? ""
        try Terminal.print("\(characteristic.uuid.characteristicTitle)  \(value.hexadecimal)\(text)")
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
                try Terminal.print("  \(characteristic.uuid.characteristicTitle)  \(properties)")
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
        var properties: [String]

        init(_ characteristic: Characteristic) {
            self.characteristic = characteristic.uuid.description
            name = characteristic.uuid.characteristicName
            properties = characteristic.words
        }
    }

    var event: String
    var address: String
    var name: String?
    var service: String?
    var characteristic: String?
    var value: String?
    var characteristics: [Member]?

    init(_ event: String, _ address: String, name: String?) {
        self.event = event
        self.address = address
        self.name = name
    }
}

extension Characteristic {
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
