import OkaeriTestSupport

/// A private session bus with a notification server, see desktop.py. One for each test.
struct DesktopBench: Waited {
    /// A notification that the mock was asked to show.
    struct Shown: Equatable {
        let summary: String
        let body: String
        /// Keys and labels by turns.
        let actions: [String]
        let expiry: Int
    }

    private let bench: Bench

    /// The bus.
    var address: String { bench.address }

    init() async throws {
        bench = try await Bench("desktop.py")
    }

    /// A mock of a server appears.
    func mock(_ capabilities: [String] = ["body", "body-markup", "actions"]) async throws {
        try await bench.performLong("mock", ["capabilities": capabilities])
    }

    /// dunst appears.
    func dunst() async throws { try await bench.performLong("dunst") }

    /// The server is killed.
    func stop() throws { try bench.perform("stop") }

    /// A button of the mock's notification is pressed.
    func press(_ notification: Int, _ key: String) throws {
        try bench.perform("press", ["id": notification, "key": key])
    }

    /// Closes the mock's notification.
    func dismiss(_ notification: Int) throws { try bench.perform("dismiss", ["id": notification]) }

    @discardableResult
    func dunstctl(_ arguments: String...) throws -> String {
        try bench.perform("dunstctl", ["arguments": arguments]) as? String ?? ""
    }

    var shown: [Shown] {
        get throws {
            let calls = try bench.perform("notifications") as? [[Any]] ?? []
            return calls.map { call in
                Shown(
                    summary: call[0] as? String ?? "", body: call[1] as? String ?? "",
                    actions: call[2] as? [String] ?? [], expiry: call[3] as? Int ?? 0)
            }
        }
    }

    var closed: [Int] {
        get throws { try bench.perform("closed") as? [Int] ?? [] }
    }
}
