import Foundation
import IBeacon
import OkaeriMQTT
import OkaeriSetup
import OkaeriTestSupport
import RegionMonitoring
import Testing

@testable import OkaeriConfiguration
@testable import okaeri

/// `okaeri join` as people run it, with a real mosquitto.
@Suite(.blocks, .serialized, .timeLimit(.minutes(5))) struct JoinTests {
    private let binary: Binary
    init() throws { binary = try Binary() }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: binary.folder).sorted()) ?? []
    }

    private func configuration() throws -> Configuration {
        let bytes = try Data(contentsOf: URL(filePath: "\(binary.folder)/beacons.json"))
        return try Configuration(json: Array(bytes), file: "beacons.json")
    }

    /// Publishes what a Pi of the house publishes.
    private func publish(_ site: String, to broker: TestBroker) async throws {
        let client = try MQTTClient(
            MQTTSettings(broker: .init(host: "127.0.0.1", port: broker.port), clientID: "hall-\(site)"),
            onMessage: { _ in })
        let running = Task { try await client.run() }
        let messages = [
            "hub": #"{"name":"hall","incarnation":"a1","since":"2026-11-22T17:00:00.000Z"}"#,
            "node/hall/about": #"{"kind":"hub","room":"hall"}"#, "node/hall/status": "online",
        ]
        for (topic, payload) in messages { client.publish(.value("okaeri/\(site)/\(topic)", payload.utf8)) }
        try await broker.logged("'okaeri/\(site)/", times: messages.count)
        client.stop()
        _ = try await running.value
    }

    @Test func `a Pi joins a house by options`() async throws {
        let broker = try TestBroker()
        try await publish("home", to: broker)
        let arguments = [
            "join", "127.0.0.1:\(broker.port)", "--config", "beacons.json", "--username", "", "--room", "Küche",
            "--name",
            "kitchen", "--yes",
        ]
        let outcome = try binary.run(arguments)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("House \"home\", 1 Pi: hall"), "\(outcome)")
        let joined = try configuration()
        #expect(joined.mqtt?.broker == .init(host: "127.0.0.1", port: broker.port) && joined.mqtt?.site == "home")
        #expect((joined.node.name, joined.node.room) == ("kitchen", "Küche"))
        #expect(joined.isReceiver && joined.regions.isEmpty && outcome.output.contains("hub: hall"))
        #expect(files == ["beacons.json"])
        let same = try binary.run(arguments)
        #expect(same.status == 0 && same.output.contains("stays as it is"), "\(same)")
        let report = try binary.run(arguments + ["--json"])
        #expect(report.output.split(separator: "\n").count == 1, "\(report)")
        for part in [#""changed":false"#, #""node":"kitchen""#, #""hub":"hall""#, #""site":"home""#] {
            #expect(report.output.contains(part), "\(report)")
        }
        let taken = try binary.run(arguments.map { $0 == "kitchen" ? "hall" : $0 })
        #expect(taken.status == 1 && taken.errors.contains("another Pi of the house is called hall"), "\(taken)")
    }

    @Test func `a password for another machine is sent and written without encryption only after a decision`() throws {
        let arguments = [
            "join", "0.0.0.0:\(try freePort())", "--config", "beacons.json", "--username", "okaeri", "--room", "r",
            "--name",
            "n",
        ]
        let file = "\(binary.folder)/password"
        try Data("secret word\n".utf8).write(to: URL(filePath: file))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        let complete = arguments + ["--password-file", file, "--yes"]
        let refused = try binary.run(complete)
        #expect(refused.status == 64 && refused.errors.contains("`--no-tls` to send it unencrypted"), "\(refused)")
        let decided = try binary.run(complete + ["--no-tls"])
        #expect(decided.status == 69 && decided.errors.contains("nothing listens"), "\(decided)")

        let terminal = try Pseudoterminal()
        let process = try binary.start(arguments, on: terminal)
        #expect(terminal.read { $0.contains("can read the password. Send it? [y/N] ") }, "\(terminal.text)")
        try terminal.type("\n")
        terminal.end(of: process, within: 30)
        #expect(process.terminationStatus == 1 && terminal.text.contains("nothing was sent or written"))
        #expect(files == ["password"])
    }

    @Test func `the questions become a configuration, and the password a file of its own`() async throws {
        let broker = try TestBroker()
        try await publish("home", to: broker)
        try await publish("office", to: broker)
        let terminal = try Pseudoterminal()
        let process = try binary.start(
            ["join", "127.0.0.1:\(broker.port)", "--config", "beacons.json"], on: terminal)
        let answers = [
            ("for none): ", "okaeri\n"), ("Password of okaeri: ", "secret word\n"), ("Which one? [home] ", "office\n"),
            ("the others: hall) ", "attic\n"), ("among the Pis? [attic] ", "hall\n"), ("among the Pis? [attic] ", "\n"),
            ("mqtt.password? [Y/n] ", "\n"),
        ]
        var shown = 0
        for (question, answer) in answers {
            #expect(terminal.read { $0.dropFirst(shown).contains(question) }, "\(terminal.text)")
            shown = terminal.text.count
            try terminal.type(answer)
        }
        terminal.end(of: process)
        #expect(process.terminationStatus == 0, "\(terminal.text)")
        #expect(!terminal.text.contains("secret"), "the password is shown")
        #expect(files == ["beacons.json", "mqtt.password"])
        let password = "\(binary.folder)/mqtt.password"
        #expect(try String(contentsOfFile: password, encoding: .utf8) == "secret word\n")
        let mode = try FileManager.default.attributesOfItem(atPath: password)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let joined = try configuration()
        #expect(joined.mqtt?.site == "office" && joined.mqtt?.broker.login?.username == "okaeri")
        #expect(joined.mqtt?.broker.login?.passwordFile == password && joined.node.name == "attic")
    }

    @Test func `the set-up of a further Pi joins the house, and at a receiver asks nothing`() async throws {
        let broker = try TestBroker()
        try await publish("home", to: broker)
        let arguments = ["setup", "--config", "beacons.json", "--socket", "none"]
        let terminal = try Pseudoterminal()
        let process = try binary.start(arguments, on: terminal)
        let answers = [
            ("runs Okaeri. [Y/n] ", "n\n"), ("8883: with TLS): ", "127.0.0.1:\(broker.port)\n"), ("for none): ", "\n"),
            ("the others: hall) ", "attic\n"), ("among the Pis? [attic] ", "\n"), ("beacons.json? [Y/n] ", "\n"),
        ]
        for (question, answer) in answers {
            #expect(terminal.read { $0.contains(question) }, "\(terminal.text)")
            try terminal.type(answer)
        }
        terminal.end(of: process)
        #expect(process.terminationStatus == 0, "\(terminal.text)")
        #expect(try configuration().isReceiver && configuration().node.name == "attic", "\(terminal.text)")

        let again = try Pseudoterminal()
        let ended = try binary.start(arguments, on: again)
        again.end(of: ended)
        #expect(ended.terminationStatus == 0 && again.text.contains("This Pi is a receiver"), "\(again.text)")
        #expect(again.text.contains("sudo okaeri join 127.0.0.1:\(broker.port) "), "\(again.text)")
    }

    @Test(arguments: [1, 2])
    func `a set-up that is ended while it joins leaves nothing behind`(question: Int) throws {
        let terminal = try Pseudoterminal()
        let process = try binary.start(["setup", "--config", "beacons.json", "--socket", "none"], on: terminal)
        #expect(terminal.read { $0.contains("runs Okaeri. [Y/n] ") }, "\(terminal.text)")
        try terminal.type("n\n")
        #expect(terminal.read { $0.contains("8883: with TLS): ") }, "\(terminal.text)")
        if question == 2 {
            try terminal.type("127.0.0.1:1\n")
            #expect(terminal.read { $0.contains("for none): ") }, "\(terminal.text)")
            // The set-up has trapped the signal before.
            kill(process.processIdentifier, SIGINT)
        } else {
            try terminal.type("\u{4}")
        }
        terminal.end(of: process, within: 30)
        #expect(process.terminationReason == (question == 2 ? .uncaughtSignal : .exit), "\(terminal.text)")
        #expect(files == [])
    }

    @Test(arguments: [1, 2])
    func `ended at a question it leaves nothing behind`(question: Int) throws {
        let terminal = try Pseudoterminal()
        let process = try binary.start(["join", "127.0.0.1:1", "--config", "beacons.json"], on: terminal)
        #expect(terminal.read { $0.contains("for none): ") }, "\(terminal.text)")
        if question == 2 {
            try terminal.type("okaeri\n")
            #expect(terminal.read { $0.contains("Password of okaeri: ") }, "\(terminal.text)")
        }
        // Ctrl-C in place of a password, the end of the input in place of a name.
        try terminal.type(question == 2 ? "secret\u{3}" : "\u{4}")
        terminal.end(of: process, within: 30)
        #expect(process.terminationStatus == 1 && terminal.text.contains("nothing was written"), "\(terminal.text)")
        #expect(!terminal.text.contains("secret") && files == [])
    }

    @Test func `a broker without a house, and one that does not answer, are reported`() throws {
        let options = ["--config", "beacons.json", "--username", "", "--room", "r", "--name", "n", "--yes"]
        let broker = try TestBroker()
        let empty = try binary.run(["join", "127.0.0.1:\(broker.port)"] + options)
        #expect(empty.status == 1 && empty.errors.contains("okaeri setup"), "\(empty)")
        let refused = try binary.run(["join", "127.0.0.1:\(try freePort())"] + options)
        #expect(refused.status == 69 && refused.errors.contains("nothing listens"), "\(refused)")
        let unasked = try binary.run(["join", "127.0.0.1:1", "--config", "beacons.json"])
        #expect(unasked.status == 64 && unasked.errors.contains("--password-file"), "\(unasked)")
        #expect(files == [])
    }

    @Test func `the remedy of a broker that is not found names the command and not the file`() throws {
        let options = ["--config", "beacons.json", "--username", "", "--room", "r", "--name", "n", "--yes"]
        let outcome = try binary.run(["join", "broker.invalid"] + options)
        #expect(outcome.status == 69 && outcome.errors.contains("does not resolve"), "\(outcome)")
        #expect(!outcome.errors.contains("beacons.json"), "\(outcome)")
    }

    @Test(arguments: ["mqtt://lan", "[::1", "192.168.1", "mqtt.lan:x"])
    func `a broker that is not a host is a mistake in the arguments`(broker: String) throws {
        let outcome = try binary.run(["join", broker, "--config", "beacons.json"])
        #expect(outcome.status == 64 && outcome.errors.contains("is not a HOST or HOST:PORT"), "\(outcome)")
    }

    @Test func `a port behind a zone gets brackets in the proposal`() throws {
        let outcome = try binary.run(["join", "fe80::1%eth0:1884", "--config", "beacons.json"])
        #expect(outcome.status == 64 && outcome.errors.contains("write [fe80::1%eth0]:1884"), "\(outcome)")
    }
}
