import HCI
import OkaeriDaemonTestSupport
import OkaeriPlumbing
import OkaeriTestSupport
import OkaeriWiFi
import Synchronization
import Testing

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents

/// The service: events in, requests to a server on loopback out.
@Suite(.timeLimit(.minutes(5))) struct NotificationsTests {
    private let book = LogBook()
    private let hub = EventHub(node: "pi")

    private func configuration(_ targets: [Configuration.NotificationTarget]) -> Configuration {
        var configuration = Configuration(regions: [region()])
        configuration.notify = targets
        return configuration
    }

    /// Runs the service while `body` publishes events.
    private func run(
        _ targets: [Configuration.NotificationTarget], limits: HTTPPost.Limits = .init(),
        delay: BackOff = BackOff(.milliseconds(1), limit: .milliseconds(1)), answers: AnswerAddresses? = nil,
        alert: BluetoothAlert.Limits = .init(), threads: Int = Notifications.threads,
        _ body: (Notifications) async throws -> Void
    ) async throws {
        let notifications = Notifications(
            configuration(targets), hub: hub, language: .english, answers: { _ in answers }, limits: limits,
            delay: delay, alert: BluetoothAlert(limits: alert), threads: threads, logger: book.logger)
        let task = Task { try await notifications.run() }
        try await body(notifications)
        task.cancel()
        _ = try await task.value
    }

    private func happened(_ kind: Event.Kind = enter) { hub.happened(kind, at: evening) }

    @Test func `a server is notified of an arrival`() async throws {
        let server = try TestWebServer { _ in .status(200) }
        try await run([try target(.ntfy, "\(server.address)/s3cr3t-topic")]) { notifications in
            happened()
            try await server.requests.wait(until: "the server is notified") { $0.count == 1 }
            try await eventually("the report shows it") { notifications.reports[0].sent == 1 }
            let report = notifications.reports[0]
            #expect(report.lastSent != nil && report.problem == nil && report.waiting == 0)
            #expect(report.address == server.address && report.target == "notify[0]" && report.type == "ntfy")
        }
        let request = server.requests.value[0]
        #expect(request.head.hasPrefix("POST / HTTP/1.1") && request.body.contains(#""topic":"s3cr3t-topic""#))
    }

    @Test func `a server is notified once that Bluetooth is off, and not of a short interruption`() async throws {
        func update(_ state: BluetoothState) {
            happened(.bluetoothStateDidUpdate(.init(state: state, adapter: "hci0", reason: "it is \(state.rawValue)")))
        }
        let server = try TestWebServer { _ in .status(200) }
        var limits = BluetoothAlert.Limits()
        limits.grace = .seconds(1000)
        try await run([try target(.webhook, server.address)], alert: limits) { notifications in
            for state in [BluetoothState.poweredOff, .poweredOn] { update(state) }
            happened()
            try await server.requests.wait(until: "the arrival is sent") { $0.count == 1 }
        }
        limits.grace = .zero
        try await run([try target(.webhook, server.address)], alert: limits) { notifications in
            update(.poweredOff)
            try await server.requests.wait(until: "the alert is sent") { $0.count == 2 }
            for state in [BluetoothState.poweredOn, .poweredOff, .poweredOn] { update(state) }
            happened()
            try await server.requests.wait(until: "the arrival is sent") { $0.count == 3 }
        }
        let bodies = server.requests.value.map(\.body)
        #expect(bodies[0].contains("didEnterRegion") && bodies[2].contains("didEnterRegion"))
        #expect(bodies[1].contains(#""reason":"it is poweredOff""#))
    }

    @Test func `an alert is not sent again when Bluetooth works`() async throws {
        let refuses = Atomic(true)
        let server = try TestWebServer { _ in .status(refuses.load(ordering: .sequentiallyConsistent) ? 500 : 200) }
        var limits = BluetoothAlert.Limits()
        limits.grace = .zero
        try await run([try target(.webhook, server.address)], alert: limits) { notifications in
            func update(_ state: BluetoothState) {
                happened(.bluetoothStateDidUpdate(.init(state: state, adapter: "hci0", reason: "")))
            }
            update(.poweredOff)
            try await book.logged("is sent again")
            update(.poweredOn)
            // An attempt that has begun ends with its refusal.
            try await eventually("the alert is withdrawn") { notifications.reports[0].waiting == 0 }
            refuses.store(false, ordering: .sequentiallyConsistent)
            happened()
            try await eventually("the arrival is accepted") { notifications.reports[0].sent == 1 }
            #expect(notifications.reports[0].waiting == 0)
        }
        let bodies = server.requests.value.map(\.body)
        #expect(bodies.last?.contains("didEnterRegion") == true)
        #expect(bodies.count { $0.contains("didEnterRegion") } == 1)
    }

    @Test func `a notification is sent again until the server accepts it`() async throws {
        let server = try TestWebServer { .status($0 < 2 ? 500 : 200) }
        try await run([try target(.webhook, "\(server.address)/s3cr3t?key=s3cr3t")]) { notifications in
            happened()
            try await server.requests.wait(until: "the third attempt is made") { $0.count == 3 }
            try await book.logged("notifications are delivered again")
            #expect(notifications.reports[0].sent == 1 && notifications.reports[0].failed == 0)
        }
        #expect(Set(server.requests.value.map(\.body)).count == 1)
        #expect(book.count("the server answers 500") == 1)
        #expect(!book.text.contains { $0.contains("s3cr3t") })
    }

    @Test func `a refused login is given up, and neither the log nor the report has a secret`() async throws {
        let server = try TestWebServer { _ in .status(401) }
        let address = "http://user:s3cr3t-password@127.0.0.1:\(server.port)/s3cr3t-path?s3cr3t-query"
        try await run([try target(.webhook, address)]) { notifications in
            happened()
            try await book.logged("a notification is given up")
            let report = JSON.line(notifications.reports[0])
            #expect(report.contains(#""failed":1"#) && report.contains("refuses the login"))
            #expect(!report.contains("s3cr3t"))
            let tests = try await notifications.test()
            #expect(tests.count == 1 && tests[0].failed == 1 && !JSON.line(tests).contains("s3cr3t"))
        }
        #expect(server.requests.value.count == 2 && book.count("s3cr3t") == 0)
        #expect(server.requests.value[0].head.contains("Authorization: Basic "))
    }

    @Test func `a server that does not answer delays no other server, and its notifications are bounded`() async throws
    {
        let silent = try (0..<7).map { _ in try TestWebServer { _ in .silence } }
        let server = try TestWebServer { _ in .status(200) }
        var limits = HTTPPost.Limits()
        limits.total = .seconds(3600)
        let targets = try (silent + [server]).map { try target(.webhook, $0.address) }
        try await run(targets, limits: limits) { notifications in
            happened()
            for silent in silent { try await silent.requests.wait(until: "its request has arrived") { $0.count == 1 } }
            for count in 1...Outbox.bound {
                try await server.requests.wait(until: "the other server is notified") { $0.count == count }
                happened()
            }
            try await book.logged("the oldest notification that waits is dropped")
            #expect(notifications.reports[0].waiting <= Outbox.bound && notifications.reports[0].dropped > 0)
        }
        #expect(book.count("notifications that wait are not sent") == 1)
        #expect(silent.allSatisfy { $0.requests.value.count == 1 })
    }

    @Test func `beyond the limit of threads, a server waits for one`() async throws {
        let silent = try TestWebServer { _ in .silence }
        let server = try TestWebServer { _ in .status(200) }
        var limits = HTTPPost.Limits()
        limits.total = .milliseconds(100)
        let targets = [
            try target(.webhook, silent.address), try target(.webhook, server.address),
        ]
        try await run(targets, limits: limits, delay: BackOff(.seconds(600), limit: .seconds(600)), threads: 1) {
            notifications in
            happened()
            try await silent.requests.wait(until: "the silent server is asked") { $0.count == 1 }
            #expect(server.requests.value.isEmpty)
            notifications.configured(configuration(Array(targets.dropFirst())))
            try await server.requests.wait(until: "the other server is notified") { $0.count == 1 }
        }
    }

    @Test func `the daemon does not wait for a request when it stops`() async throws {
        let server = try TestWebServer { _ in .silence }
        var limits = HTTPPost.Limits()
        limits.total = .seconds(3600)
        try await run([try target(.webhook, server.address)], limits: limits) { _ in
            happened()
            try await server.requests.wait(until: "the request has arrived") { $0.count == 1 }
        }
        #expect(book.count("1 notification that waits is not sent") == 1)
    }

    @Test func `a reload keeps the notifications of a server that stays`() async throws {
        let isReloaded = Watched(false)
        let server = try TestWebServer { _ in .status(isReloaded.value ? 200 : 500) }
        let stays = try target(.webhook, server.address)
        let gone = try target(.webhook, "http://127.0.0.1:\(try freePort())")
        try await run([gone, stays], delay: BackOff(.milliseconds(20), limit: .milliseconds(20))) { notifications in
            happened()
            try await server.requests.wait(until: "an attempt is made") { !$0.isEmpty }
            notifications.configured(configuration([stays]))
            isReloaded.change { $0 = true }
            try await eventually("the report shows it") { notifications.reports.first?.sent == 1 }
            #expect(notifications.reports.map(\.target) == ["notify[0]"])
            notifications.configured(configuration([]))
            happened()
            #expect(notifications.reports.isEmpty)
            await #expect(throws: NotificationTestFailure.noTarget) { try await notifications.test() }
        }
    }

    @Test func `a prompt carries its links, and is not sent after its answer`() async throws {
        let server = try TestWebServer { .status($0 == 0 ? 500 : 200) }
        let prompt = Event.WiFi(id: "3", ssid: "HomeNet", region: "home")
        let answers = AnswerAddresses(join: "https://pi/answer/a", notNow: "https://pi/answer/b")
        let delay = BackOff(.seconds(600), limit: .seconds(600))
        try await run([try target(.webhook, server.address)], delay: delay, answers: answers) { notifications in
            happened(.wifiPrompt(prompt))
            try await book.logged("it is sent again")
            #expect(server.requests.value[0].body.contains(#""answers":{"join":"https://pi/answer/a""#))
            #expect(notifications.reports[0].waiting == 1)
            happened(.wifiPromptAnswered(prompt, answer: .join))
            try await eventually("none waits") { notifications.reports[0].waiting == 0 }
        }
        #expect(server.requests.value.count == 1)
    }

    @Test func `a prompt that is withdrawn is not sent again`() async throws {
        let server = try TestWebServer { .status($0 == 0 ? 500 : 200) }
        let prompt = Event.WiFi(id: "3", ssid: "HomeNet", region: "home")
        let delay = BackOff(.seconds(600), limit: .seconds(600))
        try await run([try target(.webhook, server.address)], delay: delay) { notifications in
            happened(.wifiPrompt(prompt))
            try await book.logged("it is sent again")
            happened(.wifiPromptWithdrawn(prompt, code: "departed"))
            try await eventually("none waits") { notifications.reports[0].waiting == 0 }
            happened()
            try await server.requests.wait(until: "the arrival is sent") { requests in
                requests.contains { $0.body.contains("didEnterRegion") }
            }
        }
        #expect(server.requests.value.filter { $0.body.contains("wifiPrompt") }.count == 1)
    }

    @Test func `a test is sent to each server, and reports each result`() async throws {
        let servers = [try TestWebServer { _ in .status(200) }, try TestWebServer { _ in .status(404) }]
        let targets = [
            try target(.ntfy, "\(servers[0].address)/topic"), try target(.webhook, "\(servers[1].address)/x"),
        ]
        try await run(targets) { notifications in
            let reports = try await notifications.test()
            #expect(reports.map(\.target) == ["notify[0]", "notify[1]"] && reports.map(\.sent) == [1, 0])
            #expect(reports[0].problem == nil && reports[1].problem?.contains("answers 404") == true)
            #expect(notifications.reports.map(\.sent) == [0, 0])
        }
        #expect(servers[0].requests.value[0].body.contains("A test of the notifications of pi."))
        #expect(servers[1].requests.value[0].body.contains(#""event":"test","node":"pi""#))
    }
}
