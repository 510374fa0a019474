import Rooms
import RegionMonitoring
import Testing

@testable import House

/// An owner's message is read as it was written.
@Suite struct WireTests {
    @Test(arguments: [
        HouseState(state: .outside, since: nil, stamp: .init(sequence: 1, writer: 1)),
        HouseState(
            state: .inside, room: "居間", since: 1_763_800_000_123_000_000,
            hearing: [.init(node: "attic", mark: .init(incarnation: "a1", sequence: 7)), .init(node: "hall")],
            change: 3, isNews: true, stamp: .init(sequence: 12, writer: .max)),
        HouseState(
            state: .unknown, lastKnown: .inside, since: 1_763_800_000_000_000_000, hearing: [.init(node: "attic")],
            change: 1 << 53, stamp: .init(sequence: 1 << 53, writer: 0), isRestored: true),
    ])
    func `a region's state is read as it was written`(state: HouseState) {
        #expect(Wire.region(Array(Wire.region(state).utf8)) == state)
    }

    @Test(arguments: [
        #""by":"no number","seq":1"#, #""by":"ff","seq":-1"#, #""by":"ff""#, #""seq":3"#,
        #""by":"ff","seq":9007199254740993"#, #""by":"ff","seq":1,"change":9007199254740993"#,
    ])
    func `a region's state without a valid version is rejected`(members: String) {
        let payload = #"{"state":"inside","since":"2026-11-22T00:00:00Z",\#(members)}"#
        #expect(Wire.region(Array(payload.utf8)) == nil)
    }

    @Test func `a state that waits for as many nodes as there can be is read`() {
        let names = (0..<HouseReplica.nodeLimit).map { "\($0)".padding("n", to: 64) }.sorted()
        let state = HouseState(
            state: .unknown, lastKnown: .inside, since: 0,
            hearing: names.map { .init(node: $0) }, stamp: .init(sequence: 1, writer: 1))
        #expect(Wire.region(Array(Wire.region(state).utf8)) == state)
    }
}

extension String {
    fileprivate func padding(_ character: Character, to count: Int) -> String {
        self + String(repeating: character, count: count - self.count)
    }
}
