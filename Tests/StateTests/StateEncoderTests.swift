import IBeacon
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriDaemon
@testable import OkaeriEvents
@testable import OkaeriPresence

@Suite struct StateEncoderTests {
    /// A memory that counts how often it is encoded.
    private struct Counted: PersistedMemory {
        final class Count: Sendable {
            let encodings = Mutex(0)
        }

        var number: Int
        var count: Count?

        enum CodingKeys: CodingKey {
            case number
        }

        func encode(to encoder: any Encoder) throws {
            count?.encodings.withLock { $0 += 1 }
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(number, forKey: .number)
        }

        static func == (first: Counted, second: Counted) -> Bool { first.number == second.number }
    }

    private func presence(_ state: RegionState, learned: Float) -> PresenceMemory {
        PresenceMemory(
            RegionMonitor.Memory(
                regions: [known(monitored(), state)],
                beacons: [
                    .init(
                        identity: home,
                        silences: LearnedSilences(minutes: .init(), day: .init(), learned: learned))
                ]))
    }

    @Test func `what has not changed is not encoded again`() throws {
        var encoder = StateEncoder()
        let count = Counted.Count()
        for (number, sequence) in [(1, 1), (1, 2), (1, 3), (2, 4), (2, 5)] {
            let parts: [any PersistedMemory] = [
                Counted(number: number, count: count), EventsMemory(sequence: UInt64(sequence)),
            ]
            let text = try encoder.text(of: PersistedState(written: .now, parts: parts))
            let read = try PersistedState(text: text, [Counted.self, EventsMemory.self])
            #expect(read[Counted.self]?.number == number)
            #expect(read[EventsMemory.self]?.sequence == UInt64(sequence))
        }
        #expect(count.encodings.withLock { $0 } == 2)
    }

    @Test func `a state that follows others has the same text as one that is the first`() throws {
        var encoder = StateEncoder()
        let states: [(RegionState, Float, UInt64?)] = [
            (.inside, 1, nil), (.outside, 1, 1), (.outside, 2, 1), (.inside, 2, nil),
        ]
        for (state, learned, sequence) in states {
            let kept = PersistedState(
                written: .now, parts: [presence(state, learned: learned), EventsMemory(sequence: sequence)])
            #expect(try encoder.text(of: kept) == kept.text)
            #expect(try PersistedState(text: kept.text, [PresenceMemory.self, EventsMemory.self]) == kept)
        }
    }

    @Test func `where a region's state and what was learned change apart, one is encoded without the other`() {
        let earlier = presence(.inside, learned: 1).pieces
        let later = presence(.outside, learned: 2).learning(asIn: presence(.inside, learned: 1)).pieces
        #expect(zip(earlier, later).map { $0.isSame(as: $1) } == [false, true])
    }
}

extension Equatable {
    fileprivate func isSame(as other: Any) -> Bool { other as? Self == self }
}
