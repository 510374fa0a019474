import OkaeriWiFi
import Testing

struct JoinPrompterWaitingTests {
    private var scene = Scene()
    private let ready = NetworkCondition.ready(via: .savedProfile)

    private func note(_ reason: PrompterAction.Reason) -> PrompterAction {
        .note(ssid: "Home", regions: ["door"], reason)
    }

    private func ask(_ ticket: Int) throws -> PrompterAction {
        .determineCondition(ticket: ticket, try Scene.network())
    }

    @Test mutating func `a network that is connected already has no prompt`() throws {
        _ = try scene.arrive(at: 0)
        #expect(scene.determine(1, .alreadyConnected, at: 1) == [note(.alreadyConnected)])
        #expect(scene.change(at: 2).isEmpty)
        #expect(scene.deadline == nil)
    }

    @Test mutating func `an unavailable network is examined again with growing delays`() throws {
        _ = try scene.arrive(at: 0)
        var now = 0
        var actions: [PrompterAction] = []
        var delays: [Int] = []
        for ticket in 1...8 {
            actions += scene.determine(ticket, .unavailable(.radioOff), at: now)
            let deadline = try #require(scene.deadline)
            delays.append(deadline - now)
            #expect(scene.advance(to: deadline - 1).isEmpty)
            #expect(try scene.advance(to: deadline) == [ask(ticket + 1)])
            now = deadline
        }
        #expect(delays == [30, 60, 120, 240, 480, 600, 600, 600])
        #expect(actions == [note(.unavailable(.radioOff))])
        #expect(scene.determine(9, ready, at: now) == [.announce(Scene.prompt(1))])
    }

    @Test mutating func `each reason is published once an arrival`() throws {
        _ = try scene.arrive(at: 0)
        let off = NetworkCondition.unavailable(.radioOff)
        let away = NetworkCondition.unavailable(.notInSight(ssid: "Home"))
        #expect(scene.determine(1, off, at: 0).count == 1)
        _ = scene.change(at: 1)
        #expect(scene.determine(2, away, at: 1) == [note(.unavailable(.notInSight(ssid: "Home")))])
        _ = scene.change(at: 2)
        #expect(scene.determine(3, off, at: 2).isEmpty)
        _ = scene.depart(at: 3)
        _ = try scene.arrive(at: 4)
        #expect(scene.determine(4, off, at: 4) == [note(.unavailable(.radioOff))])
        #expect(scene.deadline == 34)
    }

    @Test mutating func `a change of Wi-Fi causes another look at once`() throws {
        _ = try scene.arrive(at: 0)
        _ = scene.determine(1, .unavailable(.radioOff), at: 0)
        #expect(try scene.change(at: 3) == [ask(2)])
        #expect(scene.deadline == nil)
        #expect(scene.determine(2, ready, at: 4) == [.announce(Scene.prompt(1))])
    }

    @Test mutating func `a change during a look causes another look`() throws {
        _ = try scene.arrive(at: 0)
        #expect(scene.change(at: 1).isEmpty)
        #expect(scene.change(at: 2).isEmpty)
        #expect(try scene.determine(1, .unavailable(.radioOff), at: 3) == [note(.unavailable(.radioOff)), ask(2)])
        #expect(scene.determine(2, .unavailable(.radioOff), at: 4).isEmpty)
        #expect(scene.deadline == 34)
    }

    @Test mutating func `leaving ends the wait`() throws {
        _ = try scene.arrive(at: 0)
        _ = scene.determine(1, .unavailable(.radioOff), at: 0)
        _ = scene.depart(at: 1)
        #expect(scene.deadline == nil)
        #expect(scene.change(at: 2).isEmpty)
    }

    @Test mutating func `another program connects`() throws {
        try scene.prompted()
        #expect(try scene.change(at: 5) == [ask(2)])
        #expect(scene.change(at: 6).isEmpty)
        #expect(scene.determine(2, .alreadyConnected, at: 7) == [.withdraw(Scene.prompt(1), .connected)])
        #expect(throws: PromptAnswerError.closed(Scene.prompt(1), .connected)) { try scene.answer(1, .join, at: 8) }
    }

    @Test mutating func `a prompt outlives other changes`() throws {
        try scene.prompted()
        _ = scene.change(at: 5)
        #expect(scene.determine(2, .unavailable(.radioOff), at: 6).isEmpty)
        #expect(scene.prompter.prompts == [Scene.prompt(1)])
        #expect(try scene.change(at: 7) == [ask(3)])
        #expect(scene.determine(2, .alreadyConnected, at: 8).isEmpty)
        #expect(try scene.answer(1, .join, at: 9).count == 2)
    }

    @Test mutating func `a change while a prompt is examined causes another look`() throws {
        try scene.prompted()
        #expect(try scene.change(at: 5) == [ask(2)])
        #expect(scene.change(at: 6).isEmpty)
        // The answer is from before the second change, a connection by another program.
        #expect(try scene.determine(2, ready, at: 7) == [ask(3)])
        #expect(scene.determine(3, .alreadyConnected, at: 8) == [.withdraw(Scene.prompt(1), .connected)])
    }

    @Test mutating func `a change before the prompt is put causes another look`() throws {
        _ = try scene.arrive(at: 0)
        _ = scene.change(at: 1)
        #expect(try scene.determine(1, ready, at: 2) == [.announce(Scene.prompt(1)), ask(2)])
        #expect(scene.determine(2, .alreadyConnected, at: 3) == [.withdraw(Scene.prompt(1), .connected)])
    }

    @Test mutating func `what was not offered begins no cool-down`() throws {
        _ = try scene.arrive("door", at: 0)
        _ = try scene.arrive("shed", .off, at: 1)
        _ = scene.depart("door", at: 2)
        #expect(scene.determine(1, ready, at: 3).isEmpty)
        _ = scene.depart("shed", at: 4)
        #expect(try scene.arrive("door", at: 5) == [ask(2)])
    }

    @Test mutating func `a prompt in the cool-down is postponed`() throws {
        try scene.prompted()
        _ = scene.depart(at: 10)
        #expect(try scene.arrive(at: 20) == [note(.coolingDown)])
        #expect(scene.deadline == 300)
        #expect(scene.change(at: 30).isEmpty)
        #expect(scene.advance(to: 299).isEmpty)
        #expect(try scene.advance(to: 300) == [ask(2)])
        #expect(scene.determine(2, ready, at: 301) == [.announce(Scene.prompt(2, arrival: 2))])
    }

    @Test mutating func `a prompt after the cool-down is put at once`() throws {
        try scene.prompted()
        _ = scene.depart(at: 10)
        #expect(try scene.arrive(at: 300) == [ask(2)])
    }

    @Test mutating func `a network that is connected when the cool-down ends has no prompt`() throws {
        try scene.prompted()
        _ = scene.depart(at: 10)
        _ = try scene.arrive(at: 20)
        _ = scene.advance(to: 300)
        #expect(scene.determine(2, .alreadyConnected, at: 301) == [note(.alreadyConnected)])
    }

    @Test mutating func `a flood of arrivals causes one prompt in each cool-down`() throws {
        var announced: [Int] = []
        var ticket = 0
        for second in 0..<3000 {
            var actions = try second.isMultiple(of: 2) ? scene.arrive(at: second) : scene.depart(at: second)
            actions += scene.advance(to: second)
            for case .determineCondition(let next, _, _) in actions {
                ticket = next
                for case .announce in scene.determine(ticket, ready, at: second) { announced.append(second) }
            }
        }
        #expect(announced == [0, 300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700])
    }
}
