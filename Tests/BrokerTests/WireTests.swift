import Agreement
import Testing

@testable import Broker

/// What an owner writes is read as what it was.
@Suite struct WireTests {
    @Test(arguments: [
        HouseState(state: .outside, since: 0),
        HouseState(
            state: .inside, room: "居間", since: 1_763_800_000_123_000_000, stamp: .init(sequence: 12, writer: .max)),
        HouseState(
            state: .unknown, lastKnown: .inside, since: 1_763_800_000_000_000_000, waiting: ["attic", "hall"],
            stamp: .init(sequence: 1 << 53, writer: 0), isRestored: true),
    ])
    func theStateOfARegion(state: HouseState) {
        #expect(Wire.region(Array(Wire.region(state).utf8)) == state)
    }

    @Test(arguments: [
        #""by":"no number","seq":1"#, #""by":"ff","seq":-1"#, #""by":"ff""#, #""seq":3"#,
        #""by":"ff","seq":9007199254740993"#,
    ])
    func aStampThatIsNoneIsNone(members: String) {
        let payload = #"{"state":"inside","since":"2026-11-22T00:00:00Z",\#(members)}"#
        let state = Wire.region(Array(payload.utf8))
        #expect(state?.stamp == nil)
    }
}
