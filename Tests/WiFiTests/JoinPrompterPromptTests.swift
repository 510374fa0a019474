import OkaeriWiFi
import Testing

struct JoinPrompterPromptTests {
    private var scene = Scene()

    @Test mutating func `an arrival asks for the condition, then prompts`() throws {
        #expect(try scene.arrive(at: 0) == [.determineCondition(ticket: 1, Scene.network())])
        #expect(scene.determine(1, .ready(via: .savedProfile), at: 2) == [.announce(Scene.prompt(1))])
        #expect(scene.prompter.prompts == [Scene.prompt(1)])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a second report of the same arrival changes nothing`() throws {
        try scene.prompted()
        #expect(try scene.arrive(at: 1).isEmpty)
        #expect(scene.determine(1, .ready(via: .savedProfile), at: 2).isEmpty)
        #expect(scene.prompter.prompts.count == 1)
    }

    @Test mutating func `leaving withdraws the prompt`() throws {
        try scene.prompted()
        #expect(scene.depart(at: 5) == [.withdraw(Scene.prompt(1), .departed)])
        #expect(scene.prompter.prompts.isEmpty)
        #expect(throws: PromptAnswerError.closed(Scene.prompt(1), .departed)) { try scene.answer(1, .join, at: 6) }
    }

    @Test mutating func `no prompt is put if the region is left before the condition is known`() throws {
        _ = try scene.arrive(at: 0)
        #expect(scene.depart(at: 1).isEmpty)
        #expect(scene.determine(1, .ready(via: .savedProfile), at: 2).isEmpty)
    }

    @Test mutating func `the answer join starts a join`() throws {
        try scene.prompted()
        #expect(
            try scene.answer(1, .join, at: 9) == [
                .withdraw(Scene.prompt(1), .answered(.join)), .startAction(Scene.attempt(1, Scene.prompt(1))),
            ])
        #expect(
            scene.finish(1, at: 20) == [.actionCompleted(try Scene.attempt(1, Scene.prompt(1)), Scene.joined)])
        #expect(scene.change(at: 21).isEmpty)
        #expect(scene.deadline == nil)
    }

    @Test mutating func `after the answer later there is no prompt until the next arrival`() throws {
        try scene.prompted()
        #expect(try scene.answer(1, .later, at: 1) == [.withdraw(Scene.prompt(1), .answered(.later))])
        #expect(scene.change(at: 2).isEmpty)
        #expect(scene.advance(to: 10_000).isEmpty)
        #expect(scene.deadline == nil)
        _ = scene.depart(at: 10_001)
        _ = try scene.arrive(at: 10_002)
        #expect(scene.determine(2, .ready(via: .savedProfile), at: 10_003) == [.announce(Scene.prompt(2, arrival: 2))])
    }

    @Test mutating func `the answer never holds until it is taken back`() throws {
        try scene.prompted()
        #expect(try scene.answer(1, .never, at: 1) == [.withdraw(Scene.prompt(1), .answered(.never))])
        #expect(scene.prompter.refused == ["Home"])
        _ = scene.depart(at: 2)
        #expect(try scene.arrive(at: 10_000) == [.note(ssid: "Home", regions: ["door"], .refused)])
        _ = scene.depart(at: 10_001)
        #expect(scene.prompter.neverCleared(ssid: "Home", at: Scene.at(10_001)) == [])
        #expect(try scene.arrive(at: 10_002) == [.determineCondition(ticket: 2, Scene.network())])
    }

    @Test mutating func `what is taken back is asked about anew while the arrival lasts`() throws {
        try scene.prompted()
        _ = try scene.answer(1, .never, at: 1)
        #expect(scene.prompter.neverCleared(ssid: "Office", at: Scene.at(400)) == nil)
        #expect(
            try scene.prompter.neverCleared(ssid: "Home", at: Scene.at(400)) == [
                .determineCondition(ticket: 2, Scene.network())
            ])
        #expect(scene.determine(2, .ready(via: .savedProfile), at: 400) == [.announce(Scene.prompt(2))])
    }

    @Test func `the answer never survives a restart, and prompt numbers go on`() throws {
        var scene = Scene(refused: ["Home"], firstPrompt: 7)
        #expect(try scene.arrive(at: 0) == [.note(ssid: "Home", regions: ["door"], .refused)])
        _ = try scene.arrive("shed", ssid: "Shed", at: 1)
        _ = scene.determine(1, .ready(via: .savedProfile), at: 2)
        #expect(scene.prompter.prompts.map(\.id) == ["7"])
    }

    @Test mutating func `an answer needs a prompt that waits`() throws {
        #expect(throws: PromptAnswerError.noSuchPrompt(id: "1")) { try scene.answer(1, .join, at: 0) }
        try scene.prompted()
        _ = try scene.answer(1, .later, at: 1)
        let error = PromptAnswerError.closed(Scene.prompt(1), .answered(.later))
        #expect(throws: error) { try scene.answer(1, .join, at: 2) }
        #expect(error.description == "prompt 1 for “Home” was answered already, with later")
    }

    @Test mutating func `some of the closed prompts are remembered`() throws {
        for round in 1...65 {
            try scene.prompted(round, ticket: round, at: round * 1000)
            _ = scene.depart(at: round * 1000 + 1)
        }
        #expect(throws: PromptAnswerError.noSuchPrompt(id: "1")) { try scene.answer(1, .join, at: 100_000) }
        #expect(throws: PromptAnswerError.closed(Scene.prompt(2, arrival: 2), .departed)) {
            try scene.answer(2, .join, at: 100_000)
        }
    }

    @Test mutating func `several regions are one arrival`() throws {
        try scene.prompted()
        #expect(try scene.arrive("garden", at: 1).isEmpty)
        #expect(scene.depart("door", at: 2).isEmpty)
        #expect(scene.prompter.prompts == [Scene.prompt(1)])
        #expect(scene.depart("garden", at: 3) == [.withdraw(Scene.prompt(1), .departed)])
    }

    @Test mutating func `networks are independent`() throws {
        try scene.prompted()
        #expect(
            try scene.arrive("office", ssid: "Work", at: 1) == [.determineCondition(ticket: 2, Scene.network("Work"))])
        _ = scene.determine(2, .ready(via: .passphraseFile), at: 2)
        #expect(scene.prompter.prompts.map(\.ssid) == ["Home", "Work"])
        #expect(try scene.answer(2, .later, at: 3).count == 1)
        #expect(scene.prompter.prompts.map(\.ssid) == ["Home"])
    }

    @Test mutating func `the policy off puts no prompt`() throws {
        #expect(try scene.arrive("door", .off, at: 0).isEmpty)
        #expect(scene.change(at: 1).isEmpty)
        #expect(scene.deadline == nil)
    }

    @Test mutating func `unexpected events change nothing`() {
        #expect(scene.depart(at: 0).isEmpty)
        #expect(scene.determine(1, .ready(via: .savedProfile), at: 0).isEmpty)
        #expect(scene.finish(1, at: 0).isEmpty)
        #expect(scene.change(at: 0).isEmpty)
        #expect(scene.advance(to: 0).isEmpty)
    }
}
