import HTTPTypes
import OkaeriConfiguration
import OkaeriEvents
import OkaeriHouse
import OkaeriPlumbing
import OkaeriReceivers
import OkaeriServer

/// The receivers of other makes, which the page offers and the user chooses.
extension PageData {
    var receiverEndpoints: [Endpoint] {
        [
            Endpoint(.get, Route.receivers, .socket) { _ in .json(try await receivers()) },
            Endpoint(.post, "\(Route.configuration)/receivers", .socket) { exchange in
                let request = try await exchange.body(upTo: Self.largestReceivers, of: "receivers")
                return .json(try await set(receivers: request), in: exchange.request.language)
            },
        ]
    }

    /// A hundred receivers with the longest names.
    private static let largestReceivers = 32 << 10

    /// Looks for receivers at the broker of the configuration.
    func receivers() async throws(PageFailure) -> ReceiversReport {
        let (configuration, saved) = try await pool.run { [files] () throws(PageFailure) in
            let merged = try Self.content(of: files).merged
            return (merged.configuration, merged.saved.receivers)
        }
        guard let broker = configuration.mqtt?.broker else {
            throw PageFailure(.notFound, LocalizedText(ReceiverPhrase.noBroker))
        }
        guard !configuration.isReceiver || configuration.isStandby else {
            throw PageFailure(.notFound, LocalizedText(ReceiverPhrase.atHub))
        }
        let directory: ReceiverDirectory
        do {
            directory = try await search.receivers(at: broker)
        } catch let failure as HouseReader.Failure {
            throw PageFailure(.serviceUnavailable, failure)
        } catch {
            throw PageFailure(.serviceUnavailable, LocalizedText("\(error)"))
        }
        let found = directory.receivers.map { receiver in
            let choice = saved.first { $0.make == receiver.make && $0.name == receiver.name }
            return ReceiversReport.Receiver(
                receiver.make, receiver.name, used: configuration.uses(receiver), saved: choice?.room, found: true)
        }
        let silent = saved.filter { choice in
            !directory.receivers.contains { $0.make == choice.make && $0.name == choice.name }
        }
        return ReceiversReport(
            receivers: found + silent.map { .init($0.make, $0.name, used: true, saved: $0.room, found: false) },
            more: directory.isCut)
    }

    /// Uses the receivers of a request, and no longer those without a room.
    func set(receivers request: [UInt8]) async throws(PageFailure) -> ConfigurationReport {
        let choices: [ReceiverChoice]
        do throws(ConfigurationError) {
            let node = try JSONNode(json: request, file: "the request")
            guard case .object(let members) = node.value, members.count == 1, let list = node["receivers"] else {
                throw ConfigurationError(
                    file: "the request", place: "the object", found: "no receivers, or more than them",
                    expected: "receivers alone: each with its type, its name, and its room or null")
            }
            choices = try ReceiverChoice.list(list)
        } catch {
            throw PageFailure(.badRequest, error)
        }
        return try await change { files, content throws(RegionFiles.Refusal) in
            try files.setting(choices, in: content)
        }
    }
}

extension ReceiversReport.Receiver {
    fileprivate init(_ make: ReceiverMake, _ name: String, used: Bool, saved: String?, found: Bool) {
        self.init(type: make.rawValue, make: make.title, name: name, used: used, saved: saved, found: found)
    }
}
