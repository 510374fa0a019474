import OkaeriPlumbing
import Testing

/// The budget of the joins: 60 s of any 120 s, and at least 10 s at a time.
@Suite struct TimeBudgetTests {
    private let budget = TimeBudget(limit: .seconds(60), window: .seconds(120), useful: .seconds(10))

    /// The seconds in which the use is granted, if it is wanted during `wishes`.
    private func grantedSeconds(_ wishes: [Range<Int>], until end: Int) -> [Bool] {
        var budget = budget
        var granted: [Bool] = []
        var decision = TimeBudget.Decision(isGranted: false, next: nil)
        var wasWanted = false
        for second in 0..<end {
            let now = Int64(second) * 1_000_000_000
            let isWanted = wishes.contains { $0.contains(second) }
            if isWanted != wasWanted || decision.next.map({ $0 <= now }) == true {
                decision = budget.update(isWanted: isWanted, at: now)
            }
            wasWanted = isWanted
            granted.append(decision.isGranted)
        }
        return granted
    }

    /// The longest time in which the use is granted, in any 120 seconds.
    private func most(_ granted: [Bool]) -> Int {
        (0...max(0, granted.count - 120)).map { granted[$0..<min($0 + 120, granted.count)].count { $0 } }.max() ?? 0
    }

    @Test func `a short use is granted for all of its time`() {
        let granted = grantedSeconds([5..<12], until: 60)
        #expect(granted.indices.filter { granted[$0] } == Array(5..<12))
    }

    @Test(arguments: [
        [0..<600], [0..<50, 51..<101, 102..<152, 153..<203], [0..<10, 20..<80, 90..<400], [0..<59, 60..<61, 62..<300],
    ])
    func `uses are granted for 60 s of any 120 s at most`(_ wishes: [Range<Int>]) {
        #expect(most(grantedSeconds(wishes, until: 600)) == 60)
    }

    @Test func `a use that goes on is granted again when the budget has recovered`() {
        let granted = grantedSeconds([0..<300], until: 300)
        // From 120 s on the first use leaves the window; ten seconds of it are the shortest useful use.
        #expect(granted.indices.filter { granted[$0] } == Array(0..<60) + Array(130..<190) + Array(260..<300))
    }

    @Test func `a later use has the whole budget`() {
        let granted = grantedSeconds([0..<60, 180..<240], until: 300)
        #expect(granted.indices.filter { granted[$0] } == Array(0..<60) + Array(180..<240))
    }

    @Test func `uses of a moment use up the budget too`() {
        var budget = budget
        var uses = 0
        for millisecond in 0..<10_000 {
            let isWanted = millisecond.isMultiple(of: 2)
            if budget.update(isWanted: isWanted, at: Int64(millisecond) * 1_000_000).isGranted { uses += 1 }
        }
        // Each counts as a second; the last ten seconds of the budget are too short for a useful use.
        #expect(uses == 51)
    }

    @Test func `a limit below the shortest useful time is granted as a whole`() {
        var budget = TimeBudget(limit: .seconds(3), window: .seconds(60), useful: .seconds(10))
        #expect(budget.update(isWanted: true, at: 0) == .init(isGranted: true, next: 3_000_000_000))
        #expect(budget.update(isWanted: true, at: 3_000_000_000) == .init(isGranted: false, next: 63_000_000_000))
    }

    @Test func `no time is granted without a limit`() {
        var budget = TimeBudget(limit: .zero, window: .seconds(60), useful: .seconds(10))
        #expect(!budget.update(isWanted: true, at: 0).isGranted)
    }

    @Test func `times at the ends of the clock do not trap`() {
        var budget = TimeBudget(limit: .seconds(60), window: .seconds(120), useful: .seconds(10))
        for now: Int64 in [.min, .min + 1, 0, .max - 1, .max] {
            _ = budget.update(isWanted: true, at: now)
            _ = budget.update(isWanted: false, at: now)
        }
    }
}
