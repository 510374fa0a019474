import ArgumentParser
import Glibc
import HCI
import OkaeriControllerEmulation
import OkaeriPlumbing

@main struct Program: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "virtual-controller",
        abstract: "A Bluetooth LE controller in software, behind /dev/vhci.",
        discussion: """
            It plays a script of advertisers and faults, and takes instructions while it runs. \
            Sources/VirtualController/README.md describes them.
            """)

    @Option(help: ArgumentHelp("The instructions to carry out; - reads standard input as it comes.", valueName: "file"))
    var script: String?

    @Option(help: ArgumentHelp("A FIFO to read instructions from while it runs.", valueName: "path"))
    var control: String?

    @Flag(help: "Extended advertising and scanning (Bluetooth 5).")
    var extended = false

    @Flag(name: .customLong("no-le"), help: "BR/EDR without Bluetooth LE (Bluetooth 2).")
    var withoutLowEnergy = false

    @Option(help: ArgumentHelp("The controller's own address.", valueName: "address"))
    var address = "02:00:00:00:00:01"

    @Option(help: ArgumentHelp("The device to open.", valueName: "path"))
    var device = "/dev/vhci"

    @Flag(help: "Log every command and its answer.")
    var verbose = false

    @Flag(help: "Only read the script, and report its mistakes.")
    var check = false

    func validate() throws {
        guard BluetoothAddress(address) != nil else {
            throw ValidationError("--address is '\(address)', expected six bytes as 02:00:00:00:00:01")
        }
        if extended, withoutLowEnergy {
            throw ValidationError("--extended is of Bluetooth LE, and --no-le is without; give one of them")
        }
        if check, script == nil || script == "-" {
            throw ValidationError("--check needs a script: --script FILE")
        }
    }

    func run() throws {
        do {
            let script = try readScript()
            if !check { throw ExitCode(try play(script)) }
        } catch let mistakes as Script.Mistakes {
            for error in mistakes.errors { Self.printError("\(error)") }
            throw ExitCode(65)
        } catch let error as SystemError {
            Self.printError("\(error)")
            throw ExitCode(error.exitStatus)
        }
    }

    private func readScript() throws -> Script? {
        guard let script, script != "-" else { return nil }
        let file = try OwnedDescriptor(opening: script, O_RDONLY)
        var bytes: [UInt8] = []
        while case let more = try file.read(limit: 65_536, "reading \(script)"), !more.isEmpty { bytes += more }
        return try Script.parse(String(decoding: bytes, as: UTF8.self), source: script).get()
    }

    private func play(_ parsed: Script?) throws -> Int32 {
        guard let address = BluetoothAddress(address) else { return 64 }
        // A reader of the log, or a host, that is gone is an error of the write, not a signal.
        signal(SIGPIPE, SIG_IGN)
        let path = device
        let kind: ControllerKind = withoutLowEnergy ? .classic : extended ? .extended : .legacy
        var loop = ControllerLoop(
            Emulation(kind: kind, address: address, isVerbose: verbose),
            log: Log(descriptor: STDOUT_FILENO),
            standardInput: script == "-" ? try LiveSource.standardInput() : nil,
            control: try control.map { try LiveSource.control($0) }
        ) { () throws(SystemError) -> OwnedDescriptor in
            try Self.open(path)
        }
        return try loop.run(parsed)
    }

    private static func open(_ path: String) throws(SystemError) -> OwnedDescriptor {
        do throws(SystemError) {
            return try OwnedDescriptor(opening: path, O_RDWR)
        } catch {
            var error = error
            switch error.code {
            case ENOENT, ENXIO, ENODEV: error.advice = "load its module: sudo modprobe hci_vhci"
            case EACCES, EPERM: error.advice = "run it as root: sudo virtual-controller"
            default: break
            }
            throw error
        }
    }

    private static func printError(_ text: String) {
        let line = Array("virtual-controller: \(text)\n".utf8)
        // Without a reader of the error output, the exit status still shows the failure.
        _ = write(STDERR_FILENO, line, line.count)
    }
}

/// Puts lines together from bytes as they come.
struct LineSplitter {
    private var line: [UInt8] = []

    /// The lines that end in these bytes. Of a line that is too long so much is kept that it is found to be.
    mutating func take(_ bytes: [UInt8]) -> [String] {
        var lines: [String] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
            } else if line.count <= Script.maximumLineLength {
                line.append(byte)
            }
        }
        return lines
    }

    /// The last line, if the end came before its own.
    mutating func finish() -> String? {
        defer { line = [] }
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
    }
}

/// Somewhere instructions come from while the program runs.
struct LiveSource: ~Copyable {
    let name: String
    let descriptor: OwnedDescriptor
    private var splitter = LineSplitter()
    private(set) var isAtEnd = false

    init(name: String, owning descriptor: consuming OwnedDescriptor) {
        self.name = name
        self.descriptor = descriptor
    }

    static func standardInput() throws(SystemError) -> LiveSource {
        let number = try OwnedDescriptor.retrying("reading standard input") { fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) }
        return LiveSource(name: "standard input", owning: OwnedDescriptor(owning: number))
    }

    /// A FIFO, which is created when it is missing.
    static func control(_ path: String) throws(SystemError) -> LiveSource {
        do throws(SystemError) {
            _ = try OwnedDescriptor.retrying("creating the FIFO \(path)") { mkfifo(path, 0o600) }
        } catch  where error.code == EEXIST {
            // It may be from an earlier run, or another program's: it only has to be a pipe.
        }
        // Open for writing too, so that it does not end when the last writer closes it.
        let descriptor = try OwnedDescriptor(opening: path, O_RDWR | O_NONBLOCK)
        var status = stat()
        _ = try OwnedDescriptor.retrying("reading the state of \(path)") { fstat(descriptor.number, &status) }
        guard status.st_mode & S_IFMT == S_IFIFO else {
            throw SystemError(
                operation: "reading instructions from \(path)", code: EINVAL,
                advice: "it is not a FIFO: give --control another path, or remove what is there")
        }
        return LiveSource(name: "control", owning: descriptor)
    }

    /// The lines that have come in; `poll` has reported input, or the end.
    mutating func lines() throws(SystemError) -> [String] {
        let bytes = try descriptor.read(limit: 4096, "reading from \(name)")
        if !bytes.isEmpty { return splitter.take(bytes) }
        isAtEnd = true
        return splitter.finish().map { [$0] } ?? []
    }
}

struct Log {
    let descriptor: Int32

    func write(_ line: String) throws(SystemError) {
        var bytes = Array("\(Self.time()) \(line)\n".utf8)
        while !bytes.isEmpty {
            let count = try OwnedDescriptor.retrying("writing the log") {
                Glibc.write(descriptor, bytes, bytes.count)
            }
            bytes.removeFirst(count)
        }
    }

    /// RFC 3339, UTC, milliseconds.
    private static func time() -> String {
        let (seconds, rest) = KernelClock.realtime.quotientAndRemainder(dividingBy: 1_000_000_000)
        var (time, calendar) = (time_t(seconds), tm())
        gmtime_r(&time, &calendar)
        let date = [Int(calendar.tm_year) + 1900, Int(calendar.tm_mon) + 1, Int(calendar.tm_mday)].map { padded($0, 2) }
        let clock = [calendar.tm_hour, calendar.tm_min, calendar.tm_sec].map { padded(Int($0), 2) }
        let milliseconds = padded(Int(rest) / 1_000_000, 3)
        return "\(date.joined(separator: "-"))T\(clock.joined(separator: ":")).\(milliseconds)Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
