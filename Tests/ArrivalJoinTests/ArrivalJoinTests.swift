import Logging
import OkaeriDaemonTestSupport
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents
@testable import OkaeriPlumbing

/// The arrival's way from the region's state to the joined network, with a Wi-Fi that is not there.
@Suite struct ArrivalJoinTests {
    private let hub = EventHub()
    private let wifi = SimulatedWiFi(inSight: ["HomeNet"], joinDelay: .zero)

    private func region(_ join: JoinPolicy) throws -> Configuration.Region {
        Configuration.Region(
            monitored: monitored(), network: try HomeNetwork(ssid: "HomeNet", join: join), onEnter: [], onExit: [])
    }

    private func determine(_ state: RegionState) {
        hub.publish(Event(time: evening, kind: .didDetermineState(region: "home", state)))
    }

    /// Runs a arrivalJoin while `body` watches the events that it leads to.
    private func run(
        _ join: JoinPolicy, restoring memory: PromptMemory? = nil, inside: Set<String> = ["home"],
        accessLimit: Duration = .seconds(600), logger: Logger = quiet,
        clock: PrompterClock = .init { Moment(instant: KernelClock.boottime, wall: evening) },
        _ body: (ArrivalJoin, inout AsyncStream<Event>.Iterator) async throws -> Void
    ) async throws {
        let arrivalJoin = ArrivalJoin(
            regions: [try region(join)], wifi: wifi, hub: hub, lastInside: { inside },
            clock: clock, accessLimit: accessLimit, logger: logger)
        if let memory {
            await arrivalJoin.restore(memory, from: PersistedPast(age: nil, isStale: false))
        }
        var events = hub.events().makeAsyncIterator()
        let task = Task { try await arrivalJoin.run() }
        try await body(arrivalJoin, &events)
        task.cancel()
        _ = await task.result
    }

    /// The next event about Wi-Fi.
    private func next(_ events: inout AsyncStream<Event>.Iterator) async -> Event.Kind? {
        while let event = await events.next() { if event.kind.name.rawValue.hasPrefix("wifi") { return event.kind } }
        return nil
    }

    private let prompted = Event.WiFi(id: "1", ssid: "HomeNet", region: "home")

    @Test func `an arrival is asked about once, and joined when the answer is to join`() async throws {
        try await run(.prompt) { arrivalJoin, events in
            determine(.inside)
            #expect(await next(&events) == .wifiPrompt(prompted))
            #expect(await arrivalJoin.prompts.waiting.map(\.id) == ["1"])
            // An adapter that is lost and found is not a second arrival.
            determine(.unknown)
            determine(.inside)
            try await arrivalJoin.answered("1", .join)
            #expect(await next(&events) == .wifiPromptAnswered(prompted, answer: .join))
            #expect(await next(&events) == .wifiJoined(prompted, device: "simulated0"))
            #expect(await arrivalJoin.prompts.waiting.isEmpty)
            await #expect(throws: PromptAnswerError.self) { try await arrivalJoin.answered("1", .join) }
        }
    }

    @Test func `auto joins without a question`() async throws {
        try await run(.auto) { _, events in
            determine(.inside)
            #expect(
                await next(&events)
                    == .wifiJoined(.init(id: nil, ssid: "HomeNet", region: "home"), device: "simulated0"))
        }
    }

    @Test func `a failed join is published with its code and its sentence`() async throws {
        wifi.fail("HomeNet", with: .wrongPassphrase(ssid: "HomeNet"))
        try await run(.prompt) { arrivalJoin, events in
            determine(.inside)
            _ = await next(&events)
            try await arrivalJoin.answered("1", .join)
            _ = await next(&events)
            guard case .wifiJoinFailed(let wifi, let code, let reason)? = await next(&events) else {
                Issue.record("the join did not fail")
                return
            }
            #expect((wifi, code) == (prompted, "wrongPassphrase"))
            #expect(reason.contains("HomeNet"))
        }
    }

    @Test func `an arrival without a device is published, and prompts when there is one`() async throws {
        wifi.change { $0.device = nil }
        try await run(.prompt) { _, events in
            determine(.inside)
            guard case .wifiUnavailable(_, let code, _)? = await next(&events) else {
                Issue.record("nothing was announced")
                return
            }
            #expect(code == "noWiFiDevice")
            wifi.change { $0.device = "wlan0" }
            #expect(await next(&events) == .wifiPrompt(prompted))
        }
    }

    @Test func `an arrival with Wi-Fi off asks whether to switch it on, and the answer does`() async throws {
        wifi.change { $0.radioEnabled = false }
        try await run(.prompt) { arrivalJoin, events in
            determine(.inside)
            var question = prompted
            question.situation = .radioOff
            #expect(await next(&events) == .wifiPrompt(question))
            try await arrivalJoin.answered("1", .join)
            #expect(await next(&events) == .wifiPromptAnswered(question, answer: .join))
            guard case .wifiJoined? = await next(&events) else {
                Issue.record("it was not joined")
                return
            }
            #expect(wifi.state.radioEnabled)
        }
    }

    @Test func `a question that is not needed any more is withdrawn by an event`() async throws {
        try await run(.prompt) { _, events in
            determine(.inside)
            #expect(await next(&events) == .wifiPrompt(prompted))
            determine(.outside)
            #expect(await next(&events) == .wifiPromptWithdrawn(prompted, code: "departed"))
        }
    }

    @Test func `never is kept until it is taken back`() async throws {
        try await run(.prompt) { arrivalJoin, events in
            determine(.inside)
            _ = await next(&events)
            try await arrivalJoin.answered("1", .never)
            #expect(await arrivalJoin.prompts.never == ["HomeNet"])
            #expect(await arrivalJoin.neverCleared(ssid: "HomeNet"))
            #expect(await !arrivalJoin.neverCleared(ssid: "HomeNet"))
            #expect(await arrivalJoin.prompts.never.isEmpty)
        }
    }

    @Test func `an answer of never is named in the log when the policy changes to auto`() async throws {
        let book = LogBook()
        try await run(.prompt, logger: book.logger) { arrivalJoin, events in
            determine(.inside)
            _ = await next(&events)
            try await arrivalJoin.answered("1", .never)
            determine(.outside)
            determine(.inside)
            try await book.logged("okaeri prompts --clear")
            await arrivalJoin.configured(Configuration(regions: [try region(.auto)]))
            try await book.logged("okaeri prompts --clear", times: 2)
            #expect(wifi.state.connectedSSID == nil)
        }
    }

    @Test func `the status counts the prompts, and names the end of the cool-down and its cause`() async throws {
        let book = LogBook()
        try await run(.prompt, logger: book.logger) { arrivalJoin, events in
            #expect(await arrivalJoin.reports == [NetworkPromptsReport(ssid: "HomeNet", prompts: 0)])
            determine(.inside)
            _ = await next(&events)
            determine(.outside)
            _ = await next(&events)
            determine(.inside)
            try await book.logged("no prompt for “HomeNet”")
            let report = try #require(await arrivalJoin.reports.first)
            #expect(report.prompts == 1 && report.coolDownCode == "recentOffer" && report.coolDownReason != nil)
            let end = try #require(report.coolDownUntil.flatMap(Timestamp.nanoseconds))
            #expect(evening...(evening + 300_000_000_000) ~= end)
        }
    }

    @Test func `a network that is connected already has no cool-down, and none is logged`() async throws {
        let book = LogBook()
        try await run(.prompt, logger: book.logger) { arrivalJoin, events in
            determine(.inside)
            _ = await next(&events)
            determine(.outside)
            _ = await next(&events)
            wifi.change { $0.connectedSSID = "HomeNet" }
            determine(.inside)
            // The next arrival is handled after this one.
            determine(.outside)
            wifi.change { $0.connectedSSID = nil }
            determine(.inside)
            try await book.logged("no prompt for “HomeNet”")
            wifi.change { $0.connectedSSID = "HomeNet" }
            #expect(await arrivalJoin.reports.first?.coolDownUntil == nil)
        }
    }

    @Test func `the cool-down of a replay is on the capture's clock`() async throws {
        let time = Watched<Int64>(evening)
        let clock = PrompterClock(speed: 60) { Moment(recorded: time.value) }
        try await run(.prompt, clock: clock) { arrivalJoin, events in
            determine(.inside)
            #expect(await next(&events) == .wifiPrompt(prompted))
            determine(.outside)
            _ = await next(&events)
            time.change { $0 += 200_000_000_000 }
            determine(.inside)
            try await eventually("the cool-down waits") { await arrivalJoin.reports.first?.coolDownUntil != nil }
            #expect(await arrivalJoin.reports.first?.coolDownUntil == Timestamp.text(evening + 300_000_000_000))
            time.change { $0 += 100_000_000_000 }
            var second = prompted
            second.id = "2"
            #expect(await next(&events) == .wifiPrompt(second))
        }
    }

    @Test func `a capture's clock is looked at again and again, because it may stand still`() {
        let clock = PrompterClock(speed: 2) { Moment(recorded: 0) }
        #expect(clock.delay(until: .init(nanoseconds: 1_000_000_000)) == .milliseconds(500))
        #expect(clock.delay(until: .init(nanoseconds: .max)) == .seconds(1))
        #expect(clock.delay(until: .init(nanoseconds: 0)) == .milliseconds(10))
        let machine = PrompterClock { Moment(recorded: 0) }
        #expect(machine.delay(until: .init(nanoseconds: 300_000_000_000)) == .seconds(300))
    }

    private let unasked = Event.WiFi(id: nil, ssid: "HomeNet", region: "home")

    @Test
    func `a captive portal that appears after the join is reported at once, with the address to open`() async throws {
        wifi.change { $0.internet = .limited }
        try await run(.auto, accessLimit: .seconds(600)) { _, events in
            determine(.inside)
            #expect(await next(&events) == .wifiJoined(unasked, device: "simulated0"))
            let portal = InternetAccess.portal(address: "http://check.example")
            wifi.change { $0.internet = portal }
            let reason = "the network requires a login on a web page; open http://check.example in a browser"
            #expect(await next(&events) == .wifiAccessLimited(unasked, code: "captivePortal", reason: reason))
        }
    }

    @Test func `a network that is joined and does not reach the Internet is reported after the time for the check`()
        async throws
    {
        wifi.change { $0.internet = .limited }
        try await run(.prompt, accessLimit: .milliseconds(50)) { arrivalJoin, events in
            determine(.inside)
            #expect(await next(&events) == .wifiPrompt(prompted))
            try await arrivalJoin.answered("1", .join)
            #expect(await next(&events) == .wifiPromptAnswered(prompted, answer: .join))
            #expect(await next(&events) == .wifiJoined(prompted, device: "simulated0"))
            let reason = "the network does not reach the Internet; check the router and its line"
            #expect(await next(&events) == .wifiAccessLimited(prompted, code: "noInternet", reason: reason))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the portal of the device that joined is reported, although another device is connected`() async throws {
        try await run(.auto) { _, events in
            determine(.inside)
            #expect(await next(&events) == .wifiJoined(unasked, device: "simulated0"))
            wifi.change {
                $0.device = "wlan0"
                $0.connectedSSID = "Office"
                $0.otherConnections = [.init(device: "simulated0", ssid: "HomeNet", internet: .portal(address: nil))]
            }
            guard case .wifiAccessLimited(unasked, "captivePortal", _)? = await next(&events) else {
                Issue.record("the portal is not reported")
                return
            }
        }
    }

    @Test func `a region that gets a network while it is inside is an arrival`() async throws {
        try await run(.off) { arrivalJoin, events in
            determine(.inside)
            await arrivalJoin.configured(Configuration(regions: [try region(.prompt)]))
            #expect(await next(&events) == .wifiPrompt(prompted))
            await arrivalJoin.configured(Configuration(regions: []))
            #expect(await arrivalJoin.prompts.waiting.isEmpty)
        }
    }

    private func kept(settled: Bool) -> PromptMemory {
        let prompt = settled ? nil : "4"
        let visit = PromptMemory.Visit(
            ssid: "HomeNet", regions: ["home"], arrival: 2, isSettled: settled, prompt: prompt)
        return PromptMemory(nextPrompt: 5, visits: [visit])
    }

    @Test func `a visit that was done with before a restart stays so, the next one is asked about`() async throws {
        try await run(.prompt, restoring: kept(settled: true)) { arrivalJoin, events in
            determine(.inside)
            determine(.outside)
            determine(.inside)
            #expect(await next(&events) == .wifiPrompt(.init(id: "5", ssid: "HomeNet", region: "home")))
            #expect(await arrivalJoin.prompts.waiting.map(\.arrival) == [3])
            #expect(await arrivalJoin.memory.prompts.visits.map(\.prompt) == ["5"])
        }
    }

    @Test func `a prompt that waited before a restart is put again, if the region was not left`() async throws {
        try await run(.prompt, restoring: kept(settled: false)) { _, events in
            determine(.inside)
            #expect(await next(&events) == .wifiPrompt(.init(id: "4", ssid: "HomeNet", region: "home")))
        }
        try await run(.prompt, restoring: kept(settled: false), inside: []) { _, events in
            determine(.inside)
            #expect(await next(&events) == .wifiPrompt(.init(id: "5", ssid: "HomeNet", region: "home")))
        }
    }
}
