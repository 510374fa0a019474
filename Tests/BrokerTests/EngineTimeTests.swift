import Testing

@testable import House

@Suite struct EngineTimeTests {
    private var time = EngineTime()

    @Test mutating func `a time is moved by the difference of the clocks`() {
        let first = time.updated(engine: 1000, own: 50)
        #expect([first(50), first(40), first(60)] == [1000, 990, 1000])
        let second = time.updated(engine: 1100, own: 150)
        #expect([second(150), second(140), second(60), second(40)] == [1100, 1090, 1010, 990])
    }

    @Test mutating func `what was received while the engine's clock stood still is not older than that`() {
        _ = time.updated(engine: 1000, own: 50)
        // The engine did not run for 900; the messages of this time come at once.
        let times = time.updated(engine: 1000, own: 950)
        #expect([times(40), times(60), times(500), times(950)] == [990, 1000, 1000, 1000])
        let later = time.updated(engine: 1900, own: 951)
        #expect([later(951), later(949)] == [1900, 999])
    }
}
