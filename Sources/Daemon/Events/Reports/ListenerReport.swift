/// A listener of the daemon beside its socket.
package struct ListenerReport: Codable, Sendable, Equatable {
    /// The key of the configuration: `metrics`.
    package var name: String
    /// Such as `127.0.0.1:9464`.
    package var address: String
    /// The reason why it is closed, and the remedy; `nil` while it is open.
    package var problem: String?

    /// The configured address that could not be opened, and the reason, if the listener therefore stays on the former address.
    package var refused: String?

    package init(name: String, address: String, problem: String? = nil, refused: String? = nil) {
        self.name = name
        self.address = address
        self.problem = problem
        self.refused = refused
    }
}
