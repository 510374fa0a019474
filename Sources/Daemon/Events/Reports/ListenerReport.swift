/// A listener of the daemon beside its socket.
package struct ListenerReport: Codable, Sendable, Equatable {
    /// The key of the configuration: `metrics`.
    package var name: String
    /// Such as `127.0.0.1:9464`.
    package var address: String
    /// The reason why it is closed, and the remedy; `nil` while it is open.
    package var problem: String?

    package init(name: String, address: String, problem: String? = nil) {
        self.name = name
        self.address = address
        self.problem = problem
    }
}
