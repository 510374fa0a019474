import OkaeriConfiguration

/// The files of a backup, written beside those that they replace.
package struct StagedRestore: Sendable {
    let files: [StagedFile]
    let directory: String
    let rights: OwnerRights

    /// Replaces all files, or none. No daemon may run with the state directory. Blocking.
    package func exchange() throws(BackupFailure) {
        let lock = try locked()
        defer { withExtendedLifetime(lock) {} }
        var exchanged: [(file: StagedFile, hadFormer: Bool)] = []
        do throws(BackupFailure) {
            for file in files { exchanged.append((file, try file.exchange())) }
        } catch {
            let left = exchanged.reversed().filter { !$0.file.takeBack(hadFormer: $0.hadFormer) }.map(\.file.path)
            discard()
            var failure = error
            failure.description +=
                left.isEmpty
                ? "; all files are as before"
                : "; these are the backup's now, and the former ones are beside them as .bak: "
                    + left.joined(separator: ", ")
            throw failure
        }
    }

    private func locked() throws(BackupFailure) -> StateLock {
        do throws(BackupFailure) {
            return try rights { () throws(BackupFailure) in
                do throws(StateLock.Failure) {
                    return try StateLock(directory: directory)
                } catch {
                    throw BackupFailure(.service, error.description)
                }
            }
        } catch {
            discard()
            throw error
        }
    }

    /// Removes the new files that are not in use.
    package func discard() { files.forEach { $0.discard() } }
}
