import Glibc
import OkaeriControllerEmulation
import OkaeriPlumbing

/// Waits for the next event, passes it to the emulation, and carries out its actions.
struct ControllerLoop: ~Copyable {
    /// The longest packet there is: connection data.
    private static let maximumPacketLength = 4096

    /// The packet that creates an adapter: the vendor packet, for a primary controller.
    private static let create: [UInt8] = [0xFF, 0x00]

    private var emulation: Emulation
    private let log: Log
    private let openDevice: () throws(SystemError) -> OwnedDescriptor
    private var device: OwnedDescriptor?
    private var standardInput: LiveSource?
    private var control: LiveSource?

    /// Whether the last packet was lost because the adapter is not switched on.
    private var isDown = false

    private var status: Int32?

    /// - Parameters:
    ///   - standardInput: instructions that come in, until their end.
    ///   - control: instructions that come in, without an end.
    ///   - openDevice: opens what takes and gives a packet with each call, as /dev/vhci does.
    init(
        _ emulation: Emulation, log: Log, standardInput: consuming LiveSource? = nil,
        control: consuming LiveSource? = nil, openDevice: @escaping () throws(SystemError) -> OwnedDescriptor
    ) {
        self.emulation = emulation
        self.log = log
        self.standardInput = standardInput
        self.control = control
        self.openDevice = openDevice
    }

    /// Runs until the script's `quit`; returns its exit status.
    mutating func run(_ script: Script?) throws(SystemError) -> Int32 {
        try perform(emulation.started(at: KernelClock.monotonic))
        if let script { try perform(emulation.add(script, at: KernelClock.monotonic)) }
        while true {
            try perform(emulation.advanced(to: KernelClock.monotonic))
            if let status { return status }
            try wait()
        }
    }

    private mutating func perform(_ actions: [Emulation.Action]) throws(SystemError) {
        for action in actions where status == nil {
            switch action {
            case .open:
                device = try openDevice()
                try device?.write(Self.create, "creating an adapter")
                isDown = false
            case .close: device = nil
            case .send(let packet): try send(packet)
            case .log(let line): try log.write(line)
            case .quit(let status): self.status = status
            }
        }
    }

    private mutating func send(_ packet: [UInt8]) throws(SystemError) {
        do throws(SystemError) {
            try device?.write(packet, "sending to the host")
            isDown = false
        } catch  where error.code == ENXIO || error.code == ENODEV {
            // A radio receives on while the host has switched its adapter off; vhci refuses its packets.
            if !isDown { try log.write("the adapter is down: what is sent is lost") }
            isDown = true
        } catch  where error.code == EINVAL || error.code == EILSEQ {
            try log.write("error the kernel does not take a packet of \(packet.count) bytes")
        }
    }

    /// One wait for everything; whatever has come in then is read.
    private mutating func wait() throws(SystemError) {
        let events = Int16(POLLIN)
        // A negative descriptor is passed over.
        var descriptors: [3 of pollfd] = [
            pollfd(fd: device?.number ?? -1, events: events, revents: 0),
            pollfd(fd: standardInput?.descriptor.number ?? -1, events: events, revents: 0),
            pollfd(fd: control?.descriptor.number ?? -1, events: events, revents: 0),
        ]
        let timeout = Self.timeout(until: emulation.nextDeadline)
        var span = descriptors.mutableSpan
        _ = try OwnedDescriptor.retrying("waiting for the host") {
            span.withUnsafeMutableBufferPointer { poll($0.baseAddress, nfds_t($0.count), timeout) }
        }
        if descriptors[0].revents != 0 { try receive() }
        if descriptors[1].revents != 0 { try readStandardInput() }
        if descriptors[2].revents != 0 { try readControl() }
    }

    private mutating func receive() throws(SystemError) {
        guard let packet = try device?.read(limit: Self.maximumPacketLength, "receiving from the host") else { return }
        guard !packet.isEmpty else {
            throw SystemError(operation: "receiving from the host", code: EPIPE, advice: "the device was taken away")
        }
        try perform(emulation.received(packet, at: KernelClock.monotonic))
    }

    private mutating func readStandardInput() throws(SystemError) {
        guard let lines = try standardInput?.lines() else { return }
        if standardInput?.isAtEnd == true { standardInput = nil }
        for line in lines { try perform(emulation.add(line: line, from: "standard input", at: KernelClock.monotonic)) }
    }

    private mutating func readControl() throws(SystemError) {
        guard let lines = try control?.lines() else { return }
        for line in lines { try perform(emulation.add(line: line, from: "control", at: KernelClock.monotonic)) }
    }

    /// In milliseconds, rounded up; 0 for what is past, -1 for never.
    private static func timeout(until deadline: Int64?) -> Int32 {
        guard let deadline else { return -1 }
        let now = KernelClock.monotonic
        guard deadline > now else { return 0 }
        return Int32(clamping: (deadline - now + 999_999) / 1_000_000)
    }
}

extension OwnedDescriptor {
    /// Opens a file.
    init(opening path: String, _ flags: Int32) throws(SystemError) {
        self.init(owning: try Self.retrying("opening \(path)") { open(path, flags | O_CLOEXEC) })
    }

    /// Returns the next bytes, at most `limit`; empty at the end.
    borrowing func read(limit: Int, _ operation: String) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = try Self.retrying(operation) { Glibc.read(number, &bytes, limit) }
        return Array(bytes.prefix(count))
    }

    /// Writes bytes with one call, as a device takes packets.
    borrowing func write(_ bytes: [UInt8], _ operation: String) throws(SystemError) {
        _ = try Self.retrying(operation) { Glibc.write(number, bytes, bytes.count) }
    }

    /// Makes a call again for as long as signals interrupt it.
    static func retrying<Result: SignedInteger>(
        _ operation: @autoclosure () -> String, _ call: () -> Result
    ) throws(SystemError) -> Result {
        try retrying({ SystemError(operation: operation(), code: $0) }, call)
    }
}

/// The kernel refused something: what, and why.
struct SystemError: Error, Hashable, Sendable {
    let operation: String

    /// The kernel's answer, `EPERM` and the like.
    let code: Int32

    /// The remedy, if one is known.
    var advice: String?
}

extension SystemError: CustomStringConvertible {
    var description: String {
        let words = strerror(code).map { String(cString: $0) } ?? "unknown error"
        return "\(operation) failed: \(words) (\(code))\(advice.map { "; \($0)" } ?? "")"
    }
}

extension SystemError {
    /// The exit status, from sysexits.h.
    var exitStatus: Int32 {
        switch code {
        case EACCES, EPERM: 77
        case ENOENT, ENXIO, ENODEV: 69
        default: 74
        }
    }
}
