import Testing
@testable import OkaeriWiFi

/// Several regions that are inside name the same network, each with a policy of its own.
struct JoinPrompterPolicyTests {
    private var scene = Scene()
    private let withdrawal = PrompterAction.withdraw(Scene.prompt(1), .departed)

    @Test mutating func `a prompt whose region was left gives way to a join without a prompt`() throws {
        try scene.prompted()
        #expect(try scene.arrive("house", .auto, at: 10).isEmpty)
        #expect(scene.depart(at: 20) == [withdrawal, .determineCondition(ticket: 2, try Scene.network("Home", .auto))])
        #expect(throws: PromptAnswerError.closed(Scene.prompt(1), .departed)) { try scene.answer(1, .join, at: 21) }
        let attempt = JoinAttempt(id: 1, network: try Scene.network("Home", .auto), regions: ["house"], prompt: nil)
        #expect(scene.determine(2, .ready(via: .savedProfile), at: 22) == [.startAction(attempt)])
    }

    @Test mutating func `a prompt whose region was left gives way to silence`() throws {
        try scene.prompted()
        _ = try scene.arrive("house", .off, at: 10)
        #expect(scene.depart(at: 20) == [withdrawal])
        #expect(scene.change(at: 21).isEmpty)
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a prompt stays for as long as a region asks`() throws {
        try scene.prompted()
        _ = try scene.arrive("house", at: 10)
        #expect(scene.depart(at: 20).isEmpty)
        #expect(scene.prompter.prompts == [Scene.prompt(1)])
    }

    @Test mutating func `the region that is left second changes nothing`() throws {
        try scene.prompted()
        _ = try scene.arrive("house", .auto, at: 10)
        #expect(scene.depart("house", at: 20).isEmpty)
        #expect(scene.prompter.prompts == [Scene.prompt(1)])
    }

    @Test mutating func `silence ends with the region that wanted it`() throws {
        _ = try scene.arrive("house", .off, at: 0)
        _ = try scene.arrive(at: 10)
        #expect(scene.depart("house", at: 20) == [.determineCondition(ticket: 1, try Scene.network())])
        #expect(scene.determine(1, .ready(via: .savedProfile), at: 21) == [.announce(Scene.prompt(1))])
    }

    @Test mutating func `a prompt that was answered is not put again`() throws {
        try scene.prompted()
        _ = try scene.answer(1, .later, at: 5)
        _ = try scene.arrive("house", .off, at: 10)
        _ = try scene.arrive("garden", .auto, at: 11)
        _ = try scene.arrive("gate", .prompt, at: 12)
        #expect(scene.depart(at: 20).isEmpty)
        #expect(scene.depart("house", at: 1000).isEmpty)
        #expect(scene.depart("garden", at: 2000).isEmpty)
        #expect(scene.deadline == nil)
    }

    /// Two forged beacons that come and go in turn.
    @Test mutating func `there is no second prompt within the cool-down`() throws {
        try scene.prompted()
        _ = try scene.arrive("house", .auto, at: 10)
        _ = scene.depart(at: 20)
        _ = try scene.arrive(at: 21)
        #expect(
            scene.depart("house", at: 22) == [.note(ssid: "Home", regions: ["door"], .coolingDown)],
            "the first prompt was 22 seconds ago")
        #expect(scene.deadline == 300)
        #expect(scene.determine(2, .ready(via: .savedProfile), at: 23).isEmpty)
    }

    @Test mutating func `the prompts are counted, and the cool-down has its end and its cause`() throws {
        func report(_ prompts: Int, _ end: Int?, _ cause: NetworkCoolDown.Cause?) -> [NetworkPrompts<Instant>] {
            [NetworkPrompts(name: SSID("Home"), prompts: prompts, coolDownEnd: end.map(Scene.at), cause: cause)]
        }
        #expect(scene.prompter.networks(at: Scene.at(0)).isEmpty)
        try scene.prompted()
        #expect(scene.prompter.networks(at: Scene.at(1)) == report(1, 300, .recentOffer))
        _ = try scene.answer(1, .join, at: 10)
        _ = scene.finish(1, .timedOut(ssid: "Home"), at: 50)
        #expect(scene.prompter.networks(at: Scene.at(60)) == report(1, 350, .failure))
        _ = scene.depart(at: 70)
        #expect(scene.prompter.networks(at: Scene.at(70)) == report(1, 300, .recentOffer))
        #expect(scene.prompter.networks(at: Scene.at(300)) == report(1, nil, nil))
        _ = try scene.arrive(at: 400)
        _ = scene.determine(2, .ready(via: .savedProfile), at: 400)
        #expect(scene.prompter.networks(at: Scene.at(400)) == report(2, 700, .recentOffer))
    }

    @Test mutating func `the present policy decides about the answer`() throws {
        _ = try scene.arrive(at: 0)
        _ = scene.determine(1, .unavailable(.radioOff), at: 1)
        _ = try scene.arrive("house", .off, at: 10)
        #expect(scene.depart(at: 20).isEmpty)
        #expect(scene.change(at: 21).isEmpty, "it wants nothing")
        #expect(scene.deadline == nil)
    }
}
