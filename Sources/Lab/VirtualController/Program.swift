import ArgumentParser
import ControllerEmulation
import Glibc
import HCI
import Plumbing

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
            for error in mistakes.errors { Self.complain("\(error)") }
            throw ExitCode(65)
        } catch let error as SystemError {
            Self.complain("\(error)")
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

    private static func complain(_ text: String) {
        let line = Array("virtual-controller: \(text)\n".utf8)
        // Without a reader of the error output, the exit status still shows the failure.
        _ = write(STDERR_FILENO, line, line.count)
    }
}
