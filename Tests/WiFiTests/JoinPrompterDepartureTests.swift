import Testing
@testable import OkaeriWiFi

/// The actions of arrivals and departures besides a join.
struct JoinPrompterDepartureTests {
    private var scene = Scene()
    private let ready = NetworkCondition.ready(JoinReadiness())

    private func network(
        _ join: JoinPolicy = .auto, ssid: String = "Home", _ onArrival: NetworkAction = .join,
        _ onDeparture: NetworkAction? = nil
    ) throws -> HomeNetwork {
        try HomeNetwork(ssid: ssid, join: join, onArrival: onArrival, onDeparture: onDeparture)
    }

    private mutating func arrive(_ network: HomeNetwork, at seconds: Int) -> [PrompterAction] {
        scene.prompter.arrived(region: "door", network: network, at: Scene.at(seconds))
    }

    private func attempt(
        _ id: Int, _ network: HomeNetwork, _ action: NetworkAction, _ prompt: Prompt? = nil
    ) -> JoinAttempt {
        JoinAttempt(id: id, network: network, regions: ["door"], prompt: prompt, action: action)
    }

    private func prompt(_ id: Int, _ situation: PromptSituation) -> Prompt {
        Prompt(id: "\(id)", ssid: "Home", regions: ["door"], arrival: 1, situation: situation)
    }

    @Test(arguments: [
        (NetworkAction.join, NetworkAction.leave), (.hotspot, .hotspotOff), (.radioOn, .radioOff), (.join, .radioOff),
    ])
    mutating func `without a question an arrival and a departure do what the configuration says`(
        onArrival: NetworkAction, onDeparture: NetworkAction
    ) throws {
        let home = try network(.auto, onArrival, onDeparture)
        #expect(arrive(home, at: 0) == [.determineCondition(ticket: 1, home, onArrival)])
        #expect(scene.determine(1, ready, at: 0) == [.startAction(attempt(1, home, onArrival))])
        #expect(scene.finish(1, at: 1) == [.actionCompleted(attempt(1, home, onArrival), Scene.joined)])
        #expect(scene.depart(at: 60) == [.determineCondition(ticket: 2, home, onDeparture)])
        #expect(scene.determine(2, ready, at: 60) == [.startAction(attempt(2, home, onDeparture))])
        #expect(scene.finish(2, at: 61) == [.actionCompleted(attempt(2, home, onDeparture), Scene.joined)])
        #expect(scene.deadline == nil)
        // Each of the two has a cool-down of its own.
        #expect(arrive(home, at: 300) == [.determineCondition(ticket: 3, home, onArrival)])
    }

    @Test mutating func `a network that is joined once is asked about, and left without a question`() throws {
        let home = try network(.once)
        #expect(home.onDeparture == .leave)
        #expect(arrive(home, at: 0) == [.determineCondition(ticket: 1, home, .join)])
        let question = Scene.prompt(1)
        #expect(scene.determine(1, ready, at: 0) == [.announce(question)])
        _ = try scene.answer(1, .join, at: 5)
        #expect(scene.finish(1, at: 6) == [.actionCompleted(attempt(1, home, .join, question), Scene.joined)])
        #expect(scene.depart(at: 60) == [.determineCondition(ticket: 2, home, .leave)])
        #expect(scene.determine(2, ready, at: 60) == [.startAction(attempt(2, home, .leave))])
        #expect(scene.finish(2, at: 61) == [.actionCompleted(attempt(2, home, .leave), Scene.joined)])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a network that is joined once is not left without a question under a user who is logged in`()
        throws
    {
        let home = try network(.once)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 10)
        let condition = NetworkCondition.ready(JoinReadiness(isLoggedInOver: true))
        #expect(scene.determine(2, condition, at: 10) == [.announce(prompt(1, .leaveLoggedIn))])
    }

    @Test(arguments: [
        (NetworkAction.leave, PromptSituation.leave), (.hotspotOff, .hotspotOff), (.radioOff, .switchOff),
    ])
    mutating func `with a question a departure asks, and an arrival withdraws the question`(
        onDeparture: NetworkAction, situation: PromptSituation
    ) throws {
        let home = try network(.prompt, onDeparture == .hotspotOff ? .hotspot : .join, onDeparture)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 10)
        #expect(scene.determine(2, ready, at: 10) == [.announce(prompt(1, situation))])
        #expect(arrive(home, at: 20).first == .withdraw(prompt(1, situation), .arrived))
        _ = scene.depart(at: 30)
        // The cool-down lies between two questions of departures.
        #expect(scene.deadline == 310)
        _ = scene.advance(to: 310)
        _ = scene.determine(4, ready, at: 310)
        let second = Prompt(id: "2", ssid: "Home", regions: ["door"], arrival: 2, situation: situation)
        let attempt = attempt(1, home, onDeparture, second)
        #expect(
            try scene.answer(2, .join, at: 311) == [.withdraw(second, .answered(.join)), .startAction(attempt)])
        #expect(scene.finish(1, at: 312) == [.actionCompleted(attempt, Scene.joined)])
    }

    @Test mutating func `while a user is logged in over the connection, a departure asks in any case`() throws {
        let home = try network(.auto, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 10)
        let asked = scene.determine(2, .ready(JoinReadiness(isLoggedInOver: true)), at: 10)
        #expect(asked == [.announce(prompt(1, .leaveLoggedIn))])
        #expect(try scene.answer(1, .later, at: 11) == [.withdraw(prompt(1, .leaveLoggedIn), .answered(.later))])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a network that was refused is not left either`() throws {
        let home = try network(.prompt, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, ready, at: 0)
        _ = try scene.answer(1, .never, at: 1)
        #expect(scene.depart(at: 10) == [.note(ssid: "Home", regions: ["door"], .refused)])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `Wi-Fi stays on while the beacon of another network is here`() throws {
        let home = try network(.auto, .radioOn, .radioOff)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.prompter.arrived(region: "office", network: try network(ssid: "Work"), at: Scene.at(1))
        _ = scene.depart(at: 10)
        #expect(scene.determine(3, ready, at: 10) == [])
        _ = scene.depart("office", at: 20)
        #expect(scene.change(at: 21) == [.determineCondition(ticket: 4, home, .radioOff)])
        #expect(scene.determine(4, ready, at: 21) == [.startAction(attempt(1, home, .radioOff))])
    }

    @Test mutating func `a departure while the join runs follows it, and an arrival follows a departure that runs`()
        throws
    {
        let home = try network(.auto, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, ready, at: 0)
        #expect(scene.depart(at: 1) == [])
        #expect(
            scene.finish(1, at: 2) == [
                .actionCompleted(attempt(1, home, .join), Scene.joined), .determineCondition(ticket: 2, home, .leave),
            ])
        _ = scene.determine(2, ready, at: 2)
        #expect(arrive(home, at: 3) == [])
        #expect(scene.finish(2, at: 400).last == .determineCondition(ticket: 3, home, .join))
    }

    @Test(arguments: [JoinPolicy.auto, .prompt])
    mutating func `Wi-Fi that departures switch off is switched on at arrival`(join: JoinPolicy) throws {
        let home = try network(join, .join, .radioOff)
        _ = arrive(home, at: 0)
        let actions = scene.determine(1, .switchedOff(), at: 0)
        guard join == .auto else {
            #expect(actions == [.announce(prompt(1, .radioOff))])
            return
        }
        guard case .startAction(let attempt)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(attempt.consent.contains(.switchOn) && attempt.action == .join)
        // If a user switches it off, it stays off.
        _ = scene.finish(1, at: 1)
        _ = scene.change(at: 100)
        _ = scene.determine(2, .switchedOff(), at: 100)
        #expect(
            scene.determine(3, .switchedOff(), at: 100) == [
                .note(ssid: "Home", regions: ["door"], .unavailable(.radioOff))
            ])
    }

    @Test mutating func `a hotspot that a user closes stays closed for the arrival`() throws {
        let home = try network(.auto, .hotspot, .hotspotOff)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, ready, at: 0)
        _ = scene.finish(1, at: 1)
        _ = scene.change(at: 100)
        #expect(
            scene.determine(2, .ready(JoinReadiness(isDisconnectedByUser: true)), at: 100) == [
                .note(ssid: "Home", regions: ["door"], .disconnectedByUser)
            ])
        #expect(scene.change(at: 101) == [])
    }

    @Test(arguments: [true, false]) mutating func `a configuration without the network does not leave it`(
        isInside: Bool
    ) throws {
        let home = try network(.prompt, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        if isInside {
            #expect(scene.prompter.departed(region: "door", isReconfigured: true, at: Scene.at(5)) == [])
        } else {
            _ = scene.depart(at: 5)
            _ = scene.determine(2, ready, at: 5)
            #expect(scene.prompter.configured([home]) == [])
            #expect(scene.prompter.configured([]) == [.withdraw(prompt(1, .leave), .reconfigured)])
        }
        #expect(scene.prompter.prompts.isEmpty && scene.deadline == nil)
    }

    @Test mutating func `a departure goes on after a restart, with its question under the same number`() throws {
        let home = try network(.prompt, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 5)
        _ = scene.determine(2, ready, at: 5)
        let memory = scene.prompter.memory(at: Scene.at(6))
        scene.prompter = Prompter()
        scene.prompter.restored(memory, networks: ["door": home], inside: [], at: Scene.at(6))
        // Its region may be inside again, which shows soon.
        #expect(scene.change(at: 7) == [] && scene.deadline == 36)
        #expect(scene.advance(to: 36) == [.determineCondition(ticket: 1, home, .leave)])
        #expect(scene.determine(1, ready, at: 36) == [.announce(prompt(1, .leave))])
    }

    @Test mutating func `the cool-down of departures outlives a restart`() throws {
        let home = try network(.auto, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 5)
        _ = scene.determine(2, ready, at: 5)
        _ = scene.finish(1, at: 6)
        _ = arrive(home, at: 7)
        let memory = scene.prompter.memory(at: Scene.at(8))
        scene.prompter = Prompter()
        scene.prompter.restored(memory, networks: ["door": home], inside: ["door"], at: Scene.at(8))
        _ = arrive(home, at: 9)
        _ = scene.depart(at: 10)
        #expect(scene.deadline == 305)
    }

    @Test mutating func `a region that is gone after a restart is not departed from`() throws {
        let home = try network(.auto, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 5)
        let memory = scene.prompter.memory(at: Scene.at(6))
        scene.prompter = Prompter()
        scene.prompter.restored(memory, networks: ["gate": home], inside: [], at: Scene.at(6))
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a user who logs in after the question is asked about`() throws {
        let home = try network(.prompt, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 10)
        _ = scene.determine(2, ready, at: 10)
        let attempt = attempt(1, home, .leave, prompt(1, .leave))
        _ = try scene.answer(1, .join, at: 11)
        let failure = JoinFailure.userLoggedIn(ssid: "Home")
        #expect(scene.finish(1, failure, at: 12) == [.actionFailed(attempt, failure)])
        _ = scene.advance(to: 42)
        let loggedIn = NetworkCondition.ready(JoinReadiness(isLoggedInOver: true))
        #expect(scene.determine(3, loggedIn, at: 42) == [.announce(prompt(2, .leaveLoggedIn))])
        guard case .startAction(let second)? = try scene.answer(2, .join, at: 43).last else {
            Issue.record("nothing starts")
            return
        }
        #expect(second.consent == .endLogins && attempt.consent == [])
    }

    @Test mutating func `an answer does what its question said`() throws {
        let (join, hotspot) = try (network(.prompt, .join), network(.prompt, .hotspot))
        _ = arrive(join, at: 0)
        _ = scene.prompter.arrived(region: "gate", network: hotspot, at: Scene.at(1))
        _ = scene.determine(1, ready, at: 1)
        // The region that comes next has another action: the question is another one.
        let asked = Prompt(id: "1", ssid: "Home", regions: ["door", "gate"], arrival: 1)
        #expect(scene.depart(at: 2).first == .withdraw(asked, .departed))
    }

    @Test mutating func `a configuration without the network during a join does not leave it`() throws {
        let home = try network(.auto, .join, .radioOff)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, ready, at: 0)
        #expect(scene.prompter.departed(region: "door", isReconfigured: true, at: Scene.at(1)) == [])
        #expect(scene.finish(1, at: 2) == [.actionCompleted(attempt(1, home, .join), Scene.joined)])
        #expect(scene.deadline == nil)
    }

    @Test mutating func `a question whether to switch Wi-Fi off is withdrawn when another network's region is entered`()
        throws
    {
        let home = try network(.prompt, .radioOn, .radioOff)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 10)
        _ = scene.determine(2, ready, at: 10)
        let actions = scene.prompter.arrived(region: "office", network: try network(ssid: "Work"), at: Scene.at(20))
        #expect(actions.first == .withdraw(prompt(1, .switchOff), .arrived))
        #expect(scene.deadline == 50)
    }

    @Test(arguments: [OnlinePolicy.once, .always]) mutating func `Wi-Fi is not switched on beside another connection`(
        whenOnline: OnlinePolicy
    ) throws {
        let home = try HomeNetwork(ssid: "Home", join: .auto, whenOnline: whenOnline, onDeparture: .radioOff)
        _ = arrive(home, at: 0)
        let actions = scene.determine(1, .switchedOff(otherConnection: .ethernet), at: 0)
        if whenOnline == .always {
            #expect(actions == [.startAction(attempt(1, home, .join))])
        } else {
            #expect(actions == [.note(ssid: "Home", regions: ["door"], .otherConnection(.ethernet))])
        }
    }

    @Test mutating func `a region that turns out to be left during a restart is a departure`() throws {
        let home = try network(.auto, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        let memory = scene.prompter.memory(at: Scene.at(6))
        scene.prompter = Prompter()
        scene.prompter.restored(memory, networks: ["door": home], inside: ["door"], at: Scene.at(6))
        #expect(scene.depart(at: 8) == [.determineCondition(ticket: 1, home, .leave)])
    }

    @Test mutating func `a departure that was interrupted is tried again`() throws {
        let home = try network(.auto, .join, .leave)
        _ = arrive(home, at: 0)
        _ = scene.determine(1, .alreadyConnected, at: 0)
        _ = scene.depart(at: 5)
        _ = scene.determine(2, ready, at: 5)
        #expect(scene.finish(1, .interrupted, at: 6) == [.actionFailed(attempt(1, home, .leave), .interrupted)])
        #expect(scene.deadline == 36)
        #expect(scene.advance(to: 36) == [.determineCondition(ticket: 3, home, .leave)])
    }
}
