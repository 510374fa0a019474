import Glibc
import HTTPTypes
import Logging
import OkaeriConfiguration
package import OkaeriEncryption
import OkaeriEvents
import OkaeriPlumbing
import OkaeriServer
import Synchronization
package import SystemPackage

/// Writes an encrypted backup of this machine to an open file. Blocking.
///
/// It returns the number of files that the backup should contain and does not.
package typealias BackupWriter =
    @Sendable (
        _ output: FileDescriptor, _ passphrase: AgePassphrase, _ deadline: ContinuousClock.Instant
    ) throws(BackupWriterFailure) -> Int

/// The reason why a backup is not written, and the remedy.
package struct BackupWriterFailure: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The backups that browsers download: one at a time, because each takes memory for its key and room on the disk.
struct BackupDownloads: Sendable {
    /// Holds the turn of a download until the answer is sent or dropped.
    private final class Turn: Sendable {
        private let desk: Desk
        private let isOver = Atomic(false)

        init?(_ desk: Desk) {
            self.desk = desk
            guard !desk.isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
        }

        deinit { end() }

        /// Ends the turn before the answer, whose client may send its next request at once.
        func end() {
            guard !isOver.exchange(true, ordering: .relaxed) else { return }
            desk.isTaken.store(false, ordering: .releasing)
        }
    }

    private final class Desk: Sendable {
        let isTaken = Atomic(false)
    }

    /// The time limit for writing a backup, and that for sending it.
    private static let writingLimit = Duration.seconds(600)
    static let sendingLimit = Duration.seconds(3600)
    /// The time after which a refused client is to send its request again, in seconds.
    private static let retryAfter = 30

    /// Whether the configuration offers backups on the page.
    let isOffered: @Sendable () -> Bool
    /// The state directory, which has room for a copy of its files.
    let directory: String
    /// The name of this machine.
    let node: @Sendable () -> String
    let logger: Logger
    let write: BackupWriter
    private let desk = Desk()

    init(
        isOffered: @escaping @Sendable () -> Bool, directory: String, node: @escaping @Sendable () -> String,
        logger: Logger,
        write: @escaping BackupWriter
    ) {
        (self.isOffered, self.directory, self.node) = (isOffered, directory, node)
        (self.logger, self.write) = (logger, write)
    }

    /// Writes a backup to a file without a name, which ends with the answer.
    ///
    /// - Parameter begun: Called when the work begins, which takes seconds at least.
    func file(
        encryptedWith text: String, begun: () -> Void
    ) async throws(PageFailure) -> (file: SentFile, missing: Int) {
        guard let passphrase = AgePassphrase(text) else {
            throw PageFailure(.badRequest, request: .passphrase, AgePassphrase.expected)
        }
        guard let turn = Turn(desk) else {
            throw PageFailure(
                .serviceUnavailable, request: .downloadRuns, "\(Self.retryAfter)", retryAfter: Self.retryAfter)
        }
        begun()
        let deadline = ContinuousClock.now + Self.writingLimit
        return try await BlockingThread.run({
            PageFailure(BlockingThread.StartError(code: $0))
        }) {
            [write, directory] () throws(PageFailure) in
            do throws(PageFailure) {
                let output = try Self.nameless(forStateIn: directory)
                let missing = try Self.written { () throws(BackupWriterFailure) in
                    try write(FileDescriptor(rawValue: output.number), passphrase, deadline)
                }
                return (SentFile(output, holding: turn), missing)
            } catch {
                turn.end()
                throw error
            }
        }
    }

    private static func written(_ body: () throws(BackupWriterFailure) -> Int) throws(PageFailure) -> Int {
        do throws(BackupWriterFailure) { return try body() } catch {
            throw PageFailure(.serviceUnavailable, request: .noDownload, error.description)
        }
    }

    /// Returns a new file that no path leads to.
    private static func nameless(forStateIn directory: String) throws(PageFailure) -> OwnedDescriptor {
        do throws(FilePlace.Problem) {
            let folder = try PrivateFolder.made(
                prefix: "okaeri-download", inOneOf: PrivateFolder.parents(forStateIn: directory))
            defer { folder.remove() }
            let number = open("\(folder.path)/backup", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            guard number >= 0 else { throw .failed(Errno(rawValue: errno)) }
            return OwnedDescriptor(owning: number)
        } catch {
            throw PageFailure(.serviceUnavailable, request: .noFileForDownload, error.description)
        }
    }

    /// The fields of the answer with a backup.
    func headers(missing: Int, at time: Int64) -> HTTPFields {
        let node = node().filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(64)
        let name = "okaeri\(node.isEmpty ? "" : "-\(node)")-\(LocalTime.day(time)).tar.age"
        var headers: HTTPFields = [
            .contentType: "application/octet-stream", .contentDisposition: "attachment; filename=\"\(name)\"",
            .cacheControl: "no-store",
        ]
        if let field = HTTPField.Name("X-Okaeri-Missing") { headers[field] = "\(missing)" }
        return headers
    }

    /// Records the download in the journal.
    func made(by browser: String) {
        logger.notice("a backup was made on the page", metadata: ["by": "\(browser)"])
    }
}

/// The download of a backup.
extension PageData {
    /// Keys and passwords: for a browser with a session alone, and only if the configuration offers them.
    var backupEndpoints: [Endpoint] {
        [
            Endpoint(.get, Route.backup, rights: .all) { exchange in
                .json(BackupOfferReport(unless: obstacleToBackup), in: exchange.request.language)
            },
            Endpoint(.post, Route.backup, rights: .all, isAccounted: true) { exchange in
                struct Wanted: Decodable {
                    var passphrase: String
                }
                // The passphrase of a request that is refused is not read.
                if let code = obstacleToBackup { throw PageFailure(.forbidden, request: code.phrase) }
                let wanted = try await exchange.value(Wanted.self, "{\"passphrase\": …}")
                guard let backups else { throw PageFailure(.forbidden, request: .noState) }
                let (file, missing) = try await backups.file(encryptedWith: wanted.passphrase) {
                    exchange.beginLongAnswer()
                }
                backups.made(by: exchange.session?.device.name ?? "")
                return exchange.response(
                    sending: file, headers: backups.headers(missing: missing, at: now()),
                    until: .now + BackupDownloads.sendingLimit)
            },
        ]
    }

    private var obstacleToBackup: BackupOfferReport.Code? {
        guard let backups else { return .noState }
        return backups.isOffered() ? nil : .off
    }
}
