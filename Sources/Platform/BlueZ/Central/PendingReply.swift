import OkaeriDBus
import Synchronization

/// The answer of bluetoothd to a call, once it has come. The call goes on when a caller stops waiting for it.
final class PendingReply: Sendable {
    private let value = Mutex<Result<[DBusValue], BusError>?>(nil)

    /// The answer; `nil` until it comes.
    var result: Result<[DBusValue], BusError>? { value.withLock { $0 } }

    fileprivate func set(_ result: Result<[DBusValue], BusError>) { value.withLock { $0 = result } }
}

extension CentralManager {
    /// Calls a method of bluetoothd, without waiting for it.
    func send(
        _ path: String, _ interface: String, _ method: String, _ arguments: [DBusValue] = [], within limit: Duration
    ) -> PendingReply {
        let reply = PendingReply()
        Task { [mirror] in
            do throws(BusError) {
                reply.set(.success(try await mirror.call(path, interface, method, arguments, within: limit)))
            } catch {
                reply.set(.failure(error))
            }
            mirror.wakeAll()
        }
        return reply
    }

    /// Waits for an answer. An event that makes it vain to wait ends the wait, with or without an answer of bluetoothd.
    ///
    /// - Parameters:
    ///   - interest: The objects that `obstacle` reads.
    ///   - obstacle: Returns the error that makes the call useless, if there is one.
    func answer(
        to reply: PendingReply, within limit: Duration, watching interest: Interest,
        unless obstacle: (ObjectMirror.View) -> CentralError?
    ) async throws(CentralError) -> Result<[DBusValue], BusError> {
        let result = try await mirror.wait(until: .now + limit, for: interest) {
            view throws(CentralError) -> Result<[DBusValue], BusError>? in
            if let result = reply.result { return result }
            if let obstacle = obstacle(view) { throw obstacle }
            return nil
        }
        return result ?? .failure(.timedOut)
    }
}
