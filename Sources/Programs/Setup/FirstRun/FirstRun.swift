package import NetworkManager
package import OkaeriConfiguration
import Plumbing
package import WiFi

/// The steps after `beacons.json` is written: each is asked about, carried out, and reported. A step that is declined or fails
/// is left out, and the commands for what is left are named at the end.
package struct FirstRun {
    /// The state of the machine before the steps.
    package struct Machine: Sendable {
        /// Whether the file is that of the service, and this process can control the service.
        package var controlsService: Bool
        /// Whether this process can add users to groups, and profiles to NetworkManager.
        package var isRoot: Bool

        package init(controlsService: Bool, isRoot: Bool) {
            self.controlsService = controlsService
            self.isRoot = isRoot
        }
    }

    package enum Event: Sendable {
        case line(String)
        case applied(Result<ServiceControl.Outcome, ServiceControl.Failure>)
        /// The reason why the user is not in the group, or `nil`.
        case added(trouble: String?)
        case saved(Result<SavedProfile, JoinFailure>)
        /// The path of the file with the password; or why there is none.
        case passwordWritten(Result<String, WriteObstacle>)
        case written(Result<Void, WriteObstacle>)
        case pageShown
    }

    package enum Action: Sendable, Equatable {
        case say(String)
        /// A question; the answer comes as a line.
        case ask(String)
        /// A question whose answer is not shown.
        case askSecret(String)
        case apply
        case addToGroup(String)
        case save(HomeNetwork, TypedPassphrase)
        /// Writes the broker's password to a file that only the service can read.
        case writePassword(String)
        /// Writes the file's new text in place of the old one.
        case write(String, replacing: String)
        /// Shows the page's links and logs a browser in, once the page listens at the address.
        case showPage(at: String)
        case end
    }

    enum Question: Equatable {
        case service, group(String), passphrase(HomeNetwork), page, room
        case host, port, username, password, encryption
    }

    enum Step: Equatable {
        case service, group(String), profile(HomeNetwork), page, room, broker
        /// Writes what the page, the room and the broker changed.
        case writing
    }

    /// The commands for what is left.
    package internal(set) var left: NextSteps
    /// The content of the file.
    var text: String
    let file: String
    var steps: [Step] = []
    var question: Question?
    /// The text with the answers that are not written yet.
    var draft: String
    var wantsPage = false
    /// The port of the page: the one in the file, or the usual one.
    private var pagePort: UInt16 = 8080
    /// The address that the page is offered at.
    var pageAddress: String { "0.0.0.0:\(pagePort)" }
    var isServiceDeclined = false
    var broker = BrokerAnswers()

    /// - Parameters:
    ///   - left: The steps that are left on this machine.
    ///   - network: The region's network, if NetworkManager has no profile of it.
    ///   - text: The content of the file.
    package init(_ left: NextSteps, on machine: Machine, network: HomeNetwork?, text: String) {
        self.left = left
        (self.text, draft, file) = (text, text, left.file)
        if machine.controlsService { steps.append(.service) }
        if machine.isRoot, let user = left.outsider { steps.append(.group(user)) }
        if machine.isRoot, left.unsavedNetwork != nil, let network { steps.append(.profile(network)) }
        guard machine.controlsService,
            let configuration = try? Configuration(json: Array(text.utf8), file: file)
        else { return }
        if configuration.web?.listen.address.isLoopback ?? true { steps.append(.page) }
        if let web = configuration.web { pagePort = web.listen.port }
        if configuration.node.room == nil { steps.append(.room) }
        if configuration.mqtt == nil { steps.append(.broker) }
        if steps.contains(.page) || steps.contains(.room) || steps.contains(.broker) { steps.append(.writing) }
    }

    /// The first step.
    package mutating func begin() -> [Action] { next() }

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .line(let line): return question.map { answered($0, line) } ?? []
        case .applied(let result): return applied(result)
        case .added(let trouble): return added(trouble)
        case .saved(let result): return saved(result)
        case .passwordWritten(let result): return passwordWritten(result)
        case .written(let result): return written(result)
        case .pageShown: return next()
        }
    }

    mutating func next() -> [Action] {
        question = nil
        guard let step = steps.first else { return [.end] }
        switch step {
        case .service:
            let what =
                switch left.daemon {
                case .runs: "Shall the service okaeri use it from now on?"
                case .absent: "Start the service okaeri, now and with this machine?"
                }
            return ask(.service, "\(what) [Y/n] ")
        case .group(let user):
            return ask(.group(user), "Add \(user) to the group okaeri, which may use the service without sudo? [Y/n] ")
        case .profile(let network): return askPassphrase(network)
        case .page:
            return ask(.page, "Open the page to your phone in this network? The connection is not encrypted. [y/N] ")
        case .room: return ask(.room, "Which room is this machine in? Such as kitchen, or Enter for none: ")
        case .broker: return askHost()
        case .writing: return write()
        }
    }

    /// Ends the present step, and begins the next.
    mutating func advance() -> [Action] {
        if !steps.isEmpty { steps.removeFirst() }
        return next()
    }

    mutating func ask(_ question: Question, _ words: String) -> [Action] {
        self.question = question
        return [.ask(words)]
    }

    mutating func askSecret(_ question: Question, _ words: String) -> [Action] {
        self.question = question
        return [.askSecret(words)]
    }

    private mutating func answered(_ question: Question, _ line: String) -> [Action] {
        switch question {
        case .service, .group, .page, .encryption:
            switch SetupDialogue.isYes(line.trimmed, default: question != .page && question != .encryption) {
            case nil: return [.ask("Please answer y or n: ")]
            case true?: return agreed(question)
            case false?: return declined(question)
            }
        case .passphrase(let network): return typed(line, for: network)
        case .room: return named(line.trimmed)
        case .host: return chose(host: line.trimmed)
        case .port: return chose(port: line.trimmed)
        case .username: return chose(username: line.trimmed)
        case .password: return typedPassword(line)
        }
    }

    private mutating func declined(_ question: Question) -> [Action] {
        switch question {
        case .encryption: return encrypted(false)
        case .service:
            // The page needs a service that runs, and what is written is for its next start.
            isServiceDeclined = true
            steps.removeAll { $0 == .page }
            return advance()
        case .group, .page, .passphrase, .room, .host, .port, .username, .password: return advance()
        }
    }

    private mutating func agreed(_ question: Question) -> [Action] {
        self.question = nil
        switch question {
        case .service: return [.say("This may take a few seconds …"), .apply]
        case .group(let user): return [.addToGroup(user)]
        case .encryption: return encrypted(true)
        case .page:
            wantsPage = true
            return advance()
        case .passphrase, .room, .host, .port, .username, .password: return []
        }
    }
}

// MARK: The service, the group, the network

extension FirstRun {
    private mutating func applied(_ result: Result<ServiceControl.Outcome, ServiceControl.Failure>) -> [Action] {
        switch result {
        case .success(let outcome):
            left.isApplied = true
            let said = Action.say(outcome.description)
            guard steps.first == .writing, wantsPage else { return [said] + advance() }
            steps.removeFirst()
            return [said, .showPage(at: pageAddress)]
        case .failure(let failure):
            left.isApplied = false
            return [.say("\(failure).")] + advance()
        }
    }

    private mutating func added(_ trouble: String?) -> [Action] {
        guard let user = left.outsider else { return advance() }
        guard let trouble else {
            left.outsider = nil
            return [.say("\(user) is in the group okaeri from the next login on.")] + advance()
        }
        return [.say("\(user) is not in the group okaeri: \(trouble).")] + advance()
    }

    private mutating func askPassphrase(_ network: HomeNetwork) -> [Action] {
        let name = network.ssid.plain(replacesFormat: true)
        return askSecret(
            .passphrase(network),
            "NetworkManager has no profile of \"\(name)\". Its passphrase, which is not shown, or Enter for none: ")
    }

    private mutating func typed(_ line: String, for network: HomeNetwork) -> [Action] {
        guard !line.isEmpty else { return advance() }
        do throws(TypedPassphrase.Mistake) {
            let passphrase = try TypedPassphrase(line)
            question = nil
            return [.say("Looking for it, and joining it if the Wi-Fi is free …"), .save(network, passphrase)]
        } catch {
            return [.say("Not tried: \(error).")] + askPassphrase(network)
        }
    }

    private mutating func saved(_ result: Result<SavedProfile, JoinFailure>) -> [Action] {
        guard case .profile(let network)? = steps.first else { return [] }
        let words: String
        switch result {
        case .success(.existing): words = "NetworkManager has a profile of it already."
        case .success(.joined(let device)):
            words = "\(device ?? "This machine") has joined it; NetworkManager has the profile from now on."
        case .success(.untried(let device)):
            words =
                "NetworkManager has the profile. \(device ?? "The Wi-Fi") stays in its present network, so the passphrase is "
                + "not tried yet."
        case .failure(let failure) where failure.isOfCredentials:
            return [.say("The network did not accept it.")] + askPassphrase(network)
        case .failure(let failure): return [.say("It was not joined: \(failure).")] + advance()
        }
        left.unsavedNetwork = nil
        return [.say(words)] + advance()
    }
}
