import Testing
@testable import OkaeriWiFi

/// A second hand, for times that are written down.
struct Instant: InstantProtocol {
    var offset: Duration

    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
}

typealias Prompter = JoinPrompter<Instant>

/// A prompter whose tests give the time in seconds. Everything goes through its events.
struct Scene {
    var prompter: Prompter

    init(refused: Set<SSID> = [], firstPrompt: Int = 1) {
        prompter = Prompter()
        prompter.restored(.init(refused: refused, nextPrompt: firstPrompt), networks: [:], at: Self.at(0))
    }

    static func at(_ seconds: Int) -> Instant { Instant(offset: .seconds(seconds)) }

    static func network(_ ssid: String = "Home", _ join: JoinPolicy = .prompt) throws -> HomeNetwork {
        try HomeNetwork(ssid: ssid, join: join)
    }

    static func prompt(_ id: Int, regions: [String] = ["door"], arrival: Int = 1) -> Prompt {
        Prompt(id: String(id), ssid: "Home", regions: regions, arrival: arrival)
    }

    static func attempt(_ id: Int, _ prompt: Prompt?, _ join: JoinPolicy = .prompt) throws -> JoinAttempt {
        JoinAttempt(id: id, network: try network("Home", join), regions: prompt?.regions ?? ["door"], prompt: prompt)
    }

    static let joined = JoinedNetwork(ssid: "Home", device: "wlan0", credentials: .savedProfile)

    var deadline: Int? { prompter.nextDeadline.map { Int($0.offset.components.seconds) } }

    mutating func arrive(
        _ region: String = "door", _ join: JoinPolicy = .prompt, ssid: String = "Home", at seconds: Int
    ) throws -> [PrompterAction] {
        prompter.arrived(region: region, network: try Self.network(ssid, join), at: Self.at(seconds))
    }

    mutating func depart(_ region: String = "door", at seconds: Int) -> [PrompterAction] {
        prompter.departed(region: region, at: Self.at(seconds))
    }

    mutating func determine(_ ticket: Int, _ condition: NetworkCondition, at seconds: Int) -> [PrompterAction] {
        prompter.conditionDetermined(ticket: ticket, condition, at: Self.at(seconds))
    }

    mutating func answer(_ id: Int, _ answer: PromptAnswer, at seconds: Int) throws -> [PrompterAction] {
        try prompter.answered(String(id), answer, at: Self.at(seconds))
    }

    mutating func finish(_ id: Int, _ failure: JoinFailure? = nil, at seconds: Int) -> [PrompterAction] {
        prompter.actionFinished(
            id, result: failure.map(Result.failure) ?? .success(Self.joined), at: Self.at(seconds))
    }

    mutating func change(at seconds: Int) -> [PrompterAction] { prompter.wifiChanged(at: Self.at(seconds)) }

    mutating func advance(to seconds: Int) -> [PrompterAction] { prompter.advanced(to: Self.at(seconds)) }

    /// Arrives and is asked: prompt `id` waits.
    mutating func prompted(_ id: Int = 1, ticket: Int = 1, at seconds: Int = 0) throws {
        _ = try arrive(at: seconds)
        _ = determine(ticket, .ready(via: .savedProfile), at: seconds)
        try #require(prompter.prompts.map(\.id) == [String(id)])
    }

    /// Arrives, and answers the prompt with join: attempt 1 runs.
    mutating func joining(at seconds: Int = 0) throws {
        try prompted(at: seconds)
        _ = try answer(1, .join, at: seconds)
    }
}
