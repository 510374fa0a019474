@testable import BlueZ
import Testing

@Suite struct AutoConnectMachineTests {
    private typealias View = AutoConnectMachine.View
    private typealias Candidate = AutoConnectMachine.Candidate

    private let start = ContinuousClock.now
    private let lamp = AutoConnectMachine.Known(address: "AA:00", name: "lamp")
    private let other = AutoConnectMachine.Known(address: "BB:00", name: nil)
    private let noDevice = View(isAvailable: true, candidates: [])
    private let off = View(isAvailable: false, candidates: [])

    private func inSight(_ known: AutoConnectMachine.Known, rssi: Int16? = -60) -> Candidate {
        Candidate(known: known, rssi: rssi, isInSight: true, isConnected: false, isResolved: false)
    }

    private func connected(_ known: AutoConnectMachine.Known) -> Candidate {
        Candidate(known: known, rssi: nil, isInSight: true, isConnected: true, isResolved: true)
    }

    private func view(_ candidates: Candidate...) -> View { View(isAvailable: true, candidates: candidates) }

    /// A machine that has connected the lamp.
    private var content: AutoConnectMachine {
        var machine = AutoConnectMachine()
        _ = machine.observed(view(connected(lamp)), at: start)
        return machine
    }

    @Test func `it scans, connects, and reports when the services are known`() {
        var machine = AutoConnectMachine()
        #expect(machine.observed(off, at: start) == [])
        #expect(machine.observed(noDevice, at: start) == [.startScan])
        #expect(machine.observed(view(inSight(lamp)), at: start) == [.stopScan, .connect(address: "AA:00")])
        #expect(machine.observed(view(inSight(lamp)), at: start) == [], "one attempt at a time")
        #expect(machine.connectEnded(isConnected: true, at: start) == [])
        #expect(machine.observed(view(connected(lamp)), at: start) == [.didConnect(lamp)])
        #expect(machine.observed(view(connected(lamp)), at: start) == [], "once")
        #expect(machine.deadline(after: start) == nil)
    }

    @Test func `the loudest is tried first`() {
        var machine = AutoConnectMachine()
        let actions = machine.observed(view(inSight(lamp, rssi: -80), inSight(other, rssi: -50)), at: start)
        #expect(actions == [.connect(address: "BB:00")])
    }

    @Test func `a connected peripheral is not connected again`() {
        var machine = AutoConnectMachine()
        #expect(machine.observed(view(inSight(other), connected(lamp)), at: start) == [.didConnect(lamp)])
    }

    @Test func `it goes, and is looked for at once`() {
        var machine = content
        #expect(machine.observed(noDevice, at: start) == [.didDisconnect(lamp), .startScan])
        #expect(machine.observed(view(inSight(lamp)), at: start) == [.stopScan, .connect(address: "AA:00")])
    }

    @Test func `another one that is connected is not the one`() {
        var machine = content
        #expect(machine.observed(view(connected(other)), at: start) == [.didDisconnect(lamp), .didConnect(other)])
    }

    @Test func `Bluetooth that is switched off takes the connection with it, and is waited for`() {
        var machine = content
        #expect(machine.observed(off, at: start) == [.didDisconnect(lamp)])
        #expect(machine.observed(off, at: start + .seconds(3600)) == [])
        #expect(machine.deadline(after: start) == nil)
        #expect(machine.observed(noDevice, at: start + .seconds(3601)) == [.startScan])
        #expect(machine.observed(off, at: start + .seconds(3602)) == [.stopScan])
    }

    @Test func `it looks for ten seconds out of thirty`() {
        var machine = AutoConnectMachine()
        _ = machine.observed(noDevice, at: start)
        let rest = start + AutoConnectMachine.scanTime
        #expect(machine.deadline(after: start) == rest)
        #expect(machine.observed(noDevice, at: rest) == [.stopScan])
        let again = rest + AutoConnectMachine.restTime
        #expect(machine.deadline(after: rest) == again)
        #expect(machine.observed(noDevice, at: again) == [.startScan])
    }

    @Test func `one that is heard while it rests is connected`() {
        var machine = AutoConnectMachine()
        _ = machine.observed(noDevice, at: start)
        let rest = start + AutoConnectMachine.scanTime
        _ = machine.observed(noDevice, at: rest)
        #expect(machine.observed(view(inSight(lamp)), at: rest + .seconds(1)) == [.connect(address: "AA:00")])
    }

    @Test func `one that cannot be connected is left alone for longer and longer, up to a minute`() {
        var machine = AutoConnectMachine()
        var now = start
        var pauses: [Duration] = []
        _ = machine.observed(view(inSight(lamp)), at: now)
        for _ in 1...7 {
            _ = machine.connectEnded(isConnected: false, at: now)
            let failed = now
            while machine.observed(view(inSight(lamp)), at: now).last != .connect(address: "AA:00") {
                guard let deadline = machine.deadline(after: now) else { break }
                now = deadline
            }
            pauses.append(failed.duration(to: now))
        }
        #expect(pauses == [2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) })
    }

    @Test func `while one is left alone, another is tried`() {
        var machine = AutoConnectMachine()
        _ = machine.observed(view(inSight(lamp)), at: start)
        _ = machine.connectEnded(isConnected: false, at: start)
        let actions = machine.observed(view(inSight(lamp, rssi: -40), inSight(other, rssi: -90)), at: start)
        #expect(actions == [.stopScan, .connect(address: "BB:00")])
    }

    @Test func `a peripheral from before a restart is not reported twice`() {
        var machine = AutoConnectMachine(remembered: lamp)
        #expect(machine.observed(off, at: start) == [], "nothing is known yet")
        #expect(machine.observed(view(connected(lamp)), at: start) == [])
        #expect(machine.observed(noDevice, at: start) == [.didDisconnect(lamp), .startScan])
    }

    @Test func `a peripheral that has gone during a restart is reported`() {
        var machine = AutoConnectMachine(remembered: lamp)
        #expect(machine.observed(off, at: start) == [])
        #expect(machine.observed(view(inSight(lamp)), at: start) == [.didDisconnect(lamp), .connect(address: "AA:00")])
    }

    @Test func `the end of the work ends the look`() {
        var machine = AutoConnectMachine()
        _ = machine.observed(noDevice, at: start)
        #expect(machine.stopped() == [.stopScan])
        var connected = content
        #expect(connected.stopped() == [], "the connection stays")
    }
}
