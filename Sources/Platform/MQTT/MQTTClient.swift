import Glibc
package import OkaeriPlumbing
import Synchronization

/// Keeps a connection to an MQTT broker, on a thread of its own. Everything may be called from any thread, and nothing
/// blocks.
package final class MQTTClient: Sendable {
    /// There is no pair of sockets for it: too many files are open.
    package struct StartError: Error, CustomStringConvertible {
        let code: Int32

        package var description: String {
            "no connection to an MQTT broker can be made: \(String(cString: strerror(code))); raise the limit of `ulimit -n`"
        }
    }

    private struct Guarded {
        var session: MQTTSession
        /// Whether the thread is in a call that may last for minutes.
        var isOpening = false
        var isOver = false
        /// The last value that `onConnection` received.
        var isKnownAsConnected = false
        /// The number of the state that was sent last.
        var sentState: UInt64 = 0
        var waiter: CheckedContinuation<Void, Never>?

        mutating func end() -> CheckedContinuation<Void, Never>? {
            isOver = true
            defer { waiter = nil }
            return waiter
        }
    }

    /// The state of the connection, now and from now on.
    package let states: Broadcast<BrokerState>

    private let guarded: Mutex<Guarded>
    private let wakeUp: WakeUp
    private let settings: MQTTSettings
    private let onConnection: @Sendable (Bool) -> Void
    private let onMessage: @Sendable (MQTTMessage) -> Void
    private let onAcknowledgement: @Sendable (MQTTPublication) -> Void
    private let onNotice: @Sendable (String) -> Void

    /// - Parameters:
    ///   - onConnection: Called after a connection has begun, before anything that it delivers, and after it has ended;
    ///     on the client's thread: it must not block.
    ///   - onMessage: is given what the broker delivers, on the client's thread: it must not block.
    ///   - onAcknowledgement: is given an event that the broker has acknowledged (PUBACK), also if it has refused it; on that thread, too.
    ///   - onNotice: is given a sentence for the log, once a minute at most; on that thread, too.
    package init(
        _ settings: MQTTSettings, onConnection: @escaping @Sendable (Bool) -> Void = { _ in },
        onMessage: @escaping @Sendable (MQTTMessage) -> Void,
        onAcknowledgement: @escaping @Sendable (MQTTPublication) -> Void = { _ in },
        onNotice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(StartError) {
        self.settings = settings
        self.onConnection = onConnection
        self.onMessage = onMessage
        self.onAcknowledgement = onAcknowledgement
        self.onNotice = onNotice
        let session = MQTTSession(settings)
        states = Broadcast(changesFrom: session.state)
        guarded = Mutex(Guarded(session: session))
        wakeUp = try WakeUp { StartError(code: $0) }
    }

    /// The state of the connection.
    package var state: BrokerState { guarded.withLock(\.session.state) }

    /// The clock of all times: nanoseconds since the machine's start.
    package static var now: Int64 { KernelClock.boottime }

    /// Publishes now, or when there is a connection; see ``MQTTPublication``.
    package func publish(_ publication: MQTTPublication) { post(.published(publication)) }

    /// Gives the topic up to another client: a value that is due is still sent, and never again. Its events that wait until the gate
    /// is open are dropped.
    package func release(_ topic: String) { post(.released(topic: topic)) }

    /// Publishes the topic's value once more after another client has overwritten it.
    package func resend(_ topic: String) { post(.overwritten(topic: topic)) }

    /// Messages on these topics are wanted, on each connection.
    package func subscribe(_ filter: String) { post(.subscribed(filter)) }

    /// The same without those that this client publishes. Values that it has retained before the subscription are delivered.
    package func subscribeToOthers(_ filter: String) { post(.subscribedToOthers(filter)) }

    package func unsubscribe(_ filter: String) { post(.unsubscribed(filter)) }

    /// Subscribes to every filter again: the broker delivers its retained messages anew.
    package func subscribeAgain() { post(.subscriptionsWanted) }

    /// Publishes all values again, within three seconds, because a subscriber has lost them.
    package func announce() { post(.announcementWanted) }

    /// Has ``stop()`` empty the topic of the last will, because no client of this name returns.
    package func abandon() { post(.abandoned) }

    /// Publishes the last will and disconnects, which takes two and a half seconds at most.
    package func stop() {
        let waiter = guarded.withLock { guarded in
            guarded.session.handle(.stopped, at: Self.now)
            // That call cannot be ended; the thread ends when it returns.
            return guarded.isOpening ? guarded.end() : nil
        }
        waiter?.resume()
        wakeUp.signal()
    }

    /// Connects, and keeps connected until it is stopped or the task is cancelled. To be called once.
    package func run() async throws(BlockingThread.StartError) {
        post(.started)
        try BlockingThread.start { [self] in
            loop()
            guarded.withLock { $0.end() }?.resume()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = guarded.withLock { guarded in
                    if !guarded.isOver { guarded.waiter = waiter }
                    return guarded.isOver
                }
                if isOver { waiter.resume() }
            }
        } onCancel: {
            stop()
        }
    }

    private func post(_ event: MQTTSession.Event) {
        handle(event)
        wakeUp.signal()
    }

    private func handle(_ event: MQTTSession.Event) {
        guarded.withLock { $0.session.handle(event, at: Self.now) }
    }

    // MARK: - On the thread

    /// Something happened to the connection.
    private func took(_ event: MQTTSession.Event) {
        handle(event)
        tellConnection()
    }

    private func tellConnection() {
        let isConnected = guarded.withLock { guarded -> Bool? in
            guard guarded.session.isConnected != guarded.isKnownAsConnected else { return nil }
            guarded.isKnownAsConnected.toggle()
            return guarded.isKnownAsConnected
        }
        if let isConnected { onConnection(isConnected) }
    }

    /// Sends the state if it has changed: the loop waits after each message.
    private func sendState() {
        let news = guarded.withLock { guarded -> BrokerState? in
            guard guarded.session.stateNumber != guarded.sentState else { return nil }
            guarded.sentState = guarded.session.stateNumber
            return guarded.session.state
        }
        if let news { states.send(news) }
    }

    private func next() -> MQTTSession.Action {
        guarded.withLock { guarded in
            let action = guarded.session.next(at: Self.now)
            guarded.isOpening = action == .connect
            return action
        }
    }

    private func loop() {
        var connection: MQTTConnection?
        while true {
            var loss: MQTTLoss?
            let action = next()
            tellConnection()
            switch action {
            case .connect:
                connection = nil
                (connection, loss) = open()
            case .publish(let publication, let token): loss = connection?.publish(publication, token: token)
            case .subscribe(let filter, let token): loss = connection?.subscribe(filter, token: token)
            case .narrow(let filter, let token): loss = connection?.narrow(filter, token: token)
            case .unsubscribe(let filter, let token): loss = connection?.unsubscribe(filter, token: token)
            case .disconnect:
                connection?.disconnect()
                connection = nil
            case .cut: connection = nil
            case .acknowledged(let event): onAcknowledgement(event)
            case .note(let sentence): onNotice(sentence)
            case .wait(let deadline):
                sendState()
                if let connection {
                    loss = connection.wait(until: deadline, wakeUp)
                } else {
                    _ = wakeUp.wait(
                        for: deadline.map { .nanoseconds($0.subtractingClamped(Self.now)) } ?? .seconds(3600))
                }
            case .end:
                sendState()
                states.close()
                return
            }
            if let loss {
                connection = nil
                took(.lost(loss))
            }
        }
    }

    private func open() -> (MQTTConnection?, MQTTLoss?) {
        let connection = MQTTConnection(settings) { [unowned self] in
            took($0)
        } deliver: { [unowned self] in
            handle(.delivered($0))
            onMessage($0)
        }
        guard let connection else { return (nil, MQTTLoss(code: 0, errno: ENOMEM)) }
        let loss = connection.open()
        guarded.withLock { $0.isOpening = false }
        if loss == nil { handle(.opened) }
        return (connection, loss)
    }
}
