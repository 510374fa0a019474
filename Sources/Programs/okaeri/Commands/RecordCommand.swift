import ArgumentParser
import Glibc
import OkaeriListening
import SystemPackage

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Record the received advertisements as a btsnoop capture.",
        discussion: """
            Wireshark, btmon and `okaeri replay` read it. It ends with Ctrl-C or after --duration. With - the capture goes \
            to standard output, which must not be a terminal.
            """, shouldDisplay: false)

    @OptionGroup var listening: ListeningOptions
    @OptionGroup var log: LogOptions

    @Argument(
        help:
            "A new file, a named pipe or a device; - is standard output. Existing files are not overwritten.",
        completion: .file())
    var file: String

    @Flag(
        help:
            "Replace the address of each sender by another one, the same throughout the capture. Names, UUIDs and addresses inside advertisements stay."
    )
    var redact = false

    func run() async throws {
        let output = try CaptureOutput(file)
        defer { output.close() }
        let session = try ListeningSession(
            regions: [], adapter: listening.adapter, capture: listening.capture, logger: log.logger)
        do {
            try await listening.run(session) { services in
                let count = try await session.record(
                    to: output.descriptor, isRedacted: redact, with: services)
                Terminal.printNotice("\(count) events recorded in \(output.name)")
            }
        } catch {
            output.discardIfEmpty()
            throw error
        }
    }
}

/// The destination of a recording.
private struct CaptureOutput {
    let descriptor: FileDescriptor

    /// The name in messages.
    let name: String

    /// The regular file that was created for the recording; `nil` if the output was there before.
    private let created: String?

    /// Opens a new file, or standard output, a pipe or a character device that is there already.
    init(_ file: String) throws {
        if file == "-" || Self.isStandardOutput(file) {
            (descriptor, name, created) = (.standardOutput, "standard output", nil)
        } else {
            do {
                let new = try Self.create(file)
                (descriptor, created) = (try new ?? Self.existing(file), new == nil ? nil : file)
                name = file
            } catch {
                let hint = error as? Errno == .fileExists ? "name another file, or remove it first" : "check the folder"
                throw CommandFailure("cannot create \(file): \(error); \(hint)", status: Exit.ioError)
            }
        }
        if isatty(descriptor.rawValue) == 1 {
            throw CommandFailure(
                "cannot write a capture to a terminal; name a file, or redirect standard output", status: Exit.usage)
        }
    }

    func close() {
        if descriptor != .standardOutput { try? descriptor.close() }
    }

    /// Removes a file that holds nothing: an empty capture would only be in the way of the next attempt.
    func discardIfEmpty() {
        guard let created, let length = try? descriptor.seek(offset: 0, from: .end) else { return }
        if length <= Self.headerLength { unlink(created) }
    }

    /// The size of a capture without a packet, in bytes.
    private static let headerLength: Int64 = 16

    /// Returns whether `file` is another name of standard output, as /dev/stdout is.
    private static func isStandardOutput(_ file: String) -> Bool {
        var (named, own) = (stat(), stat())
        guard stat(file, &named) == 0, fstat(STDOUT_FILENO, &own) == 0 else { return false }
        return (named.st_dev, named.st_ino) == (own.st_dev, own.st_ino)
    }

    /// Returns `nil` if there is a file of that name.
    private static func create(_ file: String) throws -> FileDescriptor? {
        do {
            return try FileDescriptor.open(
                FilePath(file), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch Errno.fileExists {
            return nil
        }
    }

    /// Opens a pipe or a character device. Its kind is read from the open descriptor, for the name may change its meaning
    /// meanwhile; a file that is opened without truncation is not touched.
    private static func existing(_ file: String) throws -> FileDescriptor {
        let descriptor = try FileDescriptor.open(FilePath(file), .writeOnly, options: [.closeOnExec])
        var status = stat()
        let isStream = fstat(descriptor.rawValue, &status) == 0 && [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT)
        guard isStream else {
            try descriptor.close()
            throw Errno.fileExists
        }
        return descriptor
    }
}
