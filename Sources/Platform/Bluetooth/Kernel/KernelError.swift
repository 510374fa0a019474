import Glibc
import HCI
import OkaeriPlumbing

/// The kernel refused something: what, and why.
public struct KernelError: Error, Hashable, Sendable {
    /// The operations of the kernel.
    public enum Operation: String, Hashable, Sendable {
        /// `socket(AF_BLUETOOTH, SOCK_RAW, BTPROTO_HCI)`, and the right to it, CAP_NET_RAW.
        case openSocket = "opening a Bluetooth socket"

        /// `bind` to a `struct sockaddr_hci`, channel `HCI_CHANNEL_RAW`.
        case bindSocket = "binding the Bluetooth socket to the adapter"

        /// `setsockopt(SOL_HCI, HCI_FILTER)`.
        case setFilter = "choosing the events of the Bluetooth socket"

        /// `send` of one command.
        case send = "sending a command to the adapter"

        /// `recvmmsg`, many packets at once.
        case receive = "receiving from the adapter"

        /// `ioctl(HCIGETDEVLIST)`.
        case listAdapters = "listing the Bluetooth adapters"

        /// `ioctl(HCIGETDEVINFO)`.
        case readAdapter = "reading the adapter's state"

        /// `socketpair`.
        case createWakeUp = "creating a pair of sockets"

        /// `poll`.
        case wait = "waiting for the adapter"

        /// `pthread_create`.
        case startThread = "starting a thread"

        /// Writing a `struct rfkill_event` to /dev/rfkill (`linux/rfkill.h`).
        case unblock = "lifting rfkill's block"

        /// `ioctl(HCIDEVUP)`, which needs CAP_NET_ADMIN.
        case switchOn = "switching the adapter on"

        /// Writing a `struct rfkill_event` to /dev/rfkill.
        case block = "setting rfkill's block"

        /// `ioctl(HCIDEVDOWN)`, which needs CAP_NET_ADMIN.
        case switchOff = "switching the adapter off"

        /// The kernel's management interface (BlueZ, doc/mgmt-api.txt), which needs CAP_NET_ADMIN.
        case manage = "using the kernel's management of Bluetooth"
    }

    /// The operation that failed.
    public let operation: Operation

    /// The kernel's answer, `EPERM` and the like.
    public let code: Int32

    /// An error as a system call leaves it in `errno`.
    public init(_ operation: Operation, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// Creates the error of the last call that failed on this thread.
    init(last operation: Operation) {
        self.init(operation, code: errno)
    }
}

extension KernelError {
    var state: BluetoothState {
        switch code {
        case EPERM, EACCES: .unauthorized
        case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT: .unsupported
        default: .resetting
        }
    }

    /// The raw value of the cause, for texts in another language.
    package var causeCode: String { cause.rawValue }

    var cause: AdapterUpdate.Cause {
        switch state {
        case .unauthorized: .notPermitted
        case .unsupported: .noKernelSupport
        case .unknown, .resetting, .poweredOff, .poweredOn: .systemCallFailed
        }
    }

    /// Whether the adapter has gone or was switched off, so that listing the adapters gives more than the error.
    var isAboutTheAdapter: Bool {
        switch code {
        case ENODEV, ENXIO, EPIPE, ENETDOWN, EBADFD: true
        default: false
        }
    }
}

extension KernelError: CustomStringConvertible {
    public var description: String {
        // Safe: since glibc 2.32 the text is constant or the thread's own.
        let words = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "unknown error"
        return "\(operation.rawValue) failed: \(words) (\(code)); \(advice)"
    }

    private static var rights: String {
        let machine = "run the program with `sudo`, or as a service with AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN"
        return Installation.words(machine, or: Remedy.scanRights.english)
    }

    private var advice: String {
        switch state {
        case .unauthorized:
            switch operation {
            case .unblock, .block: RadioSwitches.advice
            case .manage: "that needs CAP_NET_ADMIN: \(Self.rights)"
            case .switchOn, .switchOff:
                "that needs CAP_NET_ADMIN: \(Self.rights); or run `bluetoothctl power on` if bluetoothd runs"
            case .openSocket, .bindSocket, .setFilter, .send, .receive, .listAdapters, .readAdapter, .createWakeUp,
                .wait, .startThread:
                "scanning needs CAP_NET_RAW: \(Self.rights)"
            }
        case .unsupported:
            "this kernel has no Bluetooth, or the process may not use it: run \(Remedy.machine("modprobe bluetooth")); in a systemd "
                + "unit allow AF_BLUETOOTH in RestrictAddressFamilies; a container needs the host's network"
        case .resetting, .unknown, .poweredOff, .poweredOn:
            if operation == .switchOff, code == EBUSY {
                "its connections would end, so disconnect its devices first"
            } else if code == ERFKILL {
                "lift the block with `rfkill unblock bluetooth`"
            } else if isAboutTheAdapter {
                "the adapter was unplugged or switched off"
            } else {
                switch operation {
                case .createWakeUp, .startThread: "raise the limits of this process (`ulimit -a`)"
                case .openSocket, .bindSocket, .setFilter, .send, .receive, .listAdapters, .readAdapter, .wait,
                    .unblock, .switchOn, .block, .switchOff, .manage:
                    "`dmesg | grep -i bluetooth` may show why"
                }
            }
        }
    }
}
