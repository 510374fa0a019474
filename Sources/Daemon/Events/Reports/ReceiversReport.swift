/// The receivers of other makes that publish at the broker.
package struct ReceiversReport: Codable, Sendable, Equatable {
    package struct Receiver: Codable, Sendable, Equatable {
        /// The make, as the configuration names it.
        package var type: String
        /// The make, as its makers write it.
        package var make: String
        /// Its own name.
        package var name: String
        /// Whether the configuration uses it.
        package var used: Bool
        /// The room, if the page has added the receiver.
        package var saved: String?
        /// Whether it publishes now.
        package var found: Bool

        package init(type: String, make: String, name: String, used: Bool, saved: String? = nil, found: Bool) {
            (self.type, self.make, self.name) = (type, make, name)
            (self.used, self.saved, self.found) = (used, saved, found)
        }
    }

    /// In the order of their makes and names.
    package var receivers: [Receiver]
    /// Whether there are more.
    package var more: Bool

    package init(receivers: [Receiver], more: Bool = false) { (self.receivers, self.more) = (receivers, more) }
}
