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

    private let refusal = CentralError.connectionFailed(address: "AA:00", reason: "refused")

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
        #expect(machine.observed(view(inSight(lamp)), at: start) == [.stopScan, .connect(lamp)])
        #expect(machine.observed(view(inSight(lamp)), at: start) == [], "one attempt at a time")
        #expect(machine.connectEnded(nil, at: start) == [])
        #expect(machine.observed(view(connected(lamp)), at: start) == [.didConnect(lamp)])
        #expect(machine.observed(view(connected(lamp)), at: start) == [], "once")
        #expect(machine.deadline(after: start) == nil)
    }

    @Test func `the loudest is tried first`() {
        var machine = AutoConnectMachine()
        let actions = machine.observed(view(inSight(lamp, rssi: -80), inSight(other, rssi: -50)), at: start)
        #expect(actions == [.connect(other)])
    }

    @Test func `a connected peripheral is not connected again`() {
        var machine = AutoConnectMachine()
        #expect(machine.observed(view(inSight(other), connected(lamp)), at: start) == [.didConnect(lamp)])
    }

    @Test func `it goes, and is looked for at once`() {
        var machine = content
        #expect(machine.observed(noDevice, at: start) == [.didDisconnect(lamp), .startScan])
        #expect(machine.observed(view(inSight(lamp)), at: start) == [.stopScan, .connect(lamp)])
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
        #expect(machine.observed(view(inSight(lamp)), at: rest + .seconds(1)) == [.connect(lamp)])
    }

    @Test func `one that cannot be connected is left alone for longer and longer, up to a minute`() {
        var machine = AutoConnectMachine()
        var now = start
        var pauses: [Duration] = []
        _ = machine.observed(view(inSight(lamp)), at: now)
        for _ in 1...7 {
            _ = machine.connectEnded(refusal, at: now)
            let failed = now
            while machine.observed(view(inSight(lamp)), at: now).last != .connect(lamp) {
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
        _ = machine.connectEnded(refusal, at: start)
        let actions = machine.observed(view(inSight(lamp, rssi: -40), inSight(other, rssi: -90)), at: start)
        #expect(actions == [.stopScan, .connect(other)])
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
        #expect(machine.observed(view(inSight(lamp)), at: start) == [.didDisconnect(lamp), .connect(lamp)])
    }

    @Test func `the end of the work ends the look`() {
        var machine = AutoConnectMachine()
        _ = machine.observed(noDevice, at: start)
        #expect(machine.stopped() == [.stopScan])
        var connected = content
        #expect(connected.stopped() == [], "the connection stays")
    }

    // MARK: Failures

    /// The announced failures of a machine that tries the lamp once for each of these.
    private func announced(_ failures: [CentralError], by machine: inout AutoConnectMachine) -> [CentralError] {
        var now = start
        return failures.flatMap { failure -> [CentralError] in
            now += AutoConnectMachine.longestPause + .seconds(1)
            _ = machine.observed(view(inSight(lamp)), at: now)
            return machine.connectEnded(failure, at: now).compactMap { action in
                if case .didFailToConnect(lamp, let reason) = action { reason } else { nil }
            }
        }
    }

    @Test func `thirty refusals in a row are announced once`() {
        var machine = AutoConnectMachine()
        #expect(announced(Array(repeating: refusal, count: 30), by: &machine) == [refusal])
    }

    @Test func `another reason is announced, and reasons in turn are not repeated`() {
        let other = CentralError.timedOut(what: "the connection to AA:00", after: .seconds(40))
        var machine = AutoConnectMachine()
        #expect(announced([refusal, other, refusal, other], by: &machine) == [refusal, other])
    }

    @Test func `a reason is announced again after a connection`() {
        var machine = AutoConnectMachine()
        #expect(announced([refusal], by: &machine) == [refusal])
        let later = start + .seconds(1000)
        #expect(machine.observed(view(connected(lamp)), at: later).last == .didConnect(lamp))
        #expect(machine.observed(noDevice, at: later).first == .didDisconnect(lamp))
        #expect(announced([refusal, refusal], by: &machine) == [refusal])
    }

    @Test func `a peripheral that changes its address announces its reason once`() {
        var machine = AutoConnectMachine()
        _ = announced([refusal], by: &machine)
        let now = start + .seconds(1000)
        _ = machine.observed(view(inSight(other)), at: now)
        let again = CentralError.connectionFailed(address: other.address, reason: "refused")
        #expect(machine.connectEnded(again, at: now) == [.startScan])
    }

    @Test(arguments: [
        CentralError.noDaemon, .noAdapter(nil), .poweredOff(adapter: "hci0"), .cancelled, .noBus(reason: "lost"),
        .notPermitted(reason: "denied"), .notFound(address: "AA:00", after: .seconds(10)),
    ]) func `a fault of Bluetooth and a peripheral that has gone are not a failure of a connection`(
        _ error: CentralError
    ) {
        var machine = AutoConnectMachine()
        #expect(announced([error], by: &machine) == [])
    }

    @Test func `the number of announced reasons is bounded`() {
        var machine = AutoConnectMachine()
        let reasons = (1...100).map { CentralError.connectionFailed(address: "AA:00", reason: "\($0)") }
        #expect(announced(reasons, by: &machine).count == AutoConnectMachine.reportedLimit)
    }

    @Test func `a connection that is lost and back between two looks is announced`() {
        var machine = content
        var back = connected(lamp)
        back.lastEnd = 1
        #expect(machine.observed(view(back), at: start) == [.didDisconnect(lamp), .didConnect(lamp)])
        #expect(machine.observed(view(back), at: start) == [])
    }
}
