import OkaeriDaemonTestSupport
import OkaeriRooms
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Testing

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents

/// The command for each event, and its environment.
@Suite struct HookTests {
    private func region(_ identifier: String, _ commands: [Hook.Trigger: [String]]) throws -> Configuration.Region {
        return Configuration.Region(
            monitored: monitored(identifier: identifier), network: try HomeNetwork(ssid: "HomeNet"),
            onEnter: commands[.onEnter] ?? [],
            onExit: commands[.onExit] ?? [], onPrompt: commands[.onPrompt] ?? [])
    }

    private func command(_ kind: Event.Kind, _ regions: [Configuration.Region]) -> [String]? {
        Hook(for: Event(time: evening, kind: kind), regions: regions)?.command
    }

    @Test func `an event runs the command of its region and its kind`() throws {
        let regions = [
            try region("home", [.onEnter: ["/in"], .onPrompt: ["/ask"]]), try region("shed", [.onExit: ["/out"]]),
        ]
        #expect(command(enter, regions) == ["/in"])
        #expect(command(.didExitRegion(region: "home"), regions) == nil)
        #expect(command(.didExitRegion(region: "shed"), regions) == ["/out"])
        #expect(command(.didDetermineState(region: "home", .inside), regions) == nil)
        #expect(command(.wifiPrompt(.init(id: "1", ssid: "HomeNet", region: "home")), regions) == ["/ask"])
        #expect(command(.wifiPrompt(.init(id: "1", ssid: "Other", region: "home")), regions) == nil)
    }

    @Test func `a hook of the house is run by the owner, and not for what one node receives`() throws {
        var keys = try region("home", [.onEnter: ["/in"], .onExit: ["/out"], .onPrompt: ["/ask"]])
        let house = { (isOwner: Bool) -> [Event.Kind] in
            [
                .house(region: "home", .didEnterRegion(room: "hall", isOwner: isOwner)),
                .house(region: "home", .didExitRegion(isOwner: isOwner)),
            ]
        }
        let node: [Event.Kind] = [enter, .didExitRegion(region: "home")]
        #expect((house(true) + house(false)).map { command($0, [keys]) } == [nil, nil, nil, nil])
        keys.scope = .house
        #expect(house(true).map { command($0, [keys]) } == [["/in"], ["/out"]])
        #expect((house(false) + node).map { command($0, [keys]) } == [nil, nil, nil, nil])
        #expect(command(.house(region: "shed", .didExitRegion(isOwner: true)), [keys]) == nil)
        // A prompt is always one node's.
        #expect(command(.wifiPrompt(.init(id: "1", ssid: "HomeNet", region: "home")), [keys]) == ["/ask"])
        keys.monitored.notifyOnEntry = false
        #expect(house(true).map { command($0, [keys]) } == [nil, ["/out"]])
    }

    @Test func `a prompt about a shared network runs hooks once, of the region that was entered first`() throws {
        let prompt = Event.Kind.wifiPrompt(.init(id: "1", ssid: "HomeNet", region: "shed"))
        let home = try region("home", [.onPrompt: ["/home"]])
        #expect(command(prompt, [home, try region("shed", [.onPrompt: ["/shed"]])]) == ["/shed"])
        #expect(command(prompt, [home, try region("shed", [:])]) == ["/home"])
    }

    @Test func `the environment contains the event`() throws {
        let always = [
            "OKAERI_TIME": "2026-11-20T18:42:00.000Z", "OKAERI_REGION": "home", "OKAERI_SOCKET": "/s",
            "OKAERI_UUID": uuidText, "OKAERI_MAJOR": "100", "OKAERI_MINOR": "100",
        ]
        let cases: [(Event.Kind, [String: String])] = [
            (
                enter,
                [
                    "OKAERI_EVENT": "didEnterRegion", "OKAERI_STATE": "inside", "OKAERI_RSSI": "-78",
                    "OKAERI_ACCURACY": "2.1", "OKAERI_PROXIMITY": "near",
                ]
            ),
            (.didExitRegion(region: "home"), ["OKAERI_EVENT": "didExitRegion", "OKAERI_STATE": "outside"]),
            (
                .house(region: "home", .didEnterRegion(room: "hall", isOwner: true)),
                [
                    "OKAERI_EVENT": "didEnterRegion", "OKAERI_STATE": "inside", "OKAERI_ROOM": "hall",
                    "OKAERI_SCOPE": "house", "OKAERI_OWNER": "true",
                ]
            ),
            (
                .wifiPrompt(.init(id: "7", ssid: "HomeNet", region: "home")),
                ["OKAERI_EVENT": "wifiPrompt", "OKAERI_PROMPT": "7", "OKAERI_SSID": "HomeNet"]
            ),
        ]
        for (kind, own) in cases {
            #expect(try hook(["/x"], kind).environment(socket: "/s") == always.merging(own) { _, own in own })
        }
    }

    @Test func `a name that no environment can hold is left out`() throws {
        let region = Configuration.Region(monitored: monitored(identifier: "ho\u{0}me"), network: nil, onEnter: ["/x"])
        let event = Event(time: evening, kind: .didExitRegion(region: "ho\u{0}me"))
        #expect(Hook(for: event, regions: [region]) == nil)
        var exit = region
        exit.onExit = ["/x"]
        let variables = try #require(Hook(for: event, regions: [exit])).environment(socket: "/s")
        #expect(variables["OKAERI_REGION"] == nil)
        #expect(variables["OKAERI_STATE"] == "outside")
    }
}

@Suite struct HookQueueTests {
    private var queue = HookQueue()

    private func numbered(_ number: Int, identifier: String = "home") throws -> Hook {
        try hook(
            ["/x"], .didExitRegion(region: identifier), identifier: identifier, at: evening + Int64(number))
    }

    @Test mutating func `one runs, the others wait in order`() throws {
        #expect(queue.arrived(try numbered(0)) == [.run(try numbered(0))])
        #expect(queue.arrived(try numbered(1)) == [])
        #expect(queue.arrived(try numbered(2)) == [])
        #expect(queue.finished(.region("home")) == [.run(try numbered(1))])
        #expect(queue.finished(.region("home")) == [.run(try numbered(2))])
        #expect(queue.finished(.region("home")) == [])
        #expect(queue.arrived(try numbered(3)) == [.run(try numbered(3))])
    }

    @Test mutating func `another region does not wait for it`() throws {
        _ = queue.arrived(try numbered(0))
        #expect(queue.arrived(try numbered(1, identifier: "shed")) == [.run(try numbered(1, identifier: "shed"))])
    }

    @Test mutating func `as many wait as may, then the oldest goes and is counted`() throws {
        _ = queue.arrived(try numbered(0))
        for number in 1...HookQueue.bound { #expect(queue.arrived(try numbered(number)) == []) }
        #expect(queue.arrived(try numbered(98)) == [.dropped(try numbered(1), total: 1)])
        #expect(queue.arrived(try numbered(99)) == [.dropped(try numbered(2), total: 2)])
        #expect(queue.finished(.region("home")) == [.run(try numbered(3))])
    }

    @Test mutating func `hooks that waited at the end are reported`() throws {
        for number in 0..<3 { _ = queue.arrived(try numbered(number)) }
        let waited = queue.stopped()
        #expect(waited == [try numbered(1), try numbered(2)])
        #expect(queue.finished(.region("home")) == [])
    }
}

@Suite struct HookOutputTests {
    private var output = HookOutput()

    @Test mutating func `lines come whole, however they are cut on the way`() {
        #expect(output.received("one\ntw".utf8) == ["one"])
        #expect(output.received("o\n\nthree".utf8) == ["two", ""])
        #expect(output.ended() == ["three"])
        #expect(output.ended() == [])
    }

    @Test(arguments: [(HookOutput.longestLine, ""), (HookOutput.longestLine + 1, "…")])
    func `a line has its bound`(length: Int, mark: String) {
        var output = HookOutput()
        let line = String(repeating: "x", count: length)
        #expect(output.received("\(line)\n".utf8) == [line.prefix(HookOutput.longestLine) + mark])
        #expect(output.received("y\n".utf8) == ["y"], "the next line is whole")
    }

    @Test(arguments: [(HookOutput.mostLines, []), (HookOutput.mostLines + 3, ["… and 3 more lines"])])
    func `the lines have their bound`(count: Int, last: [String]) {
        var output = HookOutput()
        let lines = output.received(String(repeating: "x\n", count: count).utf8)
        #expect(lines.count == HookOutput.mostLines)
        #expect(output.ended() == last)
    }
}
