import FoundationEssentials
import Glibc
import OkaeriDaemonTestSupport
import OkaeriMQTT
import OkaeriRooms
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring
import Synchronization
import Testing

@testable import OkaeriClient
@testable import OkaeriConfiguration
@testable import OkaeriDaemon
@testable import OkaeriEvents
@testable import OkaeriHouse
@testable import OkaeriSystemd

/// The whole daemon over a capture and a simulated Wi-Fi, asked over its socket.
@Suite struct DaemonTests {
    private let folder = try? TemporaryFolder()

    /// Runs a daemon on a capture while `body` asks it.
    private func run(
        _ bytes: [UInt8], configuration json: String = Configuration.example,
        _ body: (Daemon, APIClient, inout AsyncStream<Event>.Iterator) async throws -> Void
    ) async throws {
        let folder = try #require(folder)
        let file = try folder.file("capture", bytes)
        let configuration = try folder.file("beacons.json", Array(json.utf8))
        let socket = "\(folder.path)/okaeri.sock"
        let daemon = try Daemon(
            Configuration(file: configuration),
            options: .init(
                configurationFile: configuration, capture: file, speed: 1000, simulatesWiFi: true, socket: socket),
            logger: quiet)
        var events = daemon.allEvents().makeAsyncIterator()
        let task = Task { try await daemon.run(with: []) }
        let client = APIClient(socket: socket, timeLimit: 120)
        try await answering(client)
        try await body(daemon, client, &events)
        task.cancel()
        _ = await task.result
        #expect(!FileManager.default.fileExists(atPath: socket), "the socket is gone with the daemon")
    }

    private func answering(_ client: APIClient) async throws {
        try await eventually("the daemon answers") { (try? await client.text("/v1/status")) != nil }
    }

    private func heard(_ name: String, _ events: inout AsyncStream<Event>.Iterator) async {
        while let event = await events.next() { if event.kind.name.rawValue == name { return } }
        Issue.record("\(name) did not come")
    }

    /// An hour of the beacon once a second, at -70 dBm with Gaussian noise of 6 dB.
    private var noisyHour: [UInt8] {
        var dice = SeededGenerator(seed: 6)
        return capture(
            of: (0..<3600).map { second in
                let radius = Double.random(in: .leastNonzeroMagnitude..<1, using: &dice)
                let noise = 6 * (-2 * log(radius)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &dice))
                return (Double(second), Int8(max(-127, min(20, (-70 + noise).rounded()))))
            })
    }

    @Test(.timeLimit(.minutes(5)))
    func `explain warns of thresholds that are too close for the noise, and only of those`() async throws {
        func region(_ identifier: String, _ exitRSSI: Int) -> String {
            #"{"identifier": "\#(identifier)", "uuid": "\#(uuidText)", "enterRSSI": \#(-140 - exitRSSI), "exitRSSI": \#(exitRSSI)}"#
        }
        let json = #"{"regions": [\#(region("close", -74)), \#(region("apart", -82))]}"#
        try await run(noisyHour, configuration: json) { _, client, _ in
            var status: StatusReport = try await client.get(Route.status)
            try await eventually("the region has flapped 60 times") {
                status = try await client.get(Route.status)
                return status.regions[0].flapping?.returns ?? 0 >= 60
            }
            let flapping = try #require(status.regions[0].flapping)
            // The simulation needs 21 dB.
            #expect(17...24 ~= flapping.distance)
            let text = try #require(RegionExplanation(status, region: "close")).text
            #expect(text.contains("Set exitRSSI at least \(flapping.distance) dB below enterRSSI"), "\(text)")
            #expect(try !#require(RegionExplanation(status, region: "apart")).text.contains("changes too often"))
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a node without its broker is alone, and receives all the same`() async throws {
        let mqtt = #"{ "node": { "name": "hall" }, "mqtt": { "host": "127.0.0.1", "port": 1 },"#
        let json = mqtt + Configuration.example.drop { $0 != "{" }.dropFirst()
        try await run(capture([3, 4, 5], until: 20), configuration: json) { _, client, events in
            await heard("didEnterRegion", &events)
            let status: StatusReport = try await client.get(Route.status)
            #expect(status.regions.map(\.state) == [.inside])
            #expect(status.regions.map(\.house?.state) == [.inside], "a hub decides without its broker")
            #expect(status.mqtt?.connected == false)
            let nodes: NodesReport = try await client.get(Route.nodes)
            #expect(!nodes.connected && nodes.reason.contains("127.0.0.1:1"))
            #expect(nodes.nodes.map(\.online) == [false])
            #expect(nodes.regions.map(\.identifier) == ["home"])
            await #expect {
                _ = try await client.forget(node: "attic")
            } throws: {
                if case APIClient.Failure.refused(503, let sentence) = $0 {
                    sentence.contains("127.0.0.1:1")
                } else {
                    false
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a broker, a name and a listener of a new configuration are in force at once, and presence stays`()
        async throws
    {
        try await run(capture([3, 4, 5], until: 20)) { daemon, client, events in
            await heard("didEnterRegion", &events)
            let folder = try #require(folder)
            func reload(_ keys: String) async throws {
                let json = "{ \(keys) " + Configuration.example.drop { $0 != "{" }.dropFirst()
                _ = try folder.file("beacons.json", Array(json.utf8))
                await daemon.reloader.reload()
            }
            let mqtt = #""mqtt": { "host": "127.0.0.1", "port": 1 },"#
            try await reload(#""node": { "name": "hall" }, \#(mqtt)"#)
            var status: StatusReport = try await client.get(Route.status)
            try await eventually("the broker is tried") {
                status = try await client.get(Route.status)
                return status.mqtt?.lastError?.contains("127.0.0.1:1") == true
            }
            #expect(status.regions.map(\.state) == [.inside] && status.regions.map(\.house?.state) == [.inside])
            #expect(try await client.get(Route.nodes, as: NodesReport.self).node == "hall")
            #expect(daemon.hub.node == "hall")
            // Another name of the node is another connection, which has the states that were known before.
            try await reload(#""node": { "name": "attic" }, \#(mqtt)"#)
            try await eventually("the node has its new name") {
                (try? await client.get(Route.nodes, as: NodesReport.self))?.nodes.map(\.name) == ["attic"]
            }
            try await reload("")
            try await eventually("there is no broker") {
                status = try await client.get(Route.status)
                return status.mqtt == nil
            }
            #expect(status.regions.map(\.state) == [.inside] && status.regions.allSatisfy { $0.house == nil })
            try await reload(#""adapter": 1,"#)
            status = try await client.get(Route.status)
            #expect(status.configuration?.problem?.contains("adapter") == true)
            #expect(status.regions.map(\.state) == [.inside])
            #expect(daemon.hub.tally.events(.didExitRegion) == 0)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a region that is renamed while its beacon is inside is inside for the house`() async throws {
        let mqtt = #"{ "node": { "name": "hall" }, "mqtt": { "host": "127.0.0.1", "port": 1 },"#
        let json = mqtt + Configuration.example.drop { $0 != "{" }.dropFirst()
        try await run(capture([3, 4, 5], until: 20), configuration: json) { daemon, client, events in
            await heard("didEnterRegion", &events)
            let renamed = json.replacing(#""identifier": "home""#, with: #""identifier": "flat""#)
            _ = try #require(folder).file("beacons.json", Array(renamed.utf8))
            await daemon.reloader.reload()
            let status: StatusReport = try await client.get(Route.status)
            #expect(status.regions.map(\.identifier) == ["flat"] && status.regions.map(\.state) == [.inside])
            let broker = try #require(daemon.broker.current)
            #expect(broker.publishedRegion("flat")?.state == .inside)
        }
    }

    /// Runs a daemon at a broker until it ends by itself, and returns whether it asks to be started again.
    private func endsOnRequest(isRestarted: Bool) async throws -> Bool {
        let (folder, mosquitto) = (try #require(folder), try TestBroker())
        let json =
            #"{"node": {"name": "hall"}, "mqtt": {"host": "127.0.0.1", "port": \#(mosquitto.port)},"#
            + Configuration.example.drop { $0 != "{" }.dropFirst()
        let configuration = try folder.file("beacons.json", Array(json.utf8))
        let daemon = try Daemon(
            Configuration(file: configuration),
            options: .init(
                configurationFile: configuration, capture: try folder.file("capture", capture([3], until: 5)),
                speed: 1000,
                simulatesWiFi: true, socket: "\(folder.path)/okaeri.sock", isRestarted: isRestarted),
            logger: quiet)
        let task = Task { try await daemon.run(with: []) }
        try await mosquitto.logged("okaeri.home.hall")
        let publisher = try MQTTClient(
            MQTTSettings(broker: .init(host: "127.0.0.1", port: mosquitto.port), clientID: "home-assistant"),
            onMessage: { _ in })
        let publishing = Task { try await publisher.run() }
        if isRestarted {
            try await eventually("the daemon is subscribed") {
                mosquitto.text.contains("okaeri/home/node/hall/restart")
            }
        } else {
            try await eventually("the daemon is online") { daemon.broker.report?.connected == true }
        }
        publisher.publish(.event("okaeri/home/node/hall/restart", Array("restart".utf8)))
        if !isRestarted {
            try await mosquitto.logged("Received PUBLISH from home-assistant")
            let client = APIClient(socket: "\(folder.path)/okaeri.sock", timeLimit: 120)
            let status: StatusReport = try await client.get(Route.status)
            #expect(status.mqtt?.connected == true)
            task.cancel()
        }
        defer { publishing.cancel() }
        do {
            try await task.value
        } catch is RestartRequested {
            return true
        } catch is CancellationError {}
        return false
    }

    @Test(.timeLimit(.minutes(5)))
    func `a request of Home Assistant ends a daemon that is started again, and no other one`() async throws {
        #expect(try await endsOnRequest(isRestarted: true))
        #expect(try await !endsOnRequest(isRestarted: false))
    }

    @Test(.timeLimit(.minutes(5)))
    func `without a broker there is no house`() async throws {
        try await run(capture([3], until: 5)) { _, client, _ in
            let status: StatusReport = try await client.get(Route.status)
            #expect(status.mqtt == nil && status.regions.allSatisfy { $0.house == nil })
            await #expect {
                _ = try await client.get(Route.nodes, as: NodesReport.self)
            } throws: {
                if case APIClient.Failure.refused(404, StatusReport.noHouse) = $0 { true } else { false }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a arrivalJoin can be followed, answered and looked at`() async throws {
        try await run(capture([3, 4, 5], until: 20)) { _, client, events in
            await heard("wifiPrompt", &events)
            let prompts: PromptsReport = try await client.get("/v1/prompts")
            #expect(prompts.waiting.map(\.ssid) == ["HomeNet"])

            let left = try await client.answer("1", .join).waiting
            #expect(left.isEmpty)
            await heard("wifiJoined", &events)

            let status: StatusReport = try await client.get("/v1/status")
            #expect(status.regions.map(\.state) == [.inside])
            #expect(status.regions.first?.since == "2026-11-20T18:42:03.000Z")
            let judged = status.regions.first?.beacons.first
            #expect((judged?.keepsInside, judged?.exitReason) == (true, "initial"))
            let brief: StatusReport = try await client.get("/v1/status?beacons=false")
            #expect(brief.regions.map(\.state) == [.inside])
            #expect(brief.regions.map(\.beacons) == [[]])
            #expect(status.simulated == ["capture", "wifi"])
            #expect(status.wifi.connectedSSID == "HomeNet")
            #expect(!status.stale)
            #expect(status.counters.iBeacons > 3)
            let regions: [RegionReport] = try await client.get("/v1/regions")
            #expect(regions == status.regions)
            let beacons: [BeaconReport] = try await client.get("/v1/beacons")
            #expect(beacons.map(\.regions) == [[], ["home"]])
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the numbers are those of what happened`() async throws {
        try await run(capture([3, 4, 5], until: 20)) { _, client, events in
            await heard("wifiPrompt", &events)
            _ = try await client.answer("1", .join)
            await heard("wifiJoined", &events)
            let text = try await client.text(Route.metrics)
            for line in [
                #"okaeri_region_state{region="home",state="inside"} 1"#,
                #"okaeri_region_since_timestamp_seconds{region="home"} 1795200123.0"#,
                #"okaeri_events_total{event="didEnterRegion",scope="node"} 1"#, "okaeri_prompts_total 1",
                #"okaeri_prompt_answers_total{answer="join"} 1"#, "okaeri_wifi_joins_total 1",
                "okaeri_prompts_waiting 0", #"okaeri_simulated{part="capture"} 1"#,
                #"okaeri_beacons{of="strangers"} 1"#, "okaeri_healthy 1", "okaeri_scan_restarts_total 0",
            ] {
                #expect(text.contains(line + "\n"), "\(line)")
            }
            #expect(!text.contains(uuidText))
            let health: HealthReport = try await client.get(Route.health)
            #expect(health.healthy && health.warnings.map(\.part) == ["source"])
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a port that is taken is reported, and presence goes on`() async throws {
        let taken = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(taken) }
        // Whatever port the kernel gives.
        #expect(listen(taken, 1) == 0)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(taken, $0, &length) }
        }
        let place = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        let metrics = #"{ "metrics": { "listen": "\#(place)" },"#
        let json = metrics + Configuration.example.drop { $0 != "{" }.dropFirst()
        try await run(capture([3, 4, 5], until: 20), configuration: json) { _, client, events in
            await heard("didEnterRegion", &events)
            var listeners: [ListenerReport]?
            try await eventually("the status has the listeners") {
                listeners = try await client.get(Route.status, as: StatusReport.self).listeners
                return listeners != nil
            }
            #expect(listeners?.map(\.address) == [place])
            #expect(listeners?.first?.problem?.hasPrefix("another program has that port") == true)
            let health: HealthReport = try await client.get(Route.health)
            #expect(health.healthy && health.warnings.map(\.part) == ["metrics", "source"])
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a link to the page is made if there is one, and users who may change the file are prompted`() async throws {
        let web = #"{ "web": { "listen": "127.0.0.1:1", "hosts": ["pi.example.org"] },"#
        let json = web + Configuration.example.drop { $0 != "{" }.dropFirst()
        try await run(capture([3, 4, 5], until: 20), configuration: json) { _, client, events in
            await heard("didEnterRegion", &events)
            let link = try await client.webLink()
            #expect(link.addresses == ["https://pi.example.org/", "http://127.0.0.1:1/"])
            #expect(link.token.utf8.count == 64 && link.seconds == 600)
            #expect(try await client.get(Route.devices, as: [WebDeviceReport].self).isEmpty)
            await #expect(throws: APIClient.Failure.self) { try await client.revoke(device: "0a1b2c") }
            let file: ConfigurationReport = try await client.get(Route.configuration)
            #expect(file.text == json)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `without a page there is no link`() async throws {
        try await run(capture([3], until: 5)) { _, client, _ in
            await #expect {
                _ = try await client.webLink()
            } throws: {
                guard case APIClient.Failure.refused(404, let sentence) = $0 else { return false }
                return sentence.contains("okaeri web on")
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `an answer without effect gets the reason`() async throws {
        try await run(capture([3], until: 20)) { _, client, events in
            await heard("wifiPrompt", &events)
            func refusal(_ id: String, _ answer: PromptAnswer) async -> UInt? {
                do throws(APIClient.Failure) {
                    _ = try await client.answer(id, answer)
                    return nil
                } catch {
                    guard case .refused(let status, let sentence) = error else { return nil }
                    #expect(!sentence.isEmpty)
                    return status
                }
            }
            #expect(await refusal("7", .join) == 404)
            #expect(await refusal("1", .later) == nil)
            #expect(await refusal("1", .join) == 409)
            await #expect(throws: APIClient.Failure.self) { try await client.text("/v1/nothing") }
            await #expect(throws: APIClient.Failure.self) { try await client.clearNever(ssid: "HomeNet") }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `never is taken back`() async throws {
        try await run(capture([3], until: 20)) { _, client, events in
            await heard("wifiPrompt", &events)
            let refused = try await client.answer("1", .never).never
            #expect(refused == ["HomeNet"])
            let cleared = try await client.clearNever(ssid: "HomeNet").never
            #expect(cleared.isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the name of a network comes through as it is`() async throws {
        try await run(capture([3], until: 20)) { _, client, _ in
            let ssid = "a/b+c %41?é&_家"
            do throws(APIClient.Failure) {
                _ = try await client.clearNever(ssid: ssid)
                Issue.record("nothing was to be taken back")
            } catch {
                guard case .refused(404, let sentence) = error else { throw error }
                #expect(sentence.contains("“\(ssid)”"))
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a daemon that is asked while it stops answers or is gone`() async throws {
        for _ in 0..<5 {
            try await withThrowingDiscardingTaskGroup { group in
                try await run(capture([3], until: 4)) { _, client, _ in
                    for _ in 0..<16 {
                        group.addTask { while (try? await client.text("/v1/status")) != nil {} }
                    }
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `a second daemon ends with an error`() async throws {
        try await run(capture([3], until: 20)) { _, client, _ in
            let second = try Daemon(
                Configuration(regions: []),
                options: .init(
                    configurationFile: "", capture: "/dev/null", simulatesWiFi: true, socket: client.socket),
                logger: quiet)
            await #expect(throws: DaemonError.self) { try await second.run(with: []) }
            _ = try await client.text("/v1/status")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the socket is for the owner and the group`() async throws {
        try await run(capture([3], until: 20)) { _, client, _ in
            let attributes = try FileManager.default.attributesOfItem(atPath: client.socket)
            #expect(attributes[.posixPermissions] as? Int == 0o660)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `the service manager is notified of the start, of the watchdog and of the end`() async throws {
        let folder = try #require(folder)
        let systemd = try #require(DatagramReceiver())
        let file = try folder.file("capture", capture([3, 4, 5], until: 100_000))
        let configuration = try folder.file("beacons.json", Array(Configuration.example.utf8))
        let daemon = try Daemon(
            Configuration(file: configuration),
            options: .init(
                configurationFile: configuration, capture: file, simulatesWiFi: true,
                socket: "\(folder.path)/okaeri.sock",
                serviceManager: ServiceManager(
                    environment: ["NOTIFY_SOCKET": systemd.address, "WATCHDOG_USEC": "2000"])),
            logger: quiet)
        let task = Task { try await daemon.run(with: []) }
        var heard: Set<String> = []
        while !heard.isSuperset(of: ["READY=1", "WATCHDOG=1"]) {
            let text = await systemd.text()
            heard.formUnion(text.split(separator: "\n").map(String.init))
        }
        task.cancel()
        _ = await task.result
        while let text = systemd.nextText() { heard.insert(text) }
        #expect(heard.contains("STOPPING=1"))
    }

    @Test func `a socket without a listener is reported as such`() async throws {
        let client = APIClient(socket: "/tmp/okaeri-none.sock")
        await #expect(throws: APIClient.Failure.self) { try await client.text("/v1/status") }
    }
}
