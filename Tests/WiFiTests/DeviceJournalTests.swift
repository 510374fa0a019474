import OkaeriDBus
import Testing

@testable import OkaeriNetworkManager

/// NMDeviceState: 30 disconnected, 40 prepare, 50 configuration, 70 address, 120 failed. Reason 7: no secrets, 11: the
/// supplicant took too long, 39: a user asked for it.
struct DeviceJournalTests {
    private static let ours = DeviceJournal.Connection(path: "/active/2", profile: "profile-2")
    private static let other = DeviceJournal.Connection(path: "/active/1", profile: "profile-1")

    private static func journal(_ states: [(UInt32, UInt32, DeviceJournal.Connection?)]) -> DeviceJournal {
        let journal = DeviceJournal(changes: Changes())
        for (state, reason, connection) in states {
            journal.record(DeviceJournal.Entry(state: state, reason: reason, connection: connection))
        }
        return journal
    }

    @Test func `the reason of a failure whose states arrive in one batch, without a connection, is found`() throws {
        let journal = Self.journal([(40, 0, nil), (50, 0, nil), (120, 11, nil), (30, 0, nil)])
        #expect(journal.failure(of: "/active/2")?.reason == nil)
        let end = try #require(journal.end(of: "/active/2"))
        #expect(end.reason == 11)
        #expect(!end.wasAssociated)
    }

    @Test func `the end of a connection that left without failure in one batch is found`() {
        let journal = Self.journal([(40, 0, nil), (50, 0, nil), (110, 39, nil), (30, 39, nil)])
        #expect(journal.end(of: "/active/2")?.reason == 39)
    }

    @Test func `in one batch with another activation that failed before, the last one counts`() throws {
        let journal = Self.journal([
            (40, 0, nil), (50, 0, nil), (120, 7, nil), (30, 0, nil),
            (40, 0, nil), (50, 0, nil), (70, 0, nil), (120, 8, nil), (30, 0, nil),
        ])
        let end = try #require(journal.end(of: "/active/2"))
        #expect(end.reason == 8)
        #expect(end.wasAssociated)
    }

    @Test func `a connection that is known from its failure on begins with the preparation before`() {
        let journal = Self.journal([
            (40, 0, nil), (50, 0, nil), (120, 7, nil), (30, 0, nil),
            (40, 0, nil), (50, 0, nil), (120, 11, Self.ours), (30, 0, Self.ours),
        ])
        #expect(journal.failure(of: "/active/2")?.reason == 11)
    }

    @Test func `the last states of the connection before are not the end of the one that follows it`() {
        let journal = Self.journal([
            (100, 0, Self.other), (110, 39, Self.ours), (30, 39, Self.ours), (40, 0, Self.ours),
        ])
        #expect(journal.end(of: "/active/2")?.reason == nil)
    }

    @Test func `states that carry the connection come before those of others and those without one`() {
        let journal = Self.journal([
            (120, 7, Self.other), (40, 0, Self.ours), (50, 0, Self.ours), (120, 11, nil), (30, 0, nil),
            (40, 0, Self.other), (120, 7, Self.other),
        ])
        #expect(journal.end(of: "/active/2")?.reason == 11)
        #expect(journal.end(of: "profile-2")?.reason == 11)
        #expect(journal.end(of: "/active/3")?.reason == nil)
    }
}
