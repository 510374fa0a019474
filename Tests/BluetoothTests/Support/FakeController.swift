import Glibc
import HCI
import Testing

/// The controller's end of a socket pair: it reads commands, and sends events.
final class FakeController: Sendable {
    struct Gone: Error {}

    private let descriptor: Int32

    /// Takes over the descriptor.
    init(owning descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Sends and receives nothing more.
    func hangUp() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    /// The next command; waits for it. Throws when the scanner has closed its end.
    func command() throws -> HCICommand {
        var bytes = [UInt8](repeating: 0, count: 300)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { throw Gone() }
        return try HCICommand(bytes.span.bytes.extracting(first: count))
    }

    /// The next command is this one.
    func expect(_ command: HCICommand, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try self.command() == command, sourceLocation: sourceLocation)
    }

    /// The next command is this one, and is answered.
    func expect(
        _ command: HCICommand, answer status: HCIStatus, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expect(command, sourceLocation: sourceLocation)
        try send(.commandComplete(CommandComplete(opcode: command.opcode, status: status)))
    }

    /// Waits until the scanner has closed its end.
    func expectClosed(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: Gone.self, sourceLocation: sourceLocation) { try self.command() }
    }

    func send(_ event: HCIEvent) throws {
        try send(event.packet())
    }

    /// Anything at all.
    func send(_ packet: [UInt8]) throws {
        guard Glibc.send(descriptor, packet, packet.count, Int32(MSG_NOSIGNAL)) == packet.count else { throw Gone() }
    }

    /// The adapter is asked what it can do.
    func identify(_ commands: SupportedCommands = .legacy) throws {
        try expect(.identify)
        try send(
            .commandComplete(
                CommandComplete(
                    opcode: .readLocalSupportedCommands, status: .success, returnParameters: commands.octets)))
    }

    /// Everything from the first command to the scan.
    func start() throws {
        try identify()
        try arm(.commandDisallowed)
    }

    /// Answers all commands, up to this one or so many; throws when the scanner has closed its end before.
    func obey(until last: HCICommand?, limit: Int = .max) throws {
        var command: HCICommand
        var count = 0
        repeat {
            count += 1
            command = try self.command()
            let octets = command == .identify ? SupportedCommands.legacy.octets : []
            try send(
                .commandComplete(CommandComplete(opcode: command.opcode, status: .success, returnParameters: octets)))
        } while command != last && count < limit
    }

    func arm(_ disabled: HCIStatus = .success) throws {
        try expect(.disable, answer: disabled)
        try expect(.parameters, answer: .success)
        try expect(.enable, answer: .success)
    }
}
