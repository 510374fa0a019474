import ArgumentParser
import Glibc
import Listening
import SystemPackage

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "A btsnoop capture of what the adapter hears.",
        discussion: "Wireshark, btmon and `okaeri replay` read it. Ends with Ctrl-C or after --duration.")

    @OptionGroup var listening: ListeningOptions
    @OptionGroup var log: LogOptions

    @Argument(help: "The file to write; one that exists is not touched.", completion: .file())
    var file: String

    func run() async throws {
        let output: FileDescriptor
        do {
            output = try FileDescriptor.open(
                FilePath(file), .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            let hint = error as? Errno == .fileExists ? "name another one, or remove it first" : "check the folder"
            Terminal.complain("\(file) cannot be made: \(error); \(hint)")
            throw Exit.ioError
        }
        defer { try? output.close() }
        let session = try ListeningSession(
            regions: [], adapter: listening.adapter, capture: listening.capture, logger: log.logger)
        do {
            try await listening.run(session) { services in
                let count = try await session.record(to: output, with: services)
                Terminal.complain("\(count) events recorded in \(file)")
            }
        } catch {
            // Nothing to listen with: an empty capture would only be in the way of the next try.
            if try output.seek(offset: 0, from: .end) <= Self.headerLength { unlink(file) }
            throw error
        }
    }

    /// What a capture without a packet has, in bytes.
    private static let headerLength: Int64 = 16
}
