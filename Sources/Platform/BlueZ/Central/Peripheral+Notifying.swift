import DBus
import Plumbing

extension Peripheral {
    /// The pause before a subscription that was refused for the moment is tried again.
    private static let pause = Duration.seconds(1)

    /// Subscribes to a value: each that the peripheral notifies or indicates. A value that is read comes as well. A
    /// reader that leaves more than 256 of them unread loses the oldest.
    ///
    /// The subscription outlives the connection: when the peripheral is connected again it is made anew, also after a
    /// restart of bluetoothd. The stream does not connect the peripheral again; see
    /// ``CentralManager/connections(to:remembered:)``. The sequence ends when its task is cancelled, or with a
    /// ``CentralError`` when the peripheral refuses.
    public func values(for characteristic: Characteristic) -> AsyncThrowingStream<[UInt8], any Error> {
        AsyncThrowingStream(
            [UInt8].self, bufferingPolicy: .bufferingNewest(ObjectMirror.valueLimit)
        ) { continuation in
            let values = manager.mirror.values(of: characteristic.path)
            let listening = Task { for await value in values { continuation.yield(value) } }
            let task = Task {
                do throws(CentralError) {
                    try await self.subscribe(to: characteristic)
                } catch {
                    continuation.finish(throwing: error == .cancelled ? nil : error)
                }
            }
            continuation.onTermination = { _ in
                listening.cancel()
                task.cancel()
            }
        }
    }

    private func subscribe(to characteristic: Characteristic) async throws(CentralError) {
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw .notSupported(characteristic.uuid, .notify)
        }
        defer { unsubscribe(from: characteristic) }
        while true {
            _ = try await manager.mirror.wait(until: nil, for: .object(characteristic.device)) { view in
                self.isThere(characteristic, view) ? true : nil
            }
            do throws(CentralError) {
                _ = try await ask(characteristic, "StartNotify", within: Self.timeout)
            } catch .disconnected {
                continue
            } catch .refused(_, .busy) {
                guard await Self.pause.elapsed() else { throw .cancelled }
                continue
            }
            _ = try await manager.mirror.wait(until: nil, for: .object(characteristic.device)) { view in
                self.isThere(characteristic, view) ? nil : true
            }
        }
    }

    private func isThere(_ characteristic: Characteristic, _ view: ObjectMirror.View) -> Bool {
        guard let device = device(view), view.isConnected(device), view.isResolved(device) else { return false }
        return view.tree[characteristic.path, Interface.characteristic] != nil
    }

    private func unsubscribe(from characteristic: Characteristic) {
        guard isThere(characteristic, manager.mirror.view) else { return }
        let mirror = manager.mirror
        // Without waiting: bluetoothd does the same when the program ends.
        Task { try? await mirror.call(characteristic.path, Interface.characteristic, "StopNotify") }
    }
}
