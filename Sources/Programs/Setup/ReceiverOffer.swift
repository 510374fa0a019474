import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriReceivers

/// The questions about receivers of other makes that publish at the broker of a set-up. None is used without a yes.
struct ReceiverOffer {
    /// More names do not fit a line.
    private static let mostNames = 8

    /// The text of the configuration, with the answers so far.
    let draft: String
    let file: String
    let console: any Console
    let service: any SetupService

    /// Returns the text with the receivers that the user wants.
    func run() async throws -> String {
        guard let configuration = try? ConfigurationText(draft, file: file).configuration(),
            let broker = configuration.mqtt?.broker, !configuration.isReceiver
        else { return draft }
        console.say(ReceiverPhrase.looking)
        let found: [FoundReceiver]
        let step = console.language(ReceiverPhrase.lookingStep)
        switch try await console.during(step, { [service] in await service.receivers(at: broker) }) {
        case .success(let receivers): found = receivers
        case .failure(let mistake):
            console.say(ReceiverPhrase.notLooked, mistake.sentence)
            return draft
        }
        var text = draft
        let offered = found.filter { !configuration.uses($0) }
        for make in ReceiverMake.allCases {
            let names = offered.filter { $0.make == make }.map(\.name)
            if !names.isEmpty { text = try await offer(make, names, in: text) }
        }
        return text
    }

    private func offer(_ make: ReceiverMake, _ names: [String], in text: String) async throws -> String {
        let shown = names.prefix(Self.mostNames) + (names.count > Self.mostNames ? ["…"] : [])
        let isWanted = try await console.confirm(
            ReceiverPhrase.offer, "\(names.count)", make.title, console.language.list(Array(shown)), default: false)
        guard isWanted else { return text }
        var choices: [ReceiverChoice] = []
        for name in names { choices.append(ReceiverChoice(make, name: name, room: try await room(of: name, make))) }
        do throws(ConfigurationError) {
            let changed = try ConfigurationText(text, file: file).adding(choices)
            console.say(ReceiverPhrase.added, "\(names.count)", make.title)
            return changed
        } catch {
            console.say(error.sentence(in: console.language))
            return text
        }
    }

    /// Returns the room of a receiver. That of a node of ESPresense is its name.
    private func room(of name: String, _ make: ReceiverMake) async throws -> String {
        if make == .espresense { return name }
        return try await console.ask(console.language(ReceiverPhrase.room, name)) { line throws(Mistake) in
            guard !line.isEmpty else { return name }
            guard Configuration.isRoom(line) else { throw console.mistake(ServicePhrase.roomMistake) }
            return line
        }
    }
}
