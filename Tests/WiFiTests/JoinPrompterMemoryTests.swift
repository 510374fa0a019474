import OkaeriWiFi
import Testing

/// The memory of one prompter, handed to the next: the restart of a program.
struct JoinPrompterMemoryTests {
    private var scene = Scene()
    private let ready = NetworkCondition.ready(via: .savedProfile)

    /// The next prompter, whose second hand starts anew.
    private func restarted(_ old: Scene, at seconds: Int, regions: String...) throws -> Scene {
        let network = try Scene.network()
        var next = Scene()
        next.prompter.restored(
            old.prompter.memory(at: Scene.at(seconds)),
            networks: Dictionary(uniqueKeysWithValues: (regions.isEmpty ? ["door"] : regions).map { ($0, network) }),
            at: Scene.at(0))
        return next
    }

    private func ask(_ ticket: Int) throws -> PrompterAction {
        .determineCondition(ticket: ticket, try Scene.network())
    }

    @Test mutating func `an answered prompt is not repeated in the same visit`() throws {
        for answer in [PromptAnswer.later, .never] {
            var scene = Scene()
            try scene.prompted()
            _ = try scene.answer(1, answer, at: 5)
            var next = try restarted(scene, at: 10)
            #expect(try next.arrive(at: 2).isEmpty)
            #expect(next.change(at: 3).isEmpty)
            #expect(next.deadline == nil)
        }
    }

    @Test mutating func `the next visit has a prompt after the cool-down`() throws {
        try scene.prompted()
        _ = try scene.answer(1, .later, at: 5)
        var next = try restarted(scene, at: 100)
        _ = try next.arrive(at: 0)
        _ = next.depart(at: 10)
        let note = PrompterAction.note(ssid: "Home", regions: ["door"], .coolingDown)
        #expect(try next.arrive(at: 20) == [note])
        #expect(next.deadline == 200, "a hundred of the three hundred seconds passed before the restart")
        #expect(try next.advance(to: 200) == [ask(1)])
        #expect(next.determine(1, ready, at: 201) == [.announce(Scene.prompt(2, arrival: 2))])
    }

    @Test mutating func `the age of the memory counts as cool-down`() throws {
        try scene.prompted()
        _ = try scene.answer(1, .later, at: 5)
        var next = Scene()
        next.prompter.restored(
            scene.prompter.memory(at: Scene.at(10)), age: .seconds(90), networks: ["door": try Scene.network()],
            at: Scene.at(0))
        _ = try next.arrive(at: 0)
        _ = next.depart(at: 10)
        _ = try next.arrive(at: 20)
        #expect(next.deadline == 200)
    }

    @Test mutating func `a visit that ended meanwhile is over`() throws {
        try scene.prompted()
        _ = try scene.answer(1, .later, at: 5)
        var next = try restarted(scene, at: 400)
        #expect(next.depart(at: 30).isEmpty)
        #expect(try next.arrive(at: 40) == [ask(1)])
    }

    @Test mutating func `a prompt that waited is put again under its number`() throws {
        try scene.prompted()
        var next = try restarted(scene, at: 10)
        #expect(next.prompter.prompts.isEmpty, "no beacon was received yet")
        #expect(try next.arrive(at: 2) == [ask(1)])
        // Killed again before it could be put.
        next = try restarted(next, at: 3)
        #expect(try next.arrive(at: 2) == [ask(1)])
        #expect(next.determine(1, ready, at: 2) == [.announce(Scene.prompt(1))])
        _ = try next.answer(1, .later, at: 9)
        _ = next.depart(at: 10)
        _ = try next.arrive(at: 1000)
        #expect(next.determine(2, ready, at: 1000) == [.announce(Scene.prompt(2, arrival: 2))])
    }

    @Test mutating func `a prompt whose visit ended is not put again`() throws {
        try scene.prompted()
        var next = try restarted(scene, at: 400)
        _ = next.depart(at: 30)
        _ = try next.arrive(at: 40)
        #expect(next.determine(1, ready, at: 41) == [.announce(Scene.prompt(2, arrival: 2))])
    }

    @Test mutating func `an arrival without a prompt gets its prompt after a restart`() throws {
        _ = try scene.arrive(at: 0)
        _ = scene.determine(1, .unavailable(.radioOff), at: 1)
        var next = try restarted(scene, at: 2)
        #expect(try next.arrive(at: 0) == [ask(1)])
        #expect(next.determine(1, ready, at: 1) == [.announce(Scene.prompt(1))])
    }

    @Test mutating func `a join without a question that was cut off begins again after the cool-down`() throws {
        _ = try scene.arrive("door", .auto, at: 0)
        _ = scene.determine(1, ready, at: 0)
        var next = try restarted(scene, at: 10)
        _ = try next.arrive("door", .auto, at: 0)
        #expect(next.deadline == 290)
    }

    @Test mutating func `the answer never is stored`() throws {
        try scene.prompted()
        _ = try scene.answer(1, .never, at: 5)
        var next = try restarted(scene, at: 10)
        #expect(next.prompter.refused == ["Home"])
        _ = next.depart(at: 1)
        let note = PrompterAction.note(ssid: "Home", regions: ["door"], .refused)
        #expect(try next.arrive(at: 1000) == [note])
    }

    @Test mutating func `a visit of several regions goes on with any of them`() throws {
        try scene.prompted()
        _ = try scene.arrive("gate", at: 3)
        _ = try scene.answer(1, .later, at: 5)
        var next = try restarted(scene, at: 400, regions: "door", "gate")
        _ = next.depart("door", at: 20)
        #expect(try next.arrive("gate", at: 21).isEmpty, "the visit goes on")
    }

    @Test mutating func `a region of another network now is not a part of the visit`() throws {
        try scene.prompted()
        _ = try scene.answer(1, .later, at: 5)
        var next = Scene()
        let networks = ["door": try Scene.network("Office"), "gate": try Scene.network()]
        next.prompter.restored(scene.prompter.memory(at: Scene.at(400)), networks: networks, at: Scene.at(0))
        #expect(try next.arrive("gate", at: 1) == [ask(1)], "no beacon was at the gate")
    }

    @Test mutating func `a memory is unchanged while no beacon is received`() throws {
        try scene.prompted()
        let next = try restarted(scene, at: 0)
        #expect(next.prompter.memory(at: Scene.at(0)) == scene.prompter.memory(at: Scene.at(0)))
    }

    @Test mutating func `absurd numbers neither trap nor silence`() throws {
        for number in [Int.min, -1, 0, .max] {
            var next = Scene()
            let visit = PromptMemory.Visit(
                ssid: "Home", regions: [], arrival: number, isSettled: true, sinceLastOffer: Double(number))
            next.prompter.restored(
                PromptMemory(nextPrompt: number, visits: [visit]), networks: ["door": try Scene.network()],
                at: Scene.at(0))
            _ = try next.arrive(at: 1)
            _ = next.advance(to: 301)
            #expect(next.determine(1, ready, at: 302).count == 1)
        }
    }
}
