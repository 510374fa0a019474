import OkaeriDaemonTestSupport
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriAutomation
@testable import OkaeriDaemon
@testable import OkaeriPresence

@Suite struct WritingPlanTests {
    private var plan = WritingPlan(validFor: .seconds(900))
    private let start = ContinuousClock.now

    private func state(_ state: RegionState, learned: Float = 1) -> PersistedState {
        let regions = RegionMonitor.Memory(
            regions: [known(monitored(), state)],
            beacons: [
                .init(
                    identity: home,
                    silences: LearnedSilences(minutes: .init(), day: .init(), learned: learned))
            ])
        return PersistedState(written: .now, parts: [PresenceMemory(regions), PromptMemory()])
    }

    private mutating func look(_ state: PersistedState, failed: Bool = false, at seconds: Double) -> Bool {
        written(state, failed: failed, at: seconds) != nil
    }

    private mutating func written(_ state: PersistedState, failed: Bool = false, at seconds: Double) -> PersistedState?
    {
        plan.looked(at: state, hasFailed: failed, start.advanced(by: .seconds(seconds)))
    }

    @Test mutating func `a change of what is known is written at once, what is learned is not`() {
        #expect(look(state(.inside), at: 0))
        #expect(!look(state(.inside, learned: 2), at: 1))
        #expect(look(state(.outside), at: 2))
        #expect(look(state(.inside), at: 2.1))
    }

    @Test mutating func `what was learned is written as it was the last time, until that is ten minutes ago`() {
        func learned(_ state: PersistedState?) -> Float? {
            state?[PresenceMemory.self]?.beacons.first?.silences.learned
        }
        func known(_ state: PersistedState?) -> String? { state?[PresenceMemory.self]?.regions.first?.state }
        let later: [(seconds: Double, state: RegionState, learned: Float, written: Float)] = [
            (0, .inside, 1, 1), (300, .outside, 2, 1), (599, .inside, 3, 1),
            (601, .outside, 4, 4), (602, .inside, 5, 4),
        ]
        for step in later {
            let written = written(state(step.state, learned: step.learned), at: step.seconds)
            #expect(learned(written) == step.written, "after \(step.seconds) s")
            #expect(known(written) == step.state.rawValue)
        }
        // Then only the timer looks.
        #expect(!look(state(.inside, learned: 6), at: 1201))
        #expect(learned(written(state(.inside, learned: 7), at: 1202)) == 7)
    }

    @Test mutating func `while a region is inside the state never grows stale`() throws {
        // Arrivals and departures at odd times; then all is quiet, and only the timer looks.
        for (seconds, there) in [(0, RegionState.inside), (130, .outside), (601, .inside)] {
            #expect(look(state(there), at: Double(seconds)))
        }
        #expect(!look(state(.inside), at: 1199))
        var latest = start.advanced(by: .seconds(601))
        for _ in 0..<50 {
            let due = try #require(plan.due)
            #expect(latest.duration(to: due) < .seconds(900))
            let dueState = plan.looked(at: state(.inside), hasFailed: false, due)
            #expect(dueState != nil)
            latest = due
        }
    }

    @Test mutating func `an empty house costs no write`() throws {
        #expect(look(state(.outside), at: 0))
        for round in 1...10 { #expect(!look(state(.outside), at: Double(round) * 600)) }
        #expect(look(state(.outside, learned: 2), at: 6601), "what was learned is not lost")
    }

    @Test mutating func `what could not be written is tried again`() {
        #expect(look(state(.outside), at: 0))
        #expect(!look(state(.outside), failed: true, at: 1))
        #expect(look(state(.outside), failed: true, at: 601))
    }

    @Test mutating func `after a failure it does not take until the next time`() throws {
        #expect(look(state(.outside), at: 0))
        plan.failed(start)
        let due = try #require(plan.due)
        #expect(start.duration(to: due) <= .seconds(60))
        let dueState = plan.looked(at: state(.outside), hasFailed: true, due)
        #expect(dueState != nil)
    }

    @Test(arguments: [-31_536_000.0, -3600, 3600, 31_536_000])
    mutating func `the time of a clock that was set is replaced`(leap: Double) {
        var latest = state(.inside)
        #expect(look(latest, at: 0))
        latest.written.uptime += nanoseconds(60)
        latest.written.wall += nanoseconds(60)
        #expect(!look(latest, at: 60), "no alarm was set")
        latest.written.wall += nanoseconds(leap)
        #expect(look(latest, at: 61))
        #expect(!look(latest, at: 62), "once")
    }
}
