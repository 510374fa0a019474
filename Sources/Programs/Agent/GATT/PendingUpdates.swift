import BlueZ

/// The updates for which the manager has no room yet, the oldest first.
struct PendingUpdates: Sendable {
    /// The maximum number of updates; of more the oldest are dropped. A central that missed one can read the whole value.
    static let limit = 256

    private var updates: [StatusBoard.Update] = []

    mutating func append(_ more: [StatusBoard.Update]) {
        updates = (updates + more).suffix(Self.limit)
    }

    /// Sends the updates in their order, until there is no room for one.
    mutating func send(_ send: (StatusBoard.Update) -> PeripheralManager.UpdateResult) {
        let sent = updates.prefix { send($0) != .queueFull }
        updates.removeFirst(sent.count)
    }
}
