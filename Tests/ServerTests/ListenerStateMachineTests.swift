import Testing

@testable import OkaeriServer

/// The life of a listener, without a socket.
@Suite struct ListenerStateMachineTests {
    private var machine = ListenerStateMachine(limit: 3)

    @Test mutating func `Clients can connect once the socket is bound`() {
        #expect(machine.bindingSucceeded() == .reportOpen)
        #expect(machine.connectionAccepted() == .none)
        #expect(machine.connectionEnded() == .none)
    }

    @Test mutating func `The socket closes after the grace period, and the listener ends with the last connection`() {
        _ = machine.bindingSucceeded()
        _ = machine.connectionAccepted()
        #expect(machine.stopRequested() == .beginShutdown)
        #expect(machine.connectionAccepted() == .none, "the kernel has accepted it before the stop")
        #expect(machine.gracePeriodEnded() == .closeSocket)
        #expect(machine.socketClosed() == .drain)
        #expect(machine.connectionEnded() == .none)
        #expect(machine.connectionEnded() == .end(isFailure: false))
        #expect(machine.drainTimeoutEnded() == .none)
    }

    @Test mutating func `A listener without connections ends when the socket is closed`() {
        _ = machine.bindingSucceeded()
        _ = machine.connectionAccepted()
        _ = machine.stopRequested()
        #expect(machine.connectionEnded() == .none)
        _ = machine.gracePeriodEnded()
        #expect(machine.socketClosed() == .end(isFailure: false))
    }

    @Test mutating func `A client that does not read is disconnected after the drain timeout`() {
        beginDraining()
        #expect(machine.drainTimeoutEnded() == .closeConnections)
        #expect(machine.connectionEnded() == .end(isFailure: false))
        #expect(machine.closeTimeoutEnded() == .none)
    }

    @Test mutating func `A handler that does not return is left behind after the close timeout`() {
        beginDraining()
        _ = machine.drainTimeoutEnded()
        #expect(machine.closeTimeoutEnded() == .end(isFailure: false))
        #expect(machine.connectionEnded() == .none)
    }

    @Test mutating func `A second stop changes nothing`() {
        beginDraining()
        #expect(machine.stopRequested() == .none)
        #expect(machine.gracePeriodEnded() == .none)
        #expect(machine.socketClosed() == .none)
        #expect(machine.connectionEnded() == .end(isFailure: false))
        #expect(machine.stopRequested() == .none)
    }

    @Test mutating func `A stop before the socket is bound closes it as soon as it is`() {
        #expect(machine.stopRequested() == .none)
        #expect(machine.bindingSucceeded() == .closeSocket)
        #expect(machine.socketClosed() == .end(isFailure: false))
    }

    @Test(arguments: [true, false])
    mutating func `A listener whose socket cannot be bound is over`(isStopped: Bool) {
        if isStopped { _ = machine.stopRequested() }
        machine.bindingFailed()
        #expect(machine.stopRequested() == .none)
        #expect(machine.socketClosed() == .none)
    }

    @Test mutating func `A socket that closes by itself is a failure, after the answers on their way`() {
        _ = machine.bindingSucceeded()
        _ = machine.connectionAccepted()
        #expect(machine.socketClosed() == .drain)
        #expect(machine.stopRequested() == .none)
        #expect(machine.drainTimeoutEnded() == .closeConnections)
        #expect(machine.connectionEnded() == .end(isFailure: true))
    }

    @Test mutating func `Connections beyond the limit wait in the kernel until one ends`() {
        _ = machine.bindingSucceeded()
        #expect(machine.connectionAccepted() == .none)
        #expect(machine.connectionAccepted() == .none)
        #expect(machine.connectionAccepted() == .updateAccepting)
        #expect(!machine.acceptsConnections)
        #expect(machine.connectionAccepted() == .none, "it was accepted in the same turn of the event loop")
        #expect(machine.connectionEnded() == .none)
        #expect(machine.connectionEnded() == .updateAccepting)
        #expect(machine.acceptsConnections)
    }

    private mutating func beginDraining() {
        _ = machine.bindingSucceeded()
        _ = machine.connectionAccepted()
        _ = machine.stopRequested()
        _ = machine.gracePeriodEnded()
        #expect(machine.socketClosed() == .drain)
    }
}
