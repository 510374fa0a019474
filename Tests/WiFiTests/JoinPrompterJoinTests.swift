import Testing
@testable import OkaeriWiFi

struct JoinPrompterJoinTests {
    private var scene = Scene()
    private let ready = NetworkCondition.ready(via: .savedProfile)

    private func ask(_ ticket: Int, _ join: JoinPolicy = .prompt) throws -> PrompterAction {
        .determineCondition(ticket: ticket, try Scene.network("Home", join))
    }

    private func failed(_ failure: JoinFailure) throws -> PrompterAction {
        .actionFailed(try Scene.attempt(1, Scene.prompt(1)), failure)
    }

    @Test(arguments: [JoinFailure.wrongPassphrase(ssid: "Home"), .noAddress(ssid: "Home"), .noPermission])
    mutating func `a failure is not repeated in the same arrival`(failure: JoinFailure) throws {
        try scene.joining()
        #expect(try scene.finish(1, failure, at: 30) == [failed(failure)])
        #expect(scene.change(at: 31).isEmpty)
        #expect(scene.deadline == nil)
        _ = scene.depart(at: 40)
        #expect(try scene.arrive(at: 400) == [ask(2)])
    }

    @Test(arguments: [JoinFailure.timedOut(ssid: "Home"), .servesHotspot(device: "wlan0")])
    mutating func `a passing failure is offered again after the cool-down`(failure: JoinFailure) throws {
        try scene.joining()
        #expect(try scene.finish(1, failure, at: 1000) == [failed(failure)])
        #expect(scene.deadline == 1300)
        #expect(try scene.advance(to: 1300) == [ask(2)])
        #expect(scene.determine(2, ready, at: 1301) == [.announce(Scene.prompt(2))])
    }

    @Test mutating func `leaving does not stop a join`() throws {
        try scene.joining()
        #expect(scene.depart(at: 1).isEmpty)
        #expect(scene.change(at: 2).isEmpty)
        #expect(scene.finish(1, at: 30) == [.actionCompleted(try Scene.attempt(1, Scene.prompt(1)), Scene.joined)])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a join that fails after the exit is published and over`() throws {
        try scene.joining()
        _ = scene.depart(at: 1)
        #expect(try scene.finish(1, .interrupted, at: 30) == [failed(.interrupted)])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a new arrival during the join is not lost`() throws {
        try scene.joining()
        _ = scene.depart(at: 1)
        #expect(try scene.arrive(at: 2).isEmpty)
        #expect(
            try scene.finish(1, .wrongPassphrase(ssid: "Home"), at: 30) == [
                failed(.wrongPassphrase(ssid: "Home")), .note(ssid: "Home", regions: ["door"], .coolingDown),
            ])
        #expect(scene.deadline == 300)
    }

    @Test mutating func `a join ends once`() throws {
        try scene.joining()
        #expect(scene.finish(2, at: 1).isEmpty)
        #expect(scene.finish(1, at: 2).count == 1)
        #expect(scene.finish(1, at: 3).isEmpty)
    }

    @Test mutating func `the policy auto joins without a prompt`() throws {
        #expect(try scene.arrive("door", .auto, at: 0) == [ask(1, .auto)])
        #expect(try scene.determine(1, ready, at: 1) == [.startAction(Scene.attempt(1, nil, .auto))])
        #expect(scene.prompter.prompts.isEmpty)
        #expect(scene.finish(1, at: 9) == [.actionCompleted(try Scene.attempt(1, nil, .auto), Scene.joined)])
    }

    @Test mutating func `the policy auto has the cool-down too`() throws {
        _ = try scene.arrive("door", .auto, at: 0)
        _ = scene.determine(1, ready, at: 0)
        _ = scene.finish(1, .wrongPassphrase(ssid: "Home"), at: 10)
        #expect(scene.deadline == nil)
        _ = scene.depart(at: 20)
        #expect(try scene.arrive("door", .auto, at: 30) == [.note(ssid: "Home", regions: ["door"], .coolingDown)])
        #expect(try scene.advance(to: 300) == [ask(2, .auto)])
    }

    @Test mutating func `the policy auto tries again after a passing failure`() throws {
        _ = try scene.arrive("door", .auto, at: 0)
        _ = scene.determine(1, ready, at: 0)
        _ = scene.finish(1, .timedOut(ssid: "Home"), at: 10)
        #expect(scene.deadline == 310)
        _ = scene.advance(to: 310)
        #expect(try scene.determine(2, ready, at: 311) == [.startAction(Scene.attempt(2, nil, .auto))])
    }

    @Test mutating func `a policy that changes to off withdraws the prompt`() throws {
        try scene.prompted()
        #expect(try scene.arrive("door", .off, at: 5) == [.withdraw(Scene.prompt(1), .reconfigured)])
        #expect(throws: PromptAnswerError.closed(Scene.prompt(1), .reconfigured)) {
            try scene.answer(1, .join, at: 6)
        }
    }

    @Test mutating func `a join has the passphrase file that was configured while the prompt waited`() throws {
        try scene.prompted()
        let anew = try HomeNetwork(ssid: "Home", passphraseFile: "/etc/okaeri/Home.psk")
        #expect(scene.prompter.arrived(region: "door", network: anew, at: Scene.at(5)).isEmpty)
        let attempt = JoinAttempt(id: 1, network: anew, regions: ["door"], prompt: Scene.prompt(1))
        #expect(try scene.answer(1, .join, at: 6).last == .startAction(attempt))
    }

    @Test mutating func `another network of the same region replaces the prompt`() throws {
        try scene.prompted()
        #expect(
            try scene.arrive(ssid: "Attic", at: 5) == [
                .withdraw(Scene.prompt(1), .departed), .determineCondition(ticket: 2, Scene.network("Attic")),
            ])
    }

    @Test mutating func `the policy of a region that arrived later changes nothing`() throws {
        try scene.prompted()
        _ = try scene.arrive("shed", at: 1)
        _ = try scene.answer(1, .later, at: 2)
        #expect(try scene.arrive("shed", .auto, at: 1000).isEmpty, "the door came first, and later was the answer")
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a new policy starts over`() throws {
        _ = try scene.arrive("door", .off, at: 0)
        #expect(try scene.arrive("door", .auto, at: 5) == [ask(1, .auto)])
    }
}
