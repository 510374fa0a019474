import Testing

@testable import Automation

@Suite struct AntennaBudgetTests {
    private let start = ContinuousClock.now

    /// The seconds in which the scan is held, for an activation that lasts during `activations`.
    private func heldSeconds(_ activations: [Range<Int>], until end: Int) -> [Bool] {
        var budget = AntennaBudget()
        var held: [Bool] = []
        var decision = AntennaBudget.Decision(isHeld: false, next: nil)
        var wasActivating = false
        for second in 0..<end {
            let now = start + .seconds(second)
            let isActivating = activations.contains { $0.contains(second) }
            if isActivating != wasActivating || decision.next.map({ $0 <= now }) == true {
                decision = budget.update(isActivating: isActivating, at: now)
            }
            wasActivating = isActivating
            held.append(decision.isHeld)
        }
        return held
    }

    /// The longest time in which the scan is held, in any 120 seconds.
    private func most(_ held: [Bool]) -> Int {
        (0...max(0, held.count - 120)).map { held[$0..<min($0 + 120, held.count)].count { $0 } }.max() ?? 0
    }

    @Test func `a short activation holds the scan for all of its time`() {
        let held = heldSeconds([5..<12], until: 60)
        #expect(held.indices.filter { held[$0] } == Array(5..<12))
    }

    @Test(arguments: [
        [0..<600], [0..<50, 51..<101, 102..<152, 153..<203], [0..<10, 20..<80, 90..<400], [0..<59, 60..<61, 62..<300],
    ])
    func `activations hold the scan for 60 s of any 120 s at most`(_ activations: [Range<Int>]) {
        let held = heldSeconds(activations, until: 600)
        #expect(most(held) == 60)
    }

    @Test func `an activation that goes on holds the scan again when the budget has recovered`() {
        let held = heldSeconds([0..<300], until: 300)
        // From 120 s on the first hold leaves the window; ten seconds of it are the shortest useful hold.
        #expect(held.indices.filter { held[$0] } == Array(0..<60) + Array(130..<190) + Array(260..<300))
    }

    @Test func `a later activation has the whole budget`() {
        let held = heldSeconds([0..<60, 180..<240], until: 300)
        #expect(held.indices.filter { held[$0] } == Array(0..<60) + Array(180..<240))
    }

    @Test func `activations of a moment use up the budget too`() {
        var budget = AntennaBudget()
        var holds = 0
        for millisecond in 0..<10_000 {
            let now = start + .milliseconds(millisecond)
            if budget.update(isActivating: millisecond.isMultiple(of: 2), at: now).isHeld { holds += 1 }
        }
        // Each counts as a second; the last ten seconds of the budget are too short for a useful hold.
        #expect(holds == 51)
    }
}
