import GLib
import Synchronization

/// The states a device went through, with their reasons: the one that tells why a join failed is soon followed by others.
final class DeviceJournal: Sendable {
    struct Entry: Sendable {
        let state: UInt32
        let reason: UInt32
    }

    private let entries = Mutex<[Entry]>([])
    private let changes: Changes

    init(changes: Changes) {
        self.changes = changes
    }

    func record(state: UInt32, reason: UInt32) {
        entries.withLock { $0.append(Entry(state: state, reason: reason)) }
        changes.notify()
    }

    /// How an activation ended that did not succeed.
    struct End: Sendable {
        /// NMDeviceStateReason.
        let reason: UInt32

        /// Whether the access point had let the device in before: then the passphrase was right.
        let wasAssociated: Bool
    }

    /// The first failure after an activation has begun.
    var failure: End? { end { $0 == DeviceState.failed } }

    /// Where the device left the activation for another way than failure, such as being switched off.
    var departure: End? { end { $0 <= DeviceState.disconnected || $0 == DeviceState.deactivating } }

    private func end(_ isEnd: (UInt32) -> Bool) -> End? {
        let entries = entries.withLock { $0 }
        guard let begin = entries.firstIndex(where: { DeviceState.activating.contains($0.state) }),
            let end = entries[begin...].firstIndex(where: { isEnd($0.state) })
        else { return nil }
        let wasAssociated = entries[begin..<end].contains { $0.state >= DeviceState.ipConfig }
        return End(reason: entries[end].reason, wasAssociated: wasAssociated)
    }
}
