import BlueZ
import HCI
import Testing

@testable import OkaeriDaemon

@Suite struct EnrollmentMachineTests {
    private typealias Machine = EnrollmentMachine

    private let began = ContinuousClock.now
    private let identity: DeviceIdentity

    init() throws {
        identity = try #require(DeviceIdentity("ec0234a357c8ad05341010a60a397d9b DC:A6:32:01:02:03"))
    }

    private func phone(
        _ address: String = "70:81:94:0D:FB:AA", isConnected: Bool = true, isPaired: Bool = false,
        isResolvable: Bool = true, id: String = "phone"
    ) -> PairingDevice {
        PairingDevice(
            identifier: id, address: address, isResolvable: isResolvable, isConnected: isConnected, isPaired: isPaired)
    }

    private var bonded: PairingDevice { phone("DC:A6:32:01:02:03", isPaired: true) }

    /// Handles events, each with its seconds after the start. Returns the actions.
    @discardableResult
    private func play(_ machine: inout Machine, _ events: [(Double, Machine.Event)]) -> [Machine.Action] {
        events.flatMap { machine.handle($0.1, at: began + .seconds($0.0)) }
    }

    private func machine(_ events: [(Double, Machine.Event)] = []) -> Machine {
        var machine = Machine(timeout: .seconds(120), at: began)
        play(&machine, [(0, .devices([])), (0, .didStartAdvertising)] + events)
        return machine
    }

    @Test func `a phone that pairs is done after it had time to read the services`() {
        var machine = machine([(1, .devices([phone()]))])
        #expect(machine.state == .pairing(device: "phone"))
        play(&machine, [(2, .key(identity)), (2.1, .devices([bonded]))])
        #expect(machine.state == .settling(.init(device: bonded, identity: identity)))
        play(&machine, [(7, .tick)])
        #expect(machine.state == .settling(.init(device: bonded, identity: identity)))
        play(&machine, [(7.2, .tick)])
        #expect(machine.state == .done(.init(device: bonded, identity: identity)))
    }

    @Test func `key and bond may come in either order, and a disconnection ends the wait`() {
        var machine = machine([(1, .devices([phone()])), (2, .devices([bonded]))])
        #expect(machine.state == .pairing(device: "phone"))
        play(&machine, [(3, .key(identity))])
        play(&machine, [(4, .devices([phone("DC:A6:32:01:02:03", isConnected: false, isPaired: true)]))])
        #expect(machine.state == .done(.init(device: bonded, identity: identity)))
    }

    @Test func `a key without a bond, and a key of another device, are not a phone`() throws {
        let other = try #require(DeviceIdentity("ec0234a357c8ad05341010a60a397d9b AA:BB:CC:00:00:01"))
        var machine = machine([(1, .key(identity)), (1, .key(other)), (1, .devices([phone()]))])
        #expect(machine.state == .pairing(device: "phone"))
        play(&machine, [(2, .devices([phone("11:22:33:44:55:66", isPaired: true)])), (11, .tick)])
        #expect(machine.state == .failed(.noKey))
    }

    @Test func `a phone that does not pair by itself is asked twice, after each connection`() {
        var machine = machine()
        let actions = play(
            &machine,
            [(1, .devices([phone()])), (2, .tick), (3, .tick), (4, .tick), (7, .tick), (8, .tick), (20, .tick)])
        #expect(actions == [.pair(device: "phone"), .pair(device: "phone")])
        #expect(play(&machine, [(21, .devices([])), (22, .devices([phone()])), (23, .tick)]).isEmpty)
        #expect(play(&machine, [(24, .tick)]) == [.pair(device: "phone")])
    }

    @Test func `devices with other addresses are not asked to pair`() {
        var machine = machine()
        let strap = phone("DC:A6:32:00:00:09", isResolvable: false, id: "strap")
        #expect(play(&machine, [(1, .devices([strap])), (9, .tick)]).isEmpty)
        #expect(machine.state == .advertising)
    }

    @Test func `a device that had paired before is not a new phone, until its new key comes`() {
        var machine = Machine(timeout: .seconds(120), at: began)
        play(&machine, [(0, .devices([bonded])), (0, .didStartAdvertising), (1, .tick)])
        #expect(machine.state == .advertising)
        play(&machine, [(2, .key(identity))])
        #expect(machine.state == .settling(.init(device: bonded, identity: identity)))
    }

    @Test func `a phone whose bond is still there is reported as connected, a device from before the start is not`() {
        let gone = phone("DC:A6:32:01:02:03", isConnected: false, isPaired: true)
        var machine = Machine(timeout: .seconds(120), at: began)
        play(&machine, [(0, .devices([gone])), (0, .didStartAdvertising), (1, .devices([bonded])), (120, .tick)])
        #expect(machine.state == .failed(.timedOut(wasConnected: true)))
        machine = Machine(timeout: .seconds(120), at: began)
        play(&machine, [(0, .devices([bonded])), (0, .didStartAdvertising), (1, .devices([bonded])), (120, .tick)])
        #expect(machine.state == .failed(.timedOut(wasConnected: false)))
    }

    @Test func `the time limit holds before and during a connection, and not after the pairing`() {
        #expect(machine([(120, .tick)]).state == .failed(.timedOut(wasConnected: false)))
        #expect(machine([(100, .devices([phone()])), (120, .tick)]).state == .failed(.timedOut(wasConnected: true)))
        let late = machine([(119, .devices([bonded])), (119, .key(identity)), (121, .tick)])
        #expect(late.state == .settling(.init(device: bonded, identity: identity)))
        var preparing = Machine(timeout: .seconds(120), at: began)
        play(&preparing, [(120, .tick)])
        #expect(preparing.state == .failed(.timedOut(wasConnected: false)))
    }

    @Test func `an obstacle fails the pairing, and not a phone that has paired`() {
        #expect(machine([(1, .obstacle("hci0 is switched off"))]).state == .failed(.obstacle("hci0 is switched off")))
        let paired = machine([(1, .devices([bonded])), (1, .key(identity)), (2, .obstacle("gone"))])
        #expect(paired.state == .settling(.init(device: bonded, identity: identity)))
    }

    @Test func `after the end no event changes anything`() {
        var machine = machine([(120, .tick)])
        #expect(play(&machine, [(121, .devices([bonded])), (121, .key(identity)), (130, .tick)]).isEmpty)
        #expect(machine.state == .failed(.timedOut(wasConnected: false)))
    }

    @Test func `a flood of keys is bounded, and keeps the latest`() throws {
        var machine = machine()
        for number in 0..<1000 {
            let address = try #require(BluetoothAddress(rawValue: UInt64(number)))
            play(&machine, [(1, .key(DeviceIdentity(key: identity.key, address: address)))])
        }
        play(&machine, [(2, .key(identity)), (2, .devices([bonded]))])
        #expect(machine.state == .settling(.init(device: bonded, identity: identity)))
    }

    @Test func `the profiles fit an advertisement, and need encryption to be read`() throws {
        for profile in EnrollmentProfile.allCases {
            let name = Advertisement.localName(fitting: "Okaeri a-machine-with-a-long-name")
            let advertisement = profile.advertisement(named: name)
            #expect(advertisement.data.count + 3 <= 31 && advertisement.scanResponse.count <= 31)
            #expect(profile.services.count == 2)
            #expect(
                profile.services.flatMap(\.characteristics).allSatisfy {
                    $0.permissions.contains(.readEncryptionRequired)
                })
        }
        #expect(UInt16(adapter: "hci3") == 3 && UInt16(adapter: "hci") == nil && UInt16(adapter: "eth0") == nil)
    }
}
