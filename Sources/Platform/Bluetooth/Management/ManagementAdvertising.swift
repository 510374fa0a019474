package import HCI
import OkaeriPlumbing

/// One advertisement by the kernel's management interface, without bluetoothd.
///
/// The kernel continues with it after the process. It therefore ends it after ten minutes, and this actor renews it every five.
package actor ManagementAdvertising {
    /// The seconds after which the kernel ends an advertisement that is not renewed.
    static let timeout: UInt16 = 600

    private let open: @Sendable () throws(KernelError) -> ManagementSocket
    private let interval: Duration
    private var running: (index: UInt16, number: UInt8, renewal: Task<Void, Never>)?

    /// - Parameters:
    ///   - interval: The time between two renewals.
    ///   - open: Opens a socket for some commands.
    package init(
        renewedEvery interval: Duration = .seconds(300),
        open: @escaping @Sendable () throws(KernelError) -> ManagementSocket = { () throws(KernelError) in
            try ManagementSocket()
        }
    ) {
        self.interval = interval
        self.open = open
    }

    /// Advertises on an adapter, in place of what this actor advertised before.
    ///
    /// - Parameter content: The advertisement; its number and its timeout are set here.
    package func start(_ content: AdvertisingInstance, on index: UInt16) async throws(ManagementError) {
        await stop()
        var content = content
        content.timeout = Self.timeout
        content.number = try await free(on: index)
        let (command, number) = (ManagementCommand.addAdvertising(content, to: index), content.number)
        _ = try await perform(command)
        let renewal = Task { [interval] in
            while (try? await Task.sleep(for: interval)) != nil { _ = try? await perform(command) }
        }
        running = (index, number, renewal)
    }

    /// Ends the advertisement, if there is one.
    package func stop() async {
        guard let (index, number, renewal) = running else { return }
        running = nil
        renewal.cancel()
        // A renewal after the removal would begin it again.
        await renewal.value
        _ = try? await perform(.removeAdvertising(number, from: index))
    }

    private func free(on index: UInt16) async throws(ManagementError) -> UInt8 {
        let answer = try await perform(.readAdvertisingFeatures(of: index))
        guard let features = try? AdvertisingFeatures(answer.rawSpan) else { throw .noAnswer }
        guard let number = features.free else { throw .noFreeInstance }
        return number
    }

    /// Performs a command on a thread of its own, because that blocks.
    private func perform(_ command: ManagementCommand) async throws(ManagementError) -> [UInt8] {
        try await BlockingThread.run({ ManagementError.kernel(KernelError(.startThread, code: $0)) }) {
            [open] () throws(ManagementError) in
            let socket: ManagementSocket
            do throws(KernelError) {
                socket = try open()
            } catch {
                throw .kernel(error)
            }
            return try socket.perform(command)
        }
    }
}
