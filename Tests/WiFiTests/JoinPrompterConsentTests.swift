import Testing
@testable import OkaeriWiFi

/// The validity of an answer, and of a join without a question, while the arrival lasts.
struct JoinPrompterConsentTests {
    private var scene = Scene()
    private let ready = NetworkCondition.ready(via: .savedProfile)

    private func ask(_ ticket: Int, _ join: JoinPolicy = .prompt) throws -> PrompterAction {
        .determineCondition(ticket: ticket, try Scene.network("Home", join))
    }

    private func start(_ id: Int, _ join: JoinPolicy = .prompt) throws -> PrompterAction {
        .startAction(try Scene.attempt(id, join == .prompt ? Scene.prompt(1) : nil, join))
    }

    private func failed(_ id: Int, _ failure: JoinFailure) throws -> PrompterAction {
        .actionFailed(try Scene.attempt(id, Scene.prompt(1)), failure)
    }

    @Test(arguments: [
        JoinFailure.radioOff, .hardwareSwitchOff, .networkingOff, .noNetworkManager, .noWiFiDevice,
        .deviceNotManaged(device: "wlan0"), .noSupplicant(device: "wlan0"), .notInSight(ssid: "Home"), .interrupted,
    ])
    mutating func `after an interruption the join begins again without another question`(failure: JoinFailure) throws {
        try scene.joining()
        #expect(try scene.finish(1, failure, at: 2) == [failed(1, failure)])
        #expect(scene.prompter.prompts.isEmpty)
        #expect(try scene.change(at: 7) == [ask(2)])
        #expect(try scene.determine(2, ready, at: 7) == [start(2)])
        #expect(scene.finish(2, at: 9) == [.actionCompleted(try Scene.attempt(2, Scene.prompt(1)), Scene.joined)])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `an answer is worth nothing at the next arrival`() throws {
        try scene.joining()
        _ = scene.finish(1, .radioOff, at: 2)
        _ = scene.depart(at: 3)
        _ = try scene.arrive(at: 400)
        #expect(scene.determine(2, ready, at: 400) == [.announce(Scene.prompt(2, arrival: 2))])
    }

    @Test(arguments: [true, false]) mutating func `an answer is asked for again after a restart`(isRunning: Bool) throws
    {
        try scene.joining()
        if !isRunning { _ = scene.finish(1, .radioOff, at: 2) }
        let memory = scene.prompter.memory(at: Scene.at(5))
        scene.prompter = Prompter()
        scene.prompter.restored(memory, networks: ["door": try Scene.network()], at: Scene.at(5))
        #expect(try scene.arrive(at: 6) == [ask(1)])
        #expect(scene.determine(1, ready, at: 6) == [.announce(Scene.prompt(1))])
    }

    @Test mutating func `Wi-Fi that is switched off behind the answer is not switched on`() throws {
        try scene.joining()
        _ = scene.finish(1, .radioOff, at: 2)
        _ = scene.change(at: 3)
        #expect(
            scene.determine(2, .switchedOff(), at: 3) == [
                .note(ssid: "Home", regions: ["door"], .unavailable(.radioOff))
            ])
        #expect(scene.prompter.prompts.isEmpty)
    }

    @Test mutating func `a join that is interrupted again and again is asked about anew`() throws {
        try scene.joining()
        var ticket = 1
        var reports: [PrompterAction] = []
        for attempt in 1...6 {
            reports += scene.finish(attempt, .interrupted, at: attempt)
            guard attempt < 6 else { break }
            ticket += 1
            #expect(try scene.change(at: attempt) == [ask(ticket)])
            #expect(try scene.determine(ticket, ready, at: attempt) == [start(attempt + 1)])
        }
        #expect(
            try reports == [failed(1, .interrupted)],
            "once an arrival")
        #expect(scene.deadline == 306)
        #expect(try scene.advance(to: 306) == [ask(7)])
        #expect(scene.determine(7, ready, at: 306) == [.announce(Scene.prompt(2))])
    }

    private func signal(_ strength: Int) -> NetworkCondition {
        .ready(JoinReadiness(credentials: .savedProfile, strength: strength))
    }

    @Test(arguments: [(failed: 8, stays: 24, suffices: 25), (failed: 45, stays: 49, suffices: 50)])
    mutating func `a join that failed at a weak signal waits for one that is 10 dB stronger, or strong`(
        failed: Int, stays: Int, suffices: Int
    ) throws {
        try scene.joining()
        _ = scene.finish(1, .handshakeFailed(ssid: "Home", strength: failed), at: 10)
        #expect(scene.deadline == 310)
        _ = scene.change(at: 20)
        #expect(scene.determine(2, signal(stays), at: 20).isEmpty)
        #expect(scene.deadline == 310)
        _ = scene.change(at: 30)
        #expect(try scene.determine(3, signal(suffices), at: 30) == [start(2)])
    }

    @Test mutating func `a join that failed at a weak signal begins again after the cool-down at any signal`() throws {
        try scene.joining()
        _ = scene.finish(1, .handshakeFailed(ssid: "Home", strength: 8), at: 10)
        #expect(try scene.advance(to: 310) == [ask(2)])
        #expect(try scene.determine(2, signal(8), at: 310) == [start(2)])
    }

    @Test mutating func `a handshake that failed at a strong signal is not repeated in the same arrival`() throws {
        try scene.joining()
        _ = scene.finish(1, .handshakeFailed(ssid: "Home", strength: 85), at: 10)
        #expect(scene.deadline == nil)
        #expect(scene.change(at: 20).isEmpty)
    }

    @Test mutating func `a join without a question waits 20 s for a signal that suffices`() throws {
        _ = try scene.arrive("door", .auto, at: 0)
        #expect(scene.determine(1, signal(12), at: 1).isEmpty)
        #expect(scene.deadline == 20)
        #expect(try scene.change(at: 5) == [ask(2, .auto)])
        #expect(try scene.determine(2, signal(30), at: 5) == [start(1, .auto)])
    }

    @Test mutating func `a join without a question begins at a weak signal after 20 s`() throws {
        _ = try scene.arrive("door", .auto, at: 0)
        _ = scene.determine(1, signal(12), at: 1)
        #expect(try scene.advance(to: 20) == [ask(2, .auto)])
        #expect(try scene.determine(2, signal(12), at: 20) == [start(1, .auto)])
    }
}

/// A network that was joined without a question is held.
struct JoinPrompterHoldingTests {
    private var scene = Scene()
    private let ready = NetworkCondition.ready(via: .savedProfile)

    /// Arrives, and is joined with the first ticket.
    private mutating func hold() throws {
        _ = try scene.arrive("door", .auto, at: 0)
        _ = scene.determine(1, ready, at: 0)
        _ = scene.finish(1, at: 2)
    }

    private func ask(_ ticket: Int) throws -> [PrompterAction] {
        [.determineCondition(ticket: ticket, try Scene.network("Home", .auto))]
    }

    private func start(_ id: Int) throws -> [PrompterAction] { [.startAction(try Scene.attempt(id, nil, .auto))] }

    @Test mutating func `a lost connection is made again when the network is back`() throws {
        try hold()
        #expect(try scene.change(at: 10) == ask(2))
        let away = NetworkCondition.unavailable(.notInSight(ssid: "Home"))
        #expect(try scene.determine(2, away, at: 10) == ask(3))
        #expect(scene.determine(3, away, at: 13).count == 1, "the note")
        #expect(try scene.change(at: 22) == ask(4))
        #expect(try scene.determine(4, ready, at: 22) == start(2))
    }

    @Test mutating func `while it is connected nothing happens`() throws {
        try hold()
        #expect(try scene.change(at: 10) == ask(2))
        #expect(scene.determine(2, .alreadyConnected, at: 10).isEmpty)
        #expect(try scene.change(at: 11) == ask(3))
        #expect(scene.determine(3, .connecting, at: 11).isEmpty)
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a connection that a user ended is not made again in the same arrival`() throws {
        try hold()
        _ = scene.change(at: 10)
        let ended = NetworkCondition.ready(JoinReadiness(credentials: .savedProfile, isDisconnectedByUser: true))
        #expect(
            scene.determine(2, ended, at: 10) == [.note(ssid: "Home", regions: ["door"], .disconnectedByUser)])
        #expect(scene.change(at: 20).isEmpty && scene.deadline == nil)
        _ = scene.depart(at: 30)
        #expect(try scene.arrive("door", .auto, at: 400) == ask(3))
        #expect(try scene.determine(3, ended, at: 400) == start(2), "an arrival is news")
    }

    @Test mutating func `short connections are made again with growing delays, and a long one at once`() throws {
        try hold()
        var (now, ticket, attempt) = (2, 1, 1)
        var delays: [Int] = []
        for length in [5, 5, 5, 5, 700, 5] {
            now += length
            #expect(try scene.change(at: now) == ask(ticket + 1))
            let next = scene.determine(ticket + 1, ready, at: now)
            ticket += 2
            if next.isEmpty {
                let deadline = try #require(scene.deadline)
                delays.append(deadline - now)
                now = deadline
                #expect(try scene.advance(to: now) == ask(ticket))
            } else {
                delays.append(0)
            }
            attempt += 1
            #expect(try scene.determine(ticket, ready, at: now) == start(attempt))
            _ = scene.finish(attempt, at: now)
        }
        #expect(delays == [0, 30, 60, 120, 0, 30])
    }

    @Test mutating func `a connection that another program made is held, too`() throws {
        _ = try scene.arrive("door", .auto, at: 0)
        #expect(scene.determine(1, .alreadyConnected, at: 0).count == 1, "the note")
        #expect(try scene.change(at: 10) == ask(2))
        #expect(try scene.determine(2, ready, at: 10) == ask(3))
        #expect(try scene.determine(3, ready, at: 10) == start(1))
    }

    @Test mutating func `a user who ends the connection between two looks is heeded, and a long outage delays nothing`()
        throws
    {
        try hold()
        _ = scene.change(at: 10)
        // NetworkManager has not ended the connection yet.
        #expect(try scene.determine(2, ready, at: 10) == ask(3))
        let ended = NetworkCondition.ready(JoinReadiness(credentials: .savedProfile, isDisconnectedByUser: true))
        #expect(scene.determine(3, ended, at: 10) == [.note(ssid: "Home", regions: ["door"], .disconnectedByUser)])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `each cause of a failed join without a question is reported once an arrival`() throws {
        try hold()
        _ = scene.change(at: 10)
        _ = scene.determine(2, ready, at: 10)
        _ = scene.determine(3, ready, at: 10)
        #expect(scene.finish(2, .timedOut(ssid: "Home"), at: 20).count == 1)
        _ = scene.advance(to: 320)
        _ = scene.determine(4, ready, at: 320)
        #expect(scene.finish(3, .timedOut(ssid: "Home"), at: 330).isEmpty)
    }

    @Test mutating func `a departure ends the holding, and a restart does not`() throws {
        try hold()
        let memory = scene.prompter.memory(at: Scene.at(50))
        var next = Scene()
        let network = try Scene.network("Home", .auto)
        next.prompter.restored(memory, networks: ["door": network], at: Scene.at(60))
        #expect(try next.arrive("door", .auto, at: 61) == ask(1))
        #expect(next.determine(1, .alreadyConnected, at: 61).isEmpty)
        _ = scene.depart(at: 70)
        #expect(scene.change(at: 71).isEmpty)
    }
}

/// Arrivals while this machine has another connection, is about to connect, or has its Wi-Fi off.
struct JoinPrompterSituationTests {
    private var scene = Scene()
    private let wired = NetworkCondition.ready(JoinReadiness(credentials: .savedProfile, otherConnection: .ethernet))

    private mutating func arrive(_ join: JoinPolicy, _ policy: OnlinePolicy, at seconds: Int) throws {
        let network = try HomeNetwork(ssid: "Home", join: join, whenOnline: policy)
        _ = scene.prompter.arrived(region: "door", network: network, at: Scene.at(seconds))
    }

    private func prompt(_ id: Int, _ situation: PromptSituation, arrival: Int = 1) -> Prompt {
        Prompt(id: String(id), ssid: "Home", regions: ["door"], arrival: arrival, situation: situation)
    }

    private let note = PrompterAction.note(ssid: "Home", regions: ["door"], .otherConnection(.ethernet))

    @Test mutating func `beside another connection a question is put once, also over a restart`() throws {
        try arrive(.prompt, .once, at: 0)
        #expect(scene.determine(1, wired, at: 0) == [.announce(prompt(1, .ethernet))])
        _ = scene.depart(at: 10)
        let memory = scene.prompter.memory(at: Scene.at(20))
        scene.prompter = Prompter()
        scene.prompter.restored(memory, networks: ["door": try Scene.network()], at: Scene.at(20))
        try arrive(.prompt, .once, at: 1000)
        #expect(scene.determine(1, wired, at: 1000) == [note])
        // The cable is pulled.
        #expect(scene.change(at: 1010).count == 1)
        #expect(
            scene.determine(2, .ready(via: .savedProfile), at: 1010) == [.announce(Scene.prompt(2, arrival: 2))])
        _ = scene.depart(at: 1020)
        #expect(scene.prompter.neverCleared(ssid: "Home", at: Scene.at(1030)) == [])
        #expect(scene.prompter.neverCleared(ssid: "Home", at: Scene.at(1030)) == nil)
        try arrive(.prompt, .once, at: 3000)
        #expect(scene.determine(3, wired, at: 3000) == [.announce(prompt(3, .ethernet, arrival: 3))])
    }

    @Test(arguments: [
        (JoinPolicy.prompt, OnlinePolicy.always, true), (.prompt, .never, false), (.auto, .once, false),
        (.auto, .never, false), (.auto, .always, true),
    ])
    mutating func `the configuration decides beside another connection`(
        join: JoinPolicy, policy: OnlinePolicy, goesOn: Bool
    ) throws {
        for arrival in 1...2 {
            try arrive(join, policy, at: arrival * 1000)
            let actions = scene.determine(arrival, wired, at: arrival * 1000)
            #expect((actions != [note]) == goesOn)
            if join == .auto, goesOn { _ = scene.finish(arrival, at: arrival * 1000 + 1) }
            _ = scene.depart(at: arrival * 1000 + 10)
        }
    }

    @Test mutating func `there is no question while a connection to the network begins`() throws {
        try arrive(.prompt, .once, at: 0)
        #expect(scene.determine(1, .connecting, at: 0).isEmpty)
        _ = scene.change(at: 5)
        #expect(scene.determine(2, .alreadyConnected, at: 5).count == 1)
        #expect(scene.prompter.prompts.isEmpty)
    }

    @Test mutating func `beside another connection Wi-Fi that is off is asked about once, and never if that is set`()
        throws
    {
        let off = NetworkCondition.switchedOff(otherConnection: .ethernet)
        try arrive(.prompt, .never, at: 0)
        #expect(scene.determine(1, off, at: 0) == [note])
        _ = scene.depart(at: 10)
        try arrive(.prompt, .once, at: 1000)
        #expect(scene.determine(2, off, at: 1000) == [.announce(prompt(1, .radioOff, arrival: 2))])
        _ = scene.depart(at: 1010)
        try arrive(.prompt, .once, at: 2000)
        #expect(scene.determine(3, off, at: 2000) == [note])
    }

    @Test mutating func `a question that waits beside another connection is put again after a restart`() throws {
        try arrive(.prompt, .once, at: 0)
        _ = scene.determine(1, wired, at: 0)
        let memory = scene.prompter.memory(at: Scene.at(20))
        scene.prompter = Prompter()
        scene.prompter.restored(memory, networks: ["door": try Scene.network()], at: Scene.at(20))
        try arrive(.prompt, .once, at: 21)
        #expect(scene.determine(1, wired, at: 21) == [.announce(prompt(1, .ethernet))])
    }

    @Test(arguments: [(false, PromptSituation.radioOff), (true, .countryUnset)])
    mutating func `Wi-Fi that is off is switched on by the answer`(isUnset: Bool, situation: PromptSituation) throws {
        try arrive(.prompt, .once, at: 0)
        let prompt = prompt(1, situation)
        #expect(scene.determine(1, .switchedOff(isCountryUnset: isUnset), at: 0) == [.announce(prompt)])
        let attempt = JoinAttempt(id: 1, network: try Scene.network(), regions: ["door"], prompt: prompt)
        #expect(attempt.consent.contains(.switchOn))
        #expect(try scene.answer(1, .join, at: 5) == [.withdraw(prompt, .answered(.join)), .startAction(attempt)])
    }

    @Test mutating func `Wi-Fi that is off stays off without a question`() throws {
        try arrive(.auto, .always, at: 0)
        #expect(
            scene.determine(1, .switchedOff(), at: 0) == [
                .note(ssid: "Home", regions: ["door"], .unavailable(.radioOff))
            ])
        #expect(try Scene.attempt(1, nil).consent == [] && Scene.attempt(1, Scene.prompt(1)).consent == [])
    }

    @Test mutating func `the question names an unprotected network of the same name`() throws {
        try arrive(.prompt, .once, at: 0)
        let twin = NetworkCondition.ready(
            JoinReadiness(credentials: .savedProfile, otherConnection: .ethernet, replacesWeakTwin: true))
        #expect(scene.determine(1, twin, at: 0) == [.announce(prompt(1, .weakTwin))])
    }
}
