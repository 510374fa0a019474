/// A listener of the daemon beside its socket.
package struct ListenerReport: Codable, Sendable, Equatable {
    /// The key of the configuration: `metrics`.
    package var name: String
    /// Such as `127.0.0.1:9464`.
    package var address: String

    /// The address of the page for a browser, such as `http://192.168.1.10:8080/`; `nil` for other listeners, and from a daemon of an earlier
    /// version.
    package var url: String?
    /// The reason why it is closed, and the remedy; `nil` while it is open.
    package var problem: String?

    /// The configured address that could not be opened, and the reason, if the listener therefore stays on the former address.
    package var refused: String?

    /// Whether other machines find the listener by mDNS; `nil` if it is not to be found.
    package var discovery: Discovery?

    /// The result of an announcement by mDNS.
    package struct Discovery: Codable, Sendable, Equatable {
        /// The name of the service in the network; `nil` while there is none.
        package var name: String?
        /// The reason why there is none.
        package var problem: String?

        package init(name: String? = nil, problem: String? = nil) {
            (self.name, self.problem) = (name, problem)
        }
    }

    package init(name: String, address: String, problem: String? = nil, refused: String? = nil) {
        self.name = name
        self.address = address
        self.problem = problem
        self.refused = refused
    }
}
