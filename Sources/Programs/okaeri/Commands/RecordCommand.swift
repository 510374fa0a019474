import ArgumentParser
import Glibc
import OkaeriConfiguration
import OkaeriListening
import OkaeriPlumbing
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
        let session = try ListeningSession(
            regions: [], adapter: listening.adapter, capture: listening.capture, logger: log.logger)
        do {
            try await listening.run(session) { [descriptor = output.descriptor, name = output.name, redact] services in
                let count = try await session.record(to: descriptor, isRedacted: redact, with: services)
                Terminal.printNotice("\(quantity(count, "event")) recorded in \(name.escapedName)")
            }
        } catch {
            output.discardIfEmpty()
            throw error
        }
    }
}

/// The destination of a recording.
private enum CaptureOutput {
    case standardOutput
    /// A pipe, a character device or a descriptor of this process.
    case stream(OutputStream, name: String)
    case file(OutputFile, name: String)

    /// Opens standard output, a pipe or a character device that is there already, or else a new file.
    init(_ file: String) throws {
        do throws(FilePlace.Problem) {
            if file == "-" || Self.isStandardOutput(file) {
                self = .standardOutput
            } else if let stream = try OutputStream.opened(at: file) {
                self = .stream(stream, name: file)
            } else {
                let new = try OutputFile(creating: file, permissions: [.ownerReadWrite, .groupRead, .otherRead])
                self = .file(new, name: file)
            }
        } catch {
            throw CommandFailure(
                "cannot create \(file.escapedName): \(error.description.escapedName); \(error.outputRemedy)",
                status: Exit.ioError)
        }
        if isatty(descriptor.rawValue) == 1 {
            throw CommandFailure(
                "cannot write a capture to a terminal; name a file, or redirect standard output", status: Exit.usage)
        }
    }

    var descriptor: FileDescriptor {
        switch self {
        case .standardOutput: .standardOutput
        case .stream(let stream, _): stream.descriptor
        case .file(let file, _): file.descriptor
        }
    }

    /// The name in messages.
    var name: String {
        switch self {
        case .standardOutput: "standard output"
        case .stream(_, let name), .file(_, let name): name
        }
    }

    /// Removes a file that holds nothing: an empty capture would only be in the way of the next attempt.
    func discardIfEmpty() {
        guard case .file(let file, _) = self, let length = try? file.descriptor.seek(offset: 0, from: .end) else {
            return
        }
        if length <= Self.headerLength { file.remove() }
    }

    /// The size of a capture without a packet, in bytes.
    private static let headerLength: Int64 = 16

    /// Returns whether `file` is another name of standard output, as /dev/stdout is.
    private static func isStandardOutput(_ file: String) -> Bool {
        var (named, own) = (stat(), stat())
        guard stat(file, &named) == 0, fstat(STDOUT_FILENO, &own) == 0 else { return false }
        return (named.st_dev, named.st_ino) == (own.st_dev, own.st_ino)
    }
}
