import OkaeriDBus
import OkaeriPlumbing

extension Peripheral {
    /// The pause before a subscription that was refused for the moment is tried again.
    private static let pause = Duration.seconds(1)

    /// The time between the loss of a characteristic and that of its connection. bluetoothd removes the objects first.
    private static let endTimeout = Duration.seconds(2)

    /// Subscribes to a value: each that the peripheral notifies or indicates. A value that is read comes as well. A
    /// reader that leaves more than 256 of them unread loses the oldest.
    ///
    /// The sequence ends when its task is cancelled or the manager stopped, or with a ``CentralError`` when the peripheral
    /// refuses, or is not connected any more.
    ///
    /// - Parameters:
    ///   - characteristic: The characteristic, which has ``CharacteristicProperty/notify`` or
    ///     ``CharacteristicProperty/indicate``.
    ///   - acrossReconnections: Whether the subscription outlives the connection. Then it is made again when the peripheral
    ///     is connected again, also after a restart of bluetoothd, and the sequence does not end with
    ///     ``CentralError/disconnected(address:reason:)``. It does not connect the peripheral again; see
    ///     ``CentralManager/connections(to:remembered:)-(CentralManager.Target,_)``.
    public func values(
        for characteristic: Characteristic, acrossReconnections: Bool = false
    ) -> CentralSequence<[UInt8]> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: [UInt8].self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(ObjectMirror.valueLimit))
        let values = manager.mirror.values(of: characteristic.path)
        // From this call on: what ends the connection before the task runs is noticed.
        let end = manager.mirror.view.ends.number(of: address)
        let listening = Task { for await value in values { continuation.yield(value) } }
        let task = Task {
            do throws(CentralError) {
                try await self.subscribe(to: characteristic, since: end, again: acrossReconnections)
            } catch {
                continuation.finish(throwing: error == .cancelled ? nil : error)
            }
        }
        continuation.onTermination = { _ in
            listening.cancel()
            task.cancel()
        }
        return CentralSequence(stream)
    }

    /// - Parameters:
    ///   - end: The number of the last end of a connection before.
    ///   - again: Whether a connection after that one counts.
    private func subscribe(
        to characteristic: Characteristic, since end: UInt64, again: Bool
    ) async throws(CentralError) {
        guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else {
            throw .notSupported(characteristic.uuid, .notify)
        }
        defer { unsubscribe(from: characteristic) }
        var end = end
        while true {
            if again {
                end = try await connection(with: characteristic)
            } else if let error = try await loss(of: characteristic, since: end) {
                throw error
            }
            do throws(CentralError) {
                _ = try await ask(characteristic.attribute, "StartNotify", within: Self.timeout)
            } catch .disconnected where again {
                continue
            } catch .refused(_, .busy) {
                guard await Self.pause.elapsed() else { throw .cancelled }
                continue
            }
            try await waitForLoss(of: characteristic, since: end)
        }
    }

    /// Waits until bluetoothd does not notify the value any more. It has another object of the characteristic if the
    /// peripheral has changed its services, and one subscription for all readers of this program.
    private func waitForLoss(of characteristic: Characteristic, since end: UInt64) async throws(CentralError) {
        var wasNotifying = false
        _ = try await manager.mirror.wait(until: nil, for: .object(characteristic.attribute.device)) { view in
            guard self.isThere(characteristic, view, since: end) else { return true }
            // Its answer to StartNotify may come before the signal.
            let isNotifying = view.tree[characteristic.path, Interface.characteristic]?["Notifying"]?.boolean == true
            wasNotifying = wasNotifying || isNotifying
            return wasNotifying && !isNotifying ? true : nil
        }
    }

    /// Waits until the characteristic can be subscribed to. Returns the number of the last end of a connection before.
    private func connection(with characteristic: Characteristic) async throws(CentralError) -> UInt64 {
        let device = characteristic.attribute.device
        let end = try await manager.mirror.wait(until: nil, for: .object(device)) { view -> UInt64? in
            let end = view.ends.number(of: self.address)
            return self.isThere(characteristic, view, since: end) ? end : nil
        }
        guard let end else { throw .cancelled }
        return end
    }

    /// Returns the error of a characteristic that is not there any more; `nil` if it is.
    private func loss(of characteristic: Characteristic, since end: UInt64) async throws(CentralError) -> CentralError?
    {
        guard !isThere(characteristic, manager.mirror.view, since: end) else { return nil }
        let device = characteristic.attribute.device
        let lost = try await manager.mirror.wait(until: .now + Self.endTimeout, for: .object(device)) { view in
            let isOver = view.ends.number(of: self.address) > end || self.obstacle(view) != nil
            return isOver ? self.disconnected(view, after: end) : nil
        }
        // Still connected: the peripheral has changed its services.
        return lost ?? .noCharacteristic(characteristic.selector, address: address)
    }

    private func isThere(_ characteristic: Characteristic, _ view: ObjectMirror.View, since end: UInt64) -> Bool {
        guard let device = device(view), view.isConnected(device), view.isResolved(device) else { return false }
        let uuid = view.tree[characteristic.path, Interface.characteristic]?["UUID"]?.string
        return uuid?.lowercased() == characteristic.uuid.full && view.ends.number(of: address) <= end
    }

    private func unsubscribe(from characteristic: Characteristic) {
        guard isThere(characteristic, manager.mirror.view, since: .max) else { return }
        let mirror = manager.mirror
        // Without waiting: bluetoothd does the same when the program ends.
        Task { try? await mirror.call(characteristic.path, Interface.characteristic, "StopNotify") }
    }
}
