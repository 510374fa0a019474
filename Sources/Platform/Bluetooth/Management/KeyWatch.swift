package import HCI
import OkaeriPlumbing

/// Receives the identity resolving keys that the kernel gets from devices that pair with an adapter.
package final class KeyWatch: Sendable {
    /// The identities with their keys, for one reader. The oldest are lost beyond 16 unread. It ends with ``stop()``, or when the
    /// socket fails.
    package let identities: AsyncStream<DeviceIdentity>

    private let socket: ManagementSocket
    private let wakeUp: WakeUp
    private let index: UInt16

    /// Starts to receive, on a thread of its own until ``stop()``.
    ///
    /// - Parameter index: the number of the adapter, 0 for hci0.
    package convenience init(adapter index: UInt16) throws(KernelError) {
        try self.init(socket: ManagementSocket(), adapter: index)
    }

    package init(socket: consuming ManagementSocket, adapter index: UInt16) throws(KernelError) {
        let (identities, continuation) = AsyncStream.makeStream(
            of: DeviceIdentity.self, bufferingPolicy: .bufferingNewest(16))
        self.identities = identities
        self.socket = socket
        self.index = index
        wakeUp = try WakeUp()
        try BlockingThread.start({ KernelError(.startThread, code: $0) }) { [self] in
            run(continuation)
            continuation.finish()
        }
    }

    /// Ends the thread. It may be called again.
    package func stop() { wakeUp.signal() }

    private func run(_ continuation: AsyncStream<DeviceIdentity>.Continuation) {
        while !wakeUp.wait(toRead: socket.number) {
            do throws(KernelError) {
                while let message = try socket.receive() {
                    guard message.index == index, case .newKey(let identity) = message.event else { continue }
                    continuation.yield(identity)
                }
            } catch {
                return
            }
        }
    }
}
