import OkaeriTestSupport
import OkaeriWiFi
import Testing

/// ``JoinPrompter`` does what ``NaivePrompter`` does, whatever happens in whatever order.
struct PrompterModelTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `the prompter follows the rules whatever happens`(part: UInt64) throws {
        for seed in part * 20..<(part + 1) * 20 {
            var run = try PrompterRun(seed: seed)
            for _ in 0..<150 where run.fault == nil { run.step() }
            if let fault = run.fault {
                Issue.record("seed \(seed): \(fault)\nafter \(run.log.suffix(15).joined(separator: "\n"))")
                return
            }
        }
    }
}

/// Both prompters on one road.
private struct PrompterRun {
    private var random: SeededGenerator
    private var now = Scene.at(0)
    private var prompter = Prompter()
    private var naive = NaivePrompter()
    private let networks: [HomeNetwork]
    /// The time of each network's last offer under a new number, and the waiting prompts.
    private var offered: [String: Instant] = [:]
    private var waiting: Set<Prompt> = []
    private var newest = 0
    private(set) var log: [String] = []
    private(set) var fault: String?

    private static let regions = ["door", "garden", "gate", "office"]

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        networks =
            try ["Home", "Work"].flatMap { ssid in try JoinPolicy.allCases.map { try HomeNetwork(ssid: ssid, join: $0) }
            }
            + ["Home", "Work"].map { try HomeNetwork(ssid: $0, passphraseFile: "/etc/okaeri/\($0).psk") }
            + [
                HomeNetwork(ssid: "Home", join: .auto, whenOnline: .always),
                HomeNetwork(ssid: "Home", whenOnline: .always),
                HomeNetwork(ssid: "Work", whenOnline: .never),
                HomeNetwork(ssid: "Home", join: .auto, onDeparture: .leave),
                HomeNetwork(ssid: "Home", onDeparture: .leave),
                HomeNetwork(ssid: "Home", join: .auto, onArrival: .hotspot, onDeparture: .hotspotOff),
                HomeNetwork(ssid: "Work", join: .auto, onDeparture: .radioOff),
                HomeNetwork(ssid: "Work", onArrival: .radioOn, onDeparture: .radioOff),
                HomeNetwork(ssid: "Work", onArrival: .hotspot, onDeparture: .radioOff),
            ]
    }

    private mutating func chosen<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    mutating func step() {
        let next = now.advanced(by: .seconds(Int.random(in: 0...chosen([0, 1, 10, 60, 400, 2000]), using: &random)))
        if Int.random(in: 0..<5, using: &random) > 0 {
            while fault == nil, let deadline = prompter.nextDeadline, deadline <= next {
                now = max(now, deadline)
                compare("advanced", prompter.advanced(to: now), naive.advanced(to: now))
            }
        }
        now = next
        happen()
        if fault == nil { compareKnowledge() }
    }

    private mutating func happen() {
        let region = chosen(Self.regions)
        switch Int.random(in: 0..<100, using: &random) {
        case ..<25:
            let network = chosen(networks)
            compare(
                "\(region) arrived: \(network)", prompter.arrived(region: region, network: network, at: now),
                naive.arrived(region, network, at: now))
        case ..<38:
            compare(
                "\(region) departed", prompter.departed(region: region, at: now), naive.departed(region, at: now))
        case ..<62:
            let ticket = naive.tickets - Int.random(in: 0...2, using: &random)
            let condition = chosen([
                NetworkCondition.ready(via: .savedProfile), .ready(via: .passphraseFile), .alreadyConnected,
                .unavailable(.radioOff), .unavailable(.notInSight(ssid: "Home")), .connecting, .switchedOff(),
                .switchedOff(isCountryUnset: true), .switchedOff(otherConnection: .ethernet),
                .ready(JoinReadiness(credentials: .savedProfile, strength: 10)),
                .ready(JoinReadiness(credentials: .savedProfile, strength: 45)),
                .ready(JoinReadiness(credentials: .savedProfile, otherConnection: .ethernet)),
                .ready(JoinReadiness(credentials: .savedProfile, isDisconnectedByUser: true)),
                .ready(JoinReadiness(endsConnection: true)), .ready(JoinReadiness(isLoggedInOver: true)),
            ])
            compare(
                "\(ticket) is \(condition)", prompter.conditionDetermined(ticket: ticket, condition, at: now),
                naive.determined(ticket, condition, at: now))
        case ..<74: answer(String(naive.nextPrompt - Int.random(in: 0...2, using: &random)))
        case ..<82:
            let id = naive.attempts - Int.random(in: 0...1, using: &random)
            let result: Result<JoinedNetwork, JoinFailure> = chosen([
                .success(Scene.joined), .failure(.wrongPassphrase(ssid: "Home")), .failure(.interrupted),
                .failure(.radioOff), .failure(.timedOut(ssid: "Home")),
                .failure(.handshakeFailed(ssid: "Home", strength: 20)),
                .failure(.handshakeFailed(ssid: "Home", strength: 80)),
            ])
            compare(
                "attempt \(id): \(result)", prompter.actionFinished(id, result: result, at: now),
                naive.finished(id, result, at: now))
        case ..<91: compare("Wi-Fi changed", prompter.wifiChanged(at: now), naive.wifiChanged())
        case ..<94: compare("advanced", prompter.advanced(to: now), naive.advanced(to: now))
        case 94:
            let known = Set((0..<4).map { _ in chosen(networks) })
            compare("configured", prompter.configured(known), naive.configured(known))
        case ..<97:
            let ssid = chosen(networks).ssid
            compare(
                "never cleared", prompter.neverCleared(ssid: ssid, at: now) ?? [], naive.neverCleared(ssid, at: now))
        default: restart()
        }
    }

    private mutating func answer(_ id: String) {
        let answer = chosen(PromptAnswer.allCases)
        let answered = Result { () throws(PromptAnswerError) in try prompter.answered(id, answer, at: now) }
        let expected = Result { () throws(PromptAnswerError) in try naive.answered(id, answer) }
        compare("\(id): \(answer)", (try? answered.get()) ?? [], (try? expected.get()) ?? [])
        if answered != expected { fault = "\(answered) should be \(expected)" }
    }

    private mutating func restart() {
        var regions: [String: HomeNetwork] = [:]
        for region in Self.regions { regions[region] = chosen(networks) }
        log.append("\(now.offset): restarted with \(regions)")
        let memory = prompter.memory(at: now)
        prompter = Prompter()
        prompter.restored(memory, networks: regions, at: now)
        naive = naive.restarted(regions, at: now)
        waiting = []
        // A network whose regions name another one at the start is dropped with its cool-downs.
        let (offers, departures) = (
            naive.networks.filter { $0.lastOffer != nil }, naive.networks.filter { $0.lastDeparture != nil }
        )
        let kinds = offers.map(\.ssid) + departures.map { "\($0.ssid) departed" }
        offered = offered.filter { kinds.contains($0.key) }
    }

    private mutating func compare(_ event: String, _ actions: [PrompterAction], _ expected: [PrompterAction]) {
        log.append("\(now.offset): \(event) → \(actions)")
        if actions != expected { fault = "it should be \(expected)" }
        for action in actions {
            switch action {
            case .announce(let prompt):
                // A prompt from before a restart is put again under its number.
                let isNew = (Int(prompt.id) ?? 0) > newest
                newest = max(newest, Int(prompt.id) ?? 0)
                let kind = prompt.ssid + (prompt.situation?.action.isOfDeparture == true ? " departed" : "")
                if isNew, let last = offered[kind], last.duration(to: now) < .seconds(300) {
                    fault = "asked twice within the cool-down"
                }
                offered[kind] = now
                waiting.insert(prompt)
            case .withdraw(let prompt, _):
                if waiting.remove(prompt) == nil { fault = "\(prompt) was withdrawn and did not wait" }
            case .determineCondition, .startAction, .actionCompleted, .actionFailed, .note: break
            }
        }
    }

    private mutating func compareKnowledge() {
        if prompter.prompts != naive.prompts || Set(naive.prompts) != waiting {
            fault = "\(prompter.prompts) wait, and it should be \(naive.prompts)"
        }
        if prompter.nextDeadline != naive.nextDeadline {
            fault = "the next deadline \(prompter.nextDeadline as Any) should be \(naive.nextDeadline as Any)"
        }
        let (networks, reports) = (prompter.networks(at: now), naive.reports(at: now))
        if networks != reports { fault = "\(networks) should be \(reports)" }
        let (memory, expected) = (prompter.memory(at: now), naive.memory(at: now))
        if memory != expected { fault = "\(memory) should be \(expected)" }
    }
}
