import IBeacon
import OkaeriConfiguration
import OkaeriEvents
import OkaeriMQTT
import OkaeriNetworkManager
import OkaeriReceivers
import OkaeriWiFi
import Synchronization
import Testing

@testable import OkaeriSetup

/// A console whose answers are written down before, with a simulated machine. It records the sentences, the questions and the
/// calls of the machine. After the last answer the input has ended.
final class Script: Sendable {
    /// The records up to a question, or to the end.
    struct Turn: Equatable {
        var sentences: [String] = []
        var lists: [CandidateList] = []
        /// The steps of the machine, such as `listen`.
        var steps: [String] = []
        var question: String?
        var isSecret = false

        var said: String { sentences.joined(separator: "\n") }
    }

    /// The results of the machine, the first one first.
    struct Machine: Sendable {
        var bluetooth: [SetupBluetooth] = []
        var receptions: [[SetupReception]] = []
        var networks: Result<[VisibleNetwork], JoinFailure> = .success([])
        var condition = NetworkCondition.alreadyConnected
        var calibrations: [Result<Int8, Mistake>] = []
        var applied: [Result<ServiceControl.Outcome, ServiceControl.Failure>] = []
        var added: String?
        var saved: [Result<SavedProfile, JoinFailure>] = []
        var passwordFile: Result<String, WriteObstacle> = .success("/etc/okaeri/mqtt.password")
        var obstacle: WriteObstacle?
        var receivers: Result<[FoundReceiver], Mistake> = .success([])
    }

    private struct State {
        var answers: [String]
        var machine: Machine
        var turns = [Turn()]
        var written: [(text: String, old: String)] = []
        var passwords: [String] = []
        var passphrases: [TypedPassphrase] = []
    }

    private let state: Mutex<State>

    let language: Language

    init(_ answers: [String], machine: Machine = Machine(), language: Language = .english) {
        self.language = language
        state = Mutex(State(answers: answers, machine: machine))
    }

    var turns: [Turn] { state.withLock(\.turns) }
    var last: Turn { turns.last ?? Turn() }
    var written: [(text: String, old: String)] { state.withLock(\.written) }
    var passwords: [String] { state.withLock(\.passwords) }
    var passphrases: [TypedPassphrase] { state.withLock(\.passphrases) }

    private func change<Value>(_ body: (inout State, inout Turn) throws -> sending Value) rethrows -> Value {
        try state.withLock { state in
            var turn = state.turns.removeLast()
            defer { state.turns.append(turn) }
            return try body(&state, &turn)
        }
    }

    private func answer(_ question: String, isSecret: Bool = false) throws -> String {
        change { state, turn in (turn.question, turn.isSecret) = (question, isSecret) }
        return try state.withLock { state in
            guard !state.answers.isEmpty else { throw ConsoleEnded() }
            state.turns.append(Turn())
            return state.answers.removeFirst()
        }
    }

    /// Records a step, and returns the next of its results.
    private func step<Value: Sendable>(
        _ name: String, _ results: @Sendable (inout Machine) -> Value
    ) -> Value {
        change { state, turn in
            turn.steps.append(name)
            return results(&state.machine)
        }
    }
}

extension Script: Console {
    func say(_ sentence: String) { change { _, turn in if !sentence.isEmpty { turn.sentences.append(sentence) } } }

    func ask(_ question: String) async throws -> String { try answer(question).trimmed }

    func askSecret(_ question: String) async throws -> String { try answer(question, isSecret: true) }

    func choose<Lists: AsyncSequence & Sendable>(_ question: String, among lists: Lists) async throws -> String
    where Lists.Element == CandidateList, Lists.Failure == Never {
        for await list in lists { change { _, turn in turn.lists.append(list) } }
        return try answer(question).trimmed
    }

    func during<Value: Sendable>(
        _ step: String?, _ operation: @escaping @Sendable () async -> Value
    ) async throws -> Value {
        await operation()
    }

    func progress(left: Duration, readings: Int) {
        change { _, turn in turn.steps.append("\(left.components.seconds) s left, \(readings) readings") }
    }
}

extension Script: SetupReceiver {
    func bluetooth() async -> SetupBluetooth { step("bluetooth") { $0.bluetooth.takeFirst() ?? .on } }

    func switchOn() async -> SetupBluetooth { step("switchOn") { $0.bluetooth.takeFirst() ?? .on } }

    func listen() async -> AsyncStream<SetupReception> { stream("listen") }

    func measure() async -> AsyncStream<SetupReception> { stream("measure") }

    private func stream(_ name: String) -> AsyncStream<SetupReception> {
        let receptions = step(name) { $0.receptions.takeFirst() ?? [] }
        return AsyncStream { continuation in
            for reception in receptions { continuation.yield(reception) }
            continuation.finish()
        }
    }

    func stop() async { step("stop") { _ in } }

    func calibrate(_ beacons: BeaconConstraint, identifier: String) async -> Result<Int8, Mistake> {
        step("calibrate \(beacons) \(identifier)") { $0.calibrations.takeFirst() ?? .failure(Mistake("none")) }
    }
}

extension Script: SetupNetworks {
    func networks() async -> Result<[VisibleNetwork], JoinFailure> { step("networks") { $0.networks } }

    func condition(of network: HomeNetwork) async -> NetworkCondition {
        step("condition \(network.ssid)") { $0.condition }
    }

    func save(
        _ network: HomeNetwork, with passphrase: TypedPassphrase
    ) async -> Result<SavedProfile, JoinFailure> {
        change { state, _ in state.passphrases.append(passphrase) }
        return step("save \(network.ssid)") { $0.saved.takeFirst() ?? .success(.existing) }
    }
}

extension Script: SetupService {
    func apply() async -> Result<ServiceControl.Outcome, ServiceControl.Failure> {
        step("apply") { $0.applied.takeFirst() ?? .success(.reloaded) }
    }

    func add(_ user: String) async -> String? { step("add \(user)") { $0.added } }

    func writePassword(_ password: String) throws(WriteObstacle) -> String {
        change { state, _ in state.passwords.append(password) }
        return try step("password") { $0.passwordFile }.get()
    }

    func write(_ text: String, replacing old: String) throws(WriteObstacle) {
        if let obstacle = step("write", \.obstacle) { throw obstacle }
        change { state, _ in state.written.append((text, old)) }
    }

    func receivers(at broker: MQTTSettings.Broker) async -> Result<[FoundReceiver], Mistake> {
        step("receivers \(broker.host)") { $0.receivers }
    }

    func showPage(at address: String) async { step("page \(address)") { _ in } }
}

extension Array {
    fileprivate mutating func takeFirst() -> Element? { isEmpty ? nil : removeFirst() }
}

/// The console.
@Suite struct ConsoleTests {
    @Test(arguments: [
        ("", true), ("", false), (" Y ", true), ("yes", true), ("n", false), ("No", false),
    ])
    func `Enter is the default of a yes or no, and a letter or a word decides`(line: String, isYes: Bool) async throws {
        for usual in line.isEmpty ? [isYes] : [true, false] {
            let script = Script([line])
            #expect(try await script.confirm("Go on?", default: usual) == isYes)
            #expect(script.turns.first?.question == (usual ? "Go on? [Y/n] " : "Go on? [y/N] "))
        }
    }

    @Test func `what is neither yes nor no is asked again, and the end of the input is not an answer`() async {
        let script = Script(["two", "of course"])
        await #expect(throws: ConsoleEnded.self) { try await script.confirm("Go on?", default: true) }
        #expect(script.turns.map(\.question) == ["Go on? [Y/n] ", "Answer y or n: ", "Answer y or n: "])
    }

    @Test func `a mistake is shown before the question is asked again`() async throws {
        let script = Script(["a", "5"])
        let number = try await script.ask("A number: ", isSecret: true) { line in
            guard let number = Int(line) else { throw Mistake("That is not a number.") }
            return number
        }
        #expect(number == 5 && script.turns.map(\.said) == ["", "That is not a number.", ""])
        #expect(script.turns.map(\.isSecret) == [true, true, false])
    }
}
