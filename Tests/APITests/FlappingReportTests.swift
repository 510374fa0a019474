import Testing

@testable import OkaeriEvents

@Suite struct FlappingReportTests {
    private func distance(_ returns: Int, between enter: Int?, and exit: Int?) -> Int? {
        FlappingReport(returns: returns, enterRSSI: enter, exitRSSI: exit)?.distance
    }

    /// The figures of Benchmarks/README.md: at so many decibels the simulated signal returned so often in an hour, and that
    /// many decibels kept it below once.
    @Test(
        arguments: [
            (8, 8, 11), (8, 31, 14), (8, 61, 17), (12, 15, 17), (8, 89, 21), (12, 31, 21), (16, 8, 21), (8, 112, 25),
            (12, 51, 25),
            (16, 18, 25), (8, 134, 28), (12, 71, 28), (16, 32, 28), (20, 12, 28), (8, 10, 11), (8, 35, 14), (8, 69, 17),
            (12, 12, 17), (8, 104, 19), (12, 28, 19), (8, 140, 23), (12, 51, 23), (16, 13, 23), (8, 16, 12),
            (8, 34, 13),
        ])
    func `the proposed distance follows the noise of the signal`(present: Int, returns: Int, enough: Int) throws {
        let proposed = try #require(distance(returns, between: -70, and: -70 - present))
        #expect(enough - 2...enough + 4 ~= proposed)
        #expect(proposed > present)
    }

    @Test func `more returns propose a longer distance`() {
        let distances = [6, 12, 25, 50, 100, 200].compactMap { distance($0, between: -70, and: -80) }
        #expect(distances == distances.sorted() && Set(distances).count == 6)
    }

    @Test func `a region that is left a few times, or by silence alone, does not flap`() {
        #expect(distance(5, between: -70, and: -72) == nil)
        #expect(distance(100, between: -70, and: nil) == nil)
    }

    @Test(arguments: [6, 1000, Int.max])
    func `any number of returns gives a distance`(returns: Int) throws {
        for (enter, exit) in [(-70, -70), (nil, -70), (20, -127)] as [(Int?, Int)] {
            let proposed = try #require(distance(returns, between: enter, and: exit))
            #expect(proposed > (enter ?? exit) - exit && proposed <= max(40, (enter ?? exit) - exit + 1))
        }
    }
}
