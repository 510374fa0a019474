import ArgumentParser
import BlueZ
import OkaeriPlumbing

/// `--adapter`, of those that bluetoothd has.
struct BluetoothOptions: ParsableArguments {
    @Option(help: "The adapter, such as hci0; default: the first that is switched on.")
    var adapter: String?

    func validate() throws {
        if let adapter { try SourceOptions.validate(adapter: adapter) }
    }
}

extension BluetoothUUID {
    /// As it stands on the command line.
    static func argument(_ text: String) throws -> BluetoothUUID {
        guard let uuid = BluetoothUUID(text) else {
            throw ValidationError("\(text) is not a UUID; write 4, 8 or 32 hexadecimal digits, such as 180F")
        }
        return uuid
    }
}
