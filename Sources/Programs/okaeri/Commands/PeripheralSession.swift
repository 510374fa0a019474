import BlueZ
import Logging
import ServiceLifecycle
import UnixSignals

/// This machine as a peripheral, until the user ends it.
struct PeripheralSession {
    let manager: PeripheralManager
    let logger: Logger

    /// Logs what happens, and ends with the exit status that fits when it cannot begin.
    ///
    /// - Parameters:
    ///   - purpose: The sentence to print once it works.
    ///   - services: The services that run beside it.
    func run(saying purpose: String, beside services: [any ServiceLifecycle.Service] = []) async throws {
        let all: [any ServiceLifecycle.Service] =
            [EventLog(events: manager.events, purpose: purpose, logger: logger)] + services
        let group = ServiceGroup(
            configuration: .init(services: all, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        do {
            try await group.run()
        } catch let error as NoBluetooth {
            throw error.failure
        }
    }
}

/// Logs what happens. A first answer that it cannot be ends it; once it was well, its return is waited for.
private struct EventLog: ServiceLifecycle.Service {
    /// The first sequence of the manager, which has the events from the beginning.
    let events: AsyncStream<PeripheralManager.Event>
    let purpose: String
    let logger: Logger

    func run() async throws {
        var wasWell = false
        for await event in events.cancelOnGracefulShutdown() {
            switch event {
            case .didUpdateState(.poweredOn, _): break
            case .didUpdateState(let state, let reason):
                guard wasWell || state == .unknown || state == .resetting else {
                    throw NoBluetooth(reason: reason, isPermission: state == .unauthorized)
                }
                logger.notice("\(reason); waiting for its return")
            case .didAddServices: break
            case .didStartAdvertising(let adapter):
                wasWell = true
                logger.notice("\(purpose), by \(adapter)")
            case .didFail(let reason):
                guard wasWell else { throw NoBluetooth(reason: reason, isPermission: false) }
                logger.notice("\(reason); trying again")
            case .didRefuse(let error, let central): logger.info("\(central.address) was refused: \(error)")
            case .didSubscribe(let characteristic): logger.debug("a central has subscribed to \(characteristic)")
            case .didUnsubscribe(let characteristic): logger.debug("no central is subscribed to \(characteristic) now")
            case .didFailToUpdateSubscribers(let reason): logger.notice("\(reason)")
            case .isReadyToUpdateSubscribers: break
            }
        }
        // The events end before this service is asked to.
        try await gracefulShutdown()
    }
}
