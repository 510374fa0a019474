import Testing

@testable import BlueZ

@Suite struct ConnectionKeeperTests {
    private typealias View = ConnectionKeeper.View
    private typealias Candidate = ConnectionKeeper.Candidate

    private let start = ContinuousClock.now
    private let lamp = ConnectionKeeper.Known(address: "AA:00", name: "lamp")
    private let other = ConnectionKeeper.Known(address: "BB:00", name: nil)
    private let nobody = View(isAvailable: true, candidates: [])
    private let off = View(isAvailable: false, candidates: [])

    private func inSight(_ known: ConnectionKeeper.Known, rssi: Int16? = -60) -> Candidate {
        Candidate(known: known, rssi: rssi, isInSight: true, isConnected: false, isResolved: false)
    }

    private func connected(_ known: ConnectionKeeper.Known) -> Candidate {
        Candidate(known: known, rssi: nil, isInSight: true, isConnected: true, isResolved: true)
    }

    private func view(_ candidates: Candidate...) -> View { View(isAvailable: true, candidates: candidates) }

    /// A keeper that has connected the lamp.
    private var content: ConnectionKeeper {
        var keeper = ConnectionKeeper()
        _ = keeper.observed(view(connected(lamp)), at: start)
        return keeper
    }

    @Test func `it looks, connects, and tells when the services are known`() {
        var keeper = ConnectionKeeper()
        #expect(keeper.observed(off, at: start) == [])
        #expect(keeper.observed(nobody, at: start) == [.beginLook])
        #expect(keeper.observed(view(inSight(lamp)), at: start) == [.endLook, .connect(address: "AA:00")])
        #expect(keeper.observed(view(inSight(lamp)), at: start) == [], "one attempt at a time")
        #expect(keeper.connectEnded(isConnected: true, at: start) == [])
        #expect(keeper.observed(view(connected(lamp)), at: start) == [.didConnect(lamp)])
        #expect(keeper.observed(view(connected(lamp)), at: start) == [], "once")
        #expect(keeper.deadline(after: start) == nil)
    }

    @Test func `the loudest is tried first`() {
        var keeper = ConnectionKeeper()
        let actions = keeper.observed(view(inSight(lamp, rssi: -80), inSight(other, rssi: -50)), at: start)
        #expect(actions == [.connect(address: "BB:00")])
    }

    @Test func `who is connected already is not connected again`() {
        var keeper = ConnectionKeeper()
        #expect(keeper.observed(view(inSight(other), connected(lamp)), at: start) == [.didConnect(lamp)])
    }

    @Test func `it goes, and is looked for at once`() {
        var keeper = content
        #expect(keeper.observed(nobody, at: start) == [.didDisconnect(lamp), .beginLook])
        #expect(keeper.observed(view(inSight(lamp)), at: start) == [.endLook, .connect(address: "AA:00")])
    }

    @Test func `another one that is connected is not the one`() {
        var keeper = content
        #expect(keeper.observed(view(connected(other)), at: start) == [.didDisconnect(lamp), .didConnect(other)])
    }

    @Test func `Bluetooth that is switched off takes the connection with it, and is waited for`() {
        var keeper = content
        #expect(keeper.observed(off, at: start) == [.didDisconnect(lamp)])
        #expect(keeper.observed(off, at: start + .seconds(3600)) == [])
        #expect(keeper.deadline(after: start) == nil)
        #expect(keeper.observed(nobody, at: start + .seconds(3601)) == [.beginLook])
        #expect(keeper.observed(off, at: start + .seconds(3602)) == [.endLook])
    }

    @Test func `it looks for ten seconds out of thirty`() {
        var keeper = ConnectionKeeper()
        _ = keeper.observed(nobody, at: start)
        let rest = start + ConnectionKeeper.lookTime
        #expect(keeper.deadline(after: start) == rest)
        #expect(keeper.observed(nobody, at: rest) == [.endLook])
        let again = rest + ConnectionKeeper.restTime
        #expect(keeper.deadline(after: rest) == again)
        #expect(keeper.observed(nobody, at: again) == [.beginLook])
    }

    @Test func `one that is heard while it rests is connected`() {
        var keeper = ConnectionKeeper()
        _ = keeper.observed(nobody, at: start)
        let rest = start + ConnectionKeeper.lookTime
        _ = keeper.observed(nobody, at: rest)
        #expect(keeper.observed(view(inSight(lamp)), at: rest + .seconds(1)) == [.connect(address: "AA:00")])
    }

    @Test func `one that cannot be connected is left alone for longer and longer, up to a minute`() {
        var keeper = ConnectionKeeper()
        var now = start
        var pauses: [Duration] = []
        _ = keeper.observed(view(inSight(lamp)), at: now)
        for _ in 1...7 {
            _ = keeper.connectEnded(isConnected: false, at: now)
            let failed = now
            while keeper.observed(view(inSight(lamp)), at: now).last != .connect(address: "AA:00") {
                guard let deadline = keeper.deadline(after: now) else { break }
                now = deadline
            }
            pauses.append(failed.duration(to: now))
        }
        #expect(pauses == [2, 4, 8, 16, 32, 60, 60].map { Duration.seconds($0) })
    }

    @Test func `while one is left alone, another is tried`() {
        var keeper = ConnectionKeeper()
        _ = keeper.observed(view(inSight(lamp)), at: start)
        _ = keeper.connectEnded(isConnected: false, at: start)
        let actions = keeper.observed(view(inSight(lamp, rssi: -40), inSight(other, rssi: -90)), at: start)
        #expect(actions == [.endLook, .connect(address: "BB:00")])
    }

    @Test func `what was connected before a restart is not told twice`() {
        var keeper = ConnectionKeeper(remembered: lamp)
        #expect(keeper.observed(off, at: start) == [], "nothing is known yet")
        #expect(keeper.observed(view(connected(lamp)), at: start) == [])
        #expect(keeper.observed(nobody, at: start) == [.didDisconnect(lamp), .beginLook])
    }

    @Test func `what has gone during a restart is told`() {
        var keeper = ConnectionKeeper(remembered: lamp)
        #expect(keeper.observed(off, at: start) == [])
        #expect(keeper.observed(view(inSight(lamp)), at: start) == [.didDisconnect(lamp), .connect(address: "AA:00")])
    }

    @Test func `the end of the work ends the look`() {
        var keeper = ConnectionKeeper()
        _ = keeper.observed(nobody, at: start)
        #expect(keeper.stopped() == [.endLook])
        var connected = content
        #expect(connected.stopped() == [], "the connection stays")
    }
}
