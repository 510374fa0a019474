@testable import BlueZ
import Testing

@Suite struct RegistrationMachineTests {
    private typealias Machine = RegistrationMachine
    private typealias Situation = RegistrationMachine.Situation

    private let hci0 = "/org/bluez/hci0"
    private let hci1 = "/org/bluez/hci1"

    private var both: Situation {
        Situation(
            services: .init(version: 1, isWanted: true), advertisement: .init(version: 1, isWanted: true), adapter: hci0
        )
    }

    private var off: Situation {
        var off = both
        (off.adapter, off.resets) = (nil, 1)
        return off
    }

    /// A machine that has registered everything.
    private var content: Machine {
        var machine = Machine()
        finish(&machine, machine.observed(both))
        return machine
    }

    /// Everything goes well from here on; what was done.
    @discardableResult
    private func finish(_ machine: inout Machine, _ first: [Machine.Action]) -> [Machine.Action] {
        var (done, actions) = (first, first)
        while !actions.isEmpty, done.count < 50 {
            actions = machine.ended(isDone: true)
            done += actions
        }
        return done
    }

    @Test func `what is wanted is exported, registered and announced, one after another`() {
        var machine = Machine()
        #expect(machine.observed(both) == [.exportServices(version: 1)])
        #expect(machine.observed(both) == [], "it is at work")
        #expect(machine.ended(isDone: true) == [.registerServices(version: 1, adapter: hci0)])
        #expect(
            machine.ended(isDone: true) == [.didAddServices(adapter: hci0), .exportAdvertisement(number: 1)])
        #expect(machine.ended(isDone: true) == [.registerAdvertisement(number: 1, adapter: hci0)])
        #expect(machine.ended(isDone: true) == [.didStartAdvertising(adapter: hci0)])
        #expect(machine.observed(both) == [], "nothing is left to be done")
        #expect(machine.ended(isDone: true) == [], "nothing is at work")
    }

    @Test func `without an adapter nothing is done, and what is there is kept`() {
        var machine = Machine()
        #expect(machine.observed(off) == [])
        machine = content
        #expect(machine.observed(off) == [])
    }

    @Test func `after the adapter was off the services are registered again, and the advertisement is a new one`() {
        var machine = content
        _ = machine.observed(off)
        var on = both
        on.resets = 1
        #expect(
            finish(&machine, machine.observed(on)) == [
                .registerServices(version: 1, adapter: hci0), .didAddServices(adapter: hci0),
                .unregisterAdvertisement(number: 1, adapter: hci0), .withdrawAdvertisement,
                .exportAdvertisement(number: 2), .registerAdvertisement(number: 2, adapter: hci0),
                .didStartAdvertising(adapter: hci0),
            ])
    }

    @Test func `other services take the place of the old ones, none end them`() {
        var machine = content
        var other = both
        other.services.version = 2
        #expect(
            finish(&machine, machine.observed(other)) == [
                .unregisterServices(version: 1, adapter: hci0), .withdrawServices, .exportServices(version: 2),
                .registerServices(version: 2, adapter: hci0), .didAddServices(adapter: hci0),
            ])
        other.services = .init(version: 3, isWanted: false)
        #expect(
            finish(&machine, machine.observed(other)) == [
                .unregisterServices(version: 2, adapter: hci0), .withdrawServices,
            ])
        #expect(machine.observed(other) == [])
    }

    @Test func `an advertisement that is wanted no more is ended`() {
        var machine = content
        var none = both
        none.advertisement = .init(version: 2, isWanted: false)
        let ended: [Machine.Action] = [.unregisterAdvertisement(number: 1, adapter: hci0), .withdrawAdvertisement]
        #expect(finish(&machine, machine.observed(none)) == ended)
        #expect(machine.observed(none) == [])
    }

    @Test func `a connection renews a connectable advertisement in silence, and no other`() {
        for isConnectable in [true, false] {
            var situation = both
            situation.isConnectable = isConnectable
            var machine = Machine()
            finish(&machine, machine.observed(situation))
            situation.connections = 1
            let renewed: [Machine.Action] = [
                .unregisterAdvertisement(number: 1, adapter: hci0), .withdrawAdvertisement,
                .exportAdvertisement(number: 2), .registerAdvertisement(number: 2, adapter: hci0),
            ]
            #expect(finish(&machine, machine.observed(situation)) == (isConnectable ? renewed : []))
        }
    }

    @Test func `it advertises from the registration on, also while it is renewed, and not without its adapter`() {
        var situation = both
        situation.isConnectable = true
        var machine = Machine()
        #expect(!machine.isAdvertising)
        finish(&machine, machine.observed(situation))
        #expect(machine.isAdvertising)
        situation.connections = 1
        #expect(machine.observed(situation) == [.unregisterAdvertisement(number: 1, adapter: hci0)])
        #expect(machine.isAdvertising, "it is renewed")
        finish(&machine, machine.ended(isDone: true))
        machine.released()
        #expect(!machine.isAdvertising)
        machine = content
        _ = machine.observed(off)
        #expect(!machine.isAdvertising)
        var other = both
        other.advertisement.version = 2
        machine = content
        _ = machine.observed(other)
        #expect(!machine.isAdvertising, "another advertisement is wanted")
    }

    @Test func `what bluetoothd ends by itself is registered again, and announced`() {
        var machine = content
        machine.released()
        let again = finish(&machine, machine.observed(both))
        #expect(again.last == .didStartAdvertising(adapter: hci0))
        #expect(again.contains(.registerAdvertisement(number: 2, adapter: hci0)))
        #expect(!again.contains(.didAddServices(adapter: hci0)))
    }

    @Test func `an adapter that takes the place of another is given all of it, and the other one keeps nothing`() {
        var machine = content
        var moved = both
        moved.adapter = hci1
        #expect(
            finish(&machine, machine.observed(moved)) == [
                .unregisterServices(version: 1, adapter: hci0), .withdrawServices, .exportServices(version: 1),
                .registerServices(version: 1, adapter: hci1), .didAddServices(adapter: hci1),
                .unregisterAdvertisement(number: 1, adapter: hci0), .withdrawAdvertisement,
                .exportAdvertisement(number: 2), .registerAdvertisement(number: 2, adapter: hci1),
                .didStartAdvertising(adapter: hci1),
            ])
        let back = finish(&machine, machine.observed(both))
        #expect(back.first == .unregisterServices(version: 1, adapter: hci1))
        #expect(back.contains(.registerServices(version: 1, adapter: hci0)))
    }

    @Test func `what fails is tried again when it is asked for, from where it failed`() {
        var machine = Machine()
        _ = machine.observed(both)
        #expect(machine.ended(isDone: false) == [])
        #expect(machine.observed(both) == [.exportServices(version: 1)])
        _ = machine.ended(isDone: true)
        #expect(machine.ended(isDone: false) == [])
        #expect(machine.observed(both) == [.registerServices(version: 1, adapter: hci0)])
        _ = machine.ended(isDone: true)
        #expect(machine.ended(isDone: false) == [], "the advertisement's object")
        #expect(machine.observed(both) == [.exportAdvertisement(number: 2)])
        _ = machine.ended(isDone: true)
        #expect(machine.ended(isDone: false) == [], "bluetoothd refuses it, and may know it all the same")
        #expect(
            finish(&machine, machine.observed(both)) == [
                .unregisterAdvertisement(number: 2, adapter: hci0), .withdrawAdvertisement,
                .exportAdvertisement(number: 3), .registerAdvertisement(number: 3, adapter: hci0),
                .didStartAdvertising(adapter: hci0),
            ])
    }

    @Test func `taking back what bluetoothd does not have is not a failure`() {
        var machine = content
        var none = both
        none.services = .init(version: 2, isWanted: false)
        #expect(machine.observed(none) == [.unregisterServices(version: 1, adapter: hci0)])
        #expect(machine.ended(isDone: false) == [.withdrawServices])
    }

    @Test func `services that were never registered are taken back without a call`() {
        var machine = Machine()
        _ = machine.observed(both)
        _ = machine.ended(isDone: true)
        _ = machine.ended(isDone: false)
        var none = both
        (none.services, none.advertisement) = (.init(version: 2, isWanted: false), .init())
        #expect(machine.observed(none) == [.withdrawServices])
    }

    @Test func `with the bus goes all of it, and a new one is given all of it again`() {
        var machine = content
        #expect(machine.busLost() == [.withdrawServices, .withdrawAdvertisement])
        #expect(machine.busLost() == [])
        #expect(machine.ended(isDone: true) == [], "that was asked of the old one")
        #expect(machine.observed(both) == [.exportServices(version: 1)])
    }
}
