import OkaeriConfiguration
import OkaeriTestSupport
import Synchronization
import Testing

@testable import OkaeriEvents
@testable import OkaeriDaemon

@Suite(.timeLimit(.minutes(5))) struct PageAnnouncerTests {
    private let daemon: BusDaemon
    private let announcer: PageAnnouncer

    init() throws {
        daemon = try BusDaemon()
        announcer = Self.announcer(try Self.configuration(), bus: daemon.address)
    }

    private static func configuration(_ more: String = "", listen: String = "0.0.0.0:8080", node: String = "attic")
        throws
        -> Configuration
    {
        let web = #"{"listen": "\#(listen)"\#(more)}"#
        return try Configuration(
            json: Array(#"{"web": \#(web), "node": {"name": "\#(node)"}, "regions": []}"#.utf8), file: "beacons.json")
    }

    private static func announcer(_ configuration: Configuration, bus: String) -> PageAnnouncer {
        PageAnnouncer(configuration, version: "0.1.0", address: bus) { $0.node.name ?? "" }
    }

    private let open = ListenerReport(name: "web", address: "0.0.0.0:8080")

    /// Runs the announcer during `body`.
    private func running(_ body: () async throws -> Void) async throws {
        let task = Task { [announcer] in try await announcer.run() }
        defer { task.cancel() }
        try await body()
    }

    private func awaitName(_ name: String) async throws {
        try await eventually("the page is found as \(name)") { announcer.report?.name == name }
    }

    @Test func `the page of other machines is announced, and withdrawn when it is off`() async throws {
        let avahi = try await FakeAvahi(daemon.address)
        try await running {
            #expect(announcer.report == nil)
            announcer.listened(open)
            try await awaitName("Okaeri attic")
            let texts = ["path=/", "version=0.1.0", "node=attic"]
            #expect(
                avahi.services
                    == ["_okaeri._tcp", "_http._tcp"].map {
                        .init(name: "Okaeri attic", type: $0, port: 8080, texts: texts)
                    })
            announcer.listened(nil)
            try await avahi.published.wait(until: "the services are withdrawn", \.isEmpty)
            #expect(announcer.report == nil)
        }
    }

    @Test func `a page of this machine alone, a closed one and one without mdns are not announced`() async throws {
        let avahi = try await FakeAvahi(daemon.address)
        try await running {
            announcer.listened(open)
            try await awaitName("Okaeri attic")
            announcer.listened(.init(name: "web", address: "127.0.0.1:8080"))
            try await avahi.published.wait(until: "the services are withdrawn", \.isEmpty)
            announcer.listened(open)
            try await avahi.published.wait(until: "they are back") { !$0.isEmpty }
            announcer.listened(.init(name: "web", address: "0.0.0.0:8080", problem: "the port is taken"))
            try await avahi.published.wait(until: "the services are withdrawn", \.isEmpty)
            announcer.listened(open)
            try await avahi.published.wait(until: "they are back") { !$0.isEmpty }
            announcer.configured(try Self.configuration(#", "mdns": false"#))
            try await avahi.published.wait(until: "the services are withdrawn", \.isEmpty)
            announcer.configured(try Self.configuration(""))
            try await avahi.published.wait(until: "they are back") { !$0.isEmpty }
            announcer.configured(
                try Self.configuration(#", "ingress": "172.30.32.2""#, listen: "172.30.32.1:8080"))
            try await avahi.published.wait(until: "the services are withdrawn", \.isEmpty)
            #expect(announcer.report == nil)
        }
    }

    @Test func `another port and another name are announced in the place of the former ones`() async throws {
        let avahi = try await FakeAvahi(daemon.address)
        try await running {
            announcer.listened(open)
            try await awaitName("Okaeri attic")
            announcer.configured(try Self.configuration(node: "cellar"))
            announcer.listened(.init(name: "web", address: "[::]:81"))
            try await awaitName("Okaeri cellar")
            try await avahi.published.wait(until: "one service is left") {
                $0.count == 1 && $0.values.first?.first?.port == 81
            }
        }
        try await avahi.published.wait(until: "the end withdraws the services", \.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a name that another service has is replaced by the one that Avahi proposes`(isLocal: Bool) async throws {
        let taken: Set = ["Okaeri attic"]
        let avahi = try await FakeAvahi(daemon.address, local: isLocal ? taken : [], remote: isLocal ? [] : taken)
        try await running {
            announcer.listened(open)
            try await awaitName("Okaeri attic #2")
            // More often than once if a call took too long and the connection was made again.
            #expect(Set(avahi.asked.withLock(\.self)) == ["Okaeri attic"])
            #expect(avahi.services?.map(\.name) == ["Okaeri attic #2", "Okaeri attic #2"])
        }
    }

    @Test func `an Avahi that starts later or again publishes the page`() async throws {
        try await running {
            announcer.listened(open)
            try await eventually("the report names Avahi") {
                announcer.report?.problem?.contains("Avahi does not run") == true
            }
            let first = try await FakeAvahi(daemon.address)
            try await awaitName("Okaeri attic")
            await first.end()
            try await eventually("the report names Avahi") { announcer.report?.name == nil }
            let second = try await FakeAvahi(daemon.address)
            try await awaitName("Okaeri attic")
            #expect(second.services?.count == 2)
        }
    }

    @Test func `after a call without an answer the page is announced over another connection`() async throws {
        let announcer = PageAnnouncer(
            try Self.configuration(), version: "0.1.0", address: daemon.address
        ) { $0.node.name ?? "" }
        let avahi = try await FakeAvahi(daemon.address, timeouts: 1)
        let task = Task { try await announcer.run() }
        defer { task.cancel() }
        announcer.listened(open)
        try await eventually("the report names the failure") {
            announcer.report?.problem
                == "the connection to Avahi failed, and is made again: there was no answer in time"
        }
        try await eventually("the page is found") { announcer.report?.name == "Okaeri attic" }
        #expect(avahi.services?.count == 2)
    }

    @Test func `without a bus the report says so`() async throws {
        daemon.kill()
        try await running {
            announcer.listened(open)
            try await eventually("the report names Avahi") {
                announcer.report?.problem?.contains("Avahi does not run") == true
            }
        }
    }

    @Test func `a hostile name is not used, and the number of names is bounded`() {
        for name in ["Okaeri", "", "\u{1B}[2J", String(repeating: "a", count: 64)] {
            var state = AnnouncerState.renaming(name: "Okaeri", attempt: 1)
            #expect(state.handle(.proposed(name), wanted: "Okaeri") == nil)
            guard case .refused = state else {
                Issue.record("\(state)")
                return
            }
        }
        var state = AnnouncerState.waiting
        var action = state.handle(.ready, wanted: "Okaeri")
        var count = 0
        while case .publish? = action {
            count += 1
            action = state.handle(.collided, wanted: "Okaeri")
            if action != nil { action = state.handle(.proposed("Okaeri \(count)"), wanted: "Okaeri") }
        }
        #expect(count == 16 && state == .refused("other machines have 16 names of this service"))
    }

    @Test func `a long name of a node is cut`() {
        let announcement = Announcement(node: String(repeating: "n", count: 64), port: 80, version: "1")
        #expect(announcement.name.utf8.count == 63 && Announcement.isName(announcement.name))
    }

    @Test func `the report names what the network finds`() {
        #expect(
            Language.english.discovery(.init(name: "Okaeri attic")) == #"the network finds the page as "Okaeri attic""#)
        #expect(Language.english.discovery(.init(problem: "no")) == "the network does not find the page: no")
    }
}
