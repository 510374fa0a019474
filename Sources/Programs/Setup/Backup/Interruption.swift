import Synchronization

/// A request to end a step that blocks. The step then leaves no unfinished file.
package final class Interruption: Sendable {
    private let isSet = Atomic(false)

    package init() {}

    package func request() { isSet.store(true, ordering: .relaxed) }

    package var isRequested: Bool { isSet.load(ordering: .relaxed) }

    /// Throws if the end was requested.
    func check() throws(BackupFailure) {
        if isRequested { throw BackupFailure(.interrupted, "nothing was written") }
    }
}
