import COkaeriBluetooth
import Glibc
package import HCI
package import OkaeriPlumbing

/// A socket of the kernel's management interface: one packet a message, for all adapters. It needs CAP_NET_ADMIN.
package struct ManagementSocket: ~Copyable, Sendable {
    /// The maximum number of bytes of a message that are read. No event that Okaeri uses is longer.
    private static let longest = 1024

    private let descriptor: OwnedDescriptor

    /// Takes over a connected socket that keeps message boundaries, of whatever family.
    package init(owning descriptor: consuming OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Opens the socket. Without CAP_NET_ADMIN it would open and receive no keys: that is EPERM here already.
    package init() throws(KernelError) {
        if Capability.networkAdministration.isEffective == false { throw KernelError(.manage, code: EPERM) }
        let number = try OwnedDescriptor.retrying(.manage) {
            socket(
                AF_BLUETOOTH, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), BTPROTO_HCI)
        }
        let owner = OwnedDescriptor(owning: number)
        _ = try OwnedDescriptor.retrying(.manage) {
            okaeri_hci_bind(number, UInt16(HCI_DEV_NONE), UInt16(HCI_CHANNEL_CONTROL))
        }
        descriptor = owner
    }

    /// For `poll`; not to be kept.
    var number: Int32 { descriptor.number }

    /// Sends a command; its answer is a later message.
    package borrowing func send(_ command: ManagementCommand) throws(KernelError) {
        let packet = command.packet
        let number = descriptor.number
        _ = try OwnedDescriptor.retrying(.manage) {
            // Safe: the pointer lives for the call. MSG_NOSIGNAL: a peer that is gone is an error, not a signal.
            unsafe packet.withUnsafeBytes { unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        }
    }

    /// Reads the next message that waits and can be decoded, without blocking; `nil` if there is none. EPIPE: the peer is gone.
    package borrowing func receive() throws(KernelError) -> ManagementMessage? {
        var bytes = [UInt8](repeating: 0, count: Self.longest)
        while true {
            let count: Int
            do throws(KernelError) {
                let number = descriptor.number
                count = try OwnedDescriptor.retrying(.manage) {
                    // Safe: the kernel writes at most as much as there is room for.
                    unsafe bytes.withUnsafeMutableBytes {
                        unsafe recv(number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
                    }
                }
            } catch  where error.code == EAGAIN || error.code == EWOULDBLOCK {
                return nil
            }
            guard count > 0 else { throw KernelError(.manage, code: EPIPE) }
            if let message = try? ManagementMessage(bytes.rawSpan.extracting(first: count)) { return message }
        }
    }
}

/// The reason why a management command failed.
package enum ManagementError: Error, Hashable, Sendable, CustomStringConvertible {
    case kernel(KernelError)
    case refused(ManagementStatus)
    /// There was no answer in time, or one that cannot be decoded.
    case noAnswer
    /// All advertising instances of the adapter are in use.
    case noFreeInstance

    package var description: String {
        switch self {
        case .kernel(let error): error.description
        case .refused(let status): "the kernel refused it: \(status)"
        case .noAnswer: "the kernel did not answer; `dmesg | grep -i bluetooth` may show why"
        case .noFreeInstance: "the adapter advertises as much as it can already, for other programs"
        }
    }
}

extension ManagementSocket {
    /// The time limit of an answer. A command that the controller must carry out takes milliseconds.
    private static let limit = Duration.seconds(5)

    /// Sends a command and waits for its answer. Blocking; messages that are not answers are dropped.
    ///
    /// - Returns: The return parameters.
    package borrowing func perform(
        _ command: ManagementCommand, within limit: Duration = limit
    ) throws(ManagementError) -> [UInt8] {
        let answer: Result<[UInt8], ManagementError>
        do throws(KernelError) {
            try send(command)
            answer = try self.answer(to: command, until: .now + limit)
        } catch {
            throw .kernel(error)
        }
        return try answer.get()
    }

    /// Whether the kernel discovers devices with an adapter, for whatever program. It answers at once.
    borrowing func isDiscovering(adapter index: UInt16) throws(ManagementError) -> Bool {
        do throws(ManagementError) {
            _ = try perform(.probeDiscovery(on: index))
        } catch .refused(.invalidParameters) {
            return true
        } catch .refused(.rejected) {
            return false
        }
        throw .noAnswer
    }

    private borrowing func answer(
        to command: ManagementCommand, until deadline: ContinuousClock.Instant
    ) throws(KernelError) -> Result<[UInt8], ManagementError> {
        while true {
            while let message = try receive() {
                if let answer = message.answer(to: command) { return answer }
            }
            let rest = (ContinuousClock.now.duration(to: deadline) / .milliseconds(1)).rounded(.up)
            guard rest > 0 else { return .failure(.noAnswer) }
            var descriptor = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&descriptor, 1, Int32(rest))
        }
    }
}

extension ManagementMessage {
    /// The result of a command; `nil` for another message.
    fileprivate func answer(to command: ManagementCommand) -> Result<[UInt8], ManagementError>? {
        guard index == command.index else { return nil }
        switch event {
        case .commandComplete(command.opcode.rawValue, .success, let parameters): return .success(parameters)
        case .commandComplete(command.opcode.rawValue, let status, _): return .failure(.refused(status))
        // A command that succeeds ends with Command Complete.
        case .commandStatus(command.opcode.rawValue, let status) where status != .success:
            return .failure(.refused(status))
        default: return nil
        }
    }
}
