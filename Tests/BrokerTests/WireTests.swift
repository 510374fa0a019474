import Agreement
import Testing

@testable import Broker

/// What an owner writes is read as what it was.
@Suite struct WireTests {
    @Test(arguments: [
        HouseState(state: .outside, since: 0),
        HouseState(
            state: .inside, room: "居間", since: 1_763_800_000_123_000_000, stamp: .init(writer: .max, sequence: 12)),
        HouseState(
            state: .unknown, lastKnown: .inside, since: 1_763_800_000_000_000_000, waiting: ["attic", "hall"],
            stamp: .init(writer: 0, sequence: 1 << 53)),
    ])
    func theStateOfARegion(state: HouseState) {
        #expect(Wire.region(Array(Wire.region(state).utf8)) == state)
    }

    @Test(arguments: [#""by":"no number","seq":1"#, #""by":"ff","seq":-1"#, #""by":"ff""#, #""seq":3"#])
    func aStampThatIsNoneIsNone(members: String) {
        let payload = #"{"state":"inside","since":"2026-11-22T00:00:00Z",\#(members)}"#
        let state = Wire.region(Array(payload.utf8))
        #expect(state?.stamp == nil)
    }
}
