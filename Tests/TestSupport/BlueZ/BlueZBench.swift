/// A private bus with a simulated bluetoothd, see bluez.py. One for each test.
package struct BlueZBench: Waited, Sendable {
    private let bench: Bench

    /// The bus.
    package var address: String { bench.address }

    package init() async throws {
        bench = try await Bench("bluez.py")
    }

    /// bluetoothd appears, with an adapter unless it is to have none.
    package func start(adapter: String? = "hci0") throws {
        try perform("start")
        if let adapter { try perform("adapter", ["name": adapter]) }
    }

    /// Sends a command to bluetoothd, or to its surroundings: see bluez.py.
    @discardableResult
    package func perform(_ command: String, _ arguments: [String: Any] = [:]) throws -> Any? {
        try bench.perform(command, arguments)
    }

    /// The methods that were called so far, each with its arguments.
    package var calls: [[String]] {
        get throws {
            let calls = try perform("calls") as? [[Any]] ?? []
            return calls.map { $0.map { "\($0)" } }
        }
    }

    /// Returns the number of calls of a method.
    package func count(of method: String) throws -> Int { try calls.count { $0.first == method } }
}

/// A peripheral that has a battery and can be alerted.
package enum Lamp {
    package static let address = "DC:A6:32:01:02:03"
}

extension BlueZBench {
    private static let battery = "0000180f-0000-1000-8000-00805f9b34fb"
    private static let level = "00002a19-0000-1000-8000-00805f9b34fb"
    private static let alert = "00002a06-0000-1000-8000-00805f9b34fb"

    /// The lamp is in the air.
    ///
    /// - Parameters:
    ///   - isAnnounced: Whether bluetoothd reports that it is connected.
    ///   - battery: The value of the battery level, in hexadecimal digits.
    package func lamp(isAnnounced: Bool = true, battery: String = "64") throws {
        let characteristics: [[String: Any]] = [
            ["uuid": Self.level, "flags": ["read", "notify"], "value": battery],
            ["uuid": Self.alert, "flags": ["write", "write-without-response"], "value": "00"],
        ]
        try perform(
            "air",
            [
                "address": Lamp.address, "name": "lamp", "uuids": [Self.battery], "announced": isAnnounced,
                "services": [["uuid": Self.battery, "characteristics": characteristics]],
            ])
    }
}
