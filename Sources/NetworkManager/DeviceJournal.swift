import GLib
import Synchronization

/// The states a device went through, with their reasons: the one that shows why a join failed is soon followed by others.
///
/// It begins before the join is requested, for the states of a short one precede the answer to the request. Each state
/// therefore carries the active connection that the device had: another one may fail at the same time.
final class DeviceJournal: Sendable {
    struct Entry: Sendable {
        let state: UInt32
        let reason: UInt32

        /// The device's active connection; nil for none.
        let connection: Connection?
    }

    struct Connection: Sendable {
        let path: String

        /// The UUID of its profile.
        let profile: String

        /// Whether `name` is its path or the UUID of its profile.
        func isNamed(_ name: String) -> Bool { path == name || profile == name }
    }

    private let entries = Mutex<[Entry]>([])
    private let changes: Changes

    init(changes: Changes) {
        self.changes = changes
    }

    func record(_ entry: Entry) {
        entries.withLock { $0.append(entry) }
        changes.notify()
    }

    /// How an activation ended that did not succeed.
    struct End: Sendable {
        /// NMDeviceStateReason.
        let reason: UInt32

        /// Whether the access point had let the device in before: then the passphrase was right.
        let wasAssociated: Bool
    }

    /// The first failure of an active connection.
    ///
    /// - Parameter connection: its D-Bus path, or the UUID of its profile if libnm has not seen it.
    func failure(of connection: String) -> End? { end(of: connection) { $0 == DeviceState.failed } }

    /// Where the device left that active connection for another way than failure, such as being switched off.
    func departure(of connection: String) -> End? {
        end(of: connection) { $0 <= DeviceState.disconnected || $0 == DeviceState.deactivating }
    }

    private func end(of connection: String, where isEnd: (UInt32) -> Bool) -> End? {
        let entries = entries.withLock { $0 }
        let begin = entries.firstIndex {
            $0.connection?.isNamed(connection) == true && DeviceState.activating.contains($0.state)
        }
        guard let begin else { return nil }
        // The device lets go of the connection with its last states.
        let own = entries[begin...].prefix { $0.connection?.isNamed(connection) ?? true }
        guard let end = own.firstIndex(where: { isEnd($0.state) }) else { return nil }
        let wasAssociated = own[..<end].contains { $0.state >= DeviceState.ipConfig }
        return End(reason: own[end].reason, wasAssociated: wasAssociated)
    }
}
