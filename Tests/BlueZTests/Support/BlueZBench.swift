import TestSupport

/// A private bus with a make-believe bluetoothd, see bluez.py. One for each test.
struct BlueZBench: Waited, Sendable {
    private let bench: Bench

    /// The bus.
    var address: String { bench.address }

    init() throws {
        bench = try Bench("bluez.py")
    }

    /// bluetoothd appears, with an adapter unless it is to have none.
    func start(adapter: String? = "hci0") throws {
        try tell("start")
        if let adapter { try tell("adapter", ["name": adapter]) }
    }

    /// bluetoothd is told something, or something happens to it: see bluez.py.
    @discardableResult
    func tell(_ command: String, _ arguments: [String: Any] = [:]) throws -> Any? { try bench.tell(command, arguments) }

    /// The methods that were called so far, each with its arguments.
    var calls: [[String]] {
        get throws {
            let calls = try tell("calls") as? [[Any]] ?? []
            return calls.map { $0.map { "\($0)" } }
        }
    }

    /// How often a method was called.
    func count(of method: String) throws -> Int { try calls.count { $0.first == method } }
}
