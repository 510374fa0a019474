package import IBeacon
package import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
package import OkaeriWiFi
import RegionMonitoring

/// The questions about a beacon and its region, in their order. Nothing is written before the last answer.
package struct RegionSetup {
    /// The answers that are known without a question.
    package struct Answers: Sendable {
        package var beacons: BeaconConstraint?
        package var identifier: String?
        package var network: HomeNetwork?

        package init(beacons: BeaconConstraint? = nil, identifier: String? = nil, network: HomeNetwork? = nil) {
            self.beacons = beacons
            self.identifier = identifier
            self.network = network
        }

        /// Whether there is nothing left to ask: the network and the measurements are a choice.
        package var areComplete: Bool { beacons != nil && identifier != nil }

        var areEmpty: Bool { beacons == nil && identifier == nil && network == nil }
    }

    package enum Outcome: Sendable, Equatable {
        /// The new text of the file, and the network that NetworkManager has no profile of.
        case text(String, unsavedNetwork: String?)
        /// The broker of the house that this machine joins: `okaeri join` asks the other questions.
        case join(String)
        /// The machine is a receiver: there is nothing to ask.
        case receiver
    }

    /// An end without a text.
    package enum Failure: Error, Equatable {
        case declined
        case noBluetooth(isPermission: Bool)
        /// The text with the answers would not be a configuration.
        case noConfiguration(ConfigurationError)
    }

    /// The weakest signal of a beacon that is held to the machine, in dBm.
    private static let weakestInHand: Int8 = -60

    let console: any Console
    let receiver: any SetupReceiver
    let wifi: any SetupNetworks
    let file: String
    let text: String?
    private let regions: [Configuration.Region]
    /// The name of the user, which Enter stands for.
    private let owner: String?
    /// The arguments of the `okaeri join` that made this machine a receiver; `nil` if it is not a receiver.
    private let joined: String?
    /// Whether this machine may be the first one of its house, or a further one.
    private let isPlaceOpen: Bool
    /// Whether nothing is asked at all.
    private let isSilent: Bool

    var answers: Answers
    /// Whether the machine stays while the beacon moves.
    var stays = true
    /// Whether the beacons become a further sign of a region that exists.
    var isFurther = false
    /// Whether the region is to have no network any more.
    var removesNetwork = false
    /// The network that NetworkManager has no profile of.
    var unsavedNetwork: String?
    var measuredPower: Int8?
    var thresholds: ThresholdProposal?

    /// - Parameters:
    ///   - answers: The answers that are known without a question; there are no questions if they are complete.
    ///   - text: The content of the file, a configuration; `nil` if there is none.
    ///   - file: The absolute path of the file.
    ///   - owner: The name of the user, if it is known.
    ///   - joined: The arguments of the `okaeri join` that made this machine a receiver; `nil` if it is not a receiver.
    package init(
        _ answers: Answers, text: String?, regions: [Configuration.Region], file: String, owner: String? = nil,
        joined: String? = nil, console: any Console, receiver: any SetupReceiver, wifi: any SetupNetworks
    ) {
        // No user has the example's beacon, nor its network.
        let isExample = text == Configuration.example
        (self.answers, isSilent, self.file) = (answers, answers.areComplete, file)
        self.text = isExample ? nil : text
        self.regions = isExample ? [] : regions
        self.owner = owner.flatMap { Configuration.Region.isIdentifier($0) ? $0 : nil }
        // An answer about a region decides that this machine has one.
        self.joined = answers.areEmpty ? joined : nil
        isPlaceOpen = answers.areEmpty && self.regions.isEmpty
        (self.console, self.receiver, self.wifi) = (console, receiver, wifi)
    }

    package mutating func run() async throws -> Outcome {
        guard !isSilent else { return try newText() }
        if let joined {
            sayReceiver(joined)
            return .receiver
        }
        say(.writesAtEnd, file)
        if isPlaceOpen {
            let isFirst = try await console.confirm(SetupPhrase.isFirst, default: true)
            guard isFirst else { return .join(try await askBroker()) }
        }
        if answers.beacons == nil { answers.beacons = try await askBeacon() }
        if let reason = answers.beacons.flatMap(FactoryIdentity.reason) {
            say(.factoryIdentity, reason, FactoryIdentity.remedy)
        }
        if answers.identifier == nil { answers.identifier = try await askIdentifier() }
        if answers.network == nil { try await askNetwork() }
        try await askPower()
        try await askThresholds()
        return try await confirmText()
    }

    /// Shows a sentence.
    func say(_ phrase: SetupPhrase, _ values: String...) { console.say(text(phrase, values)) }

    func text(_ phrase: SetupPhrase, _ values: String...) -> String { text(phrase, values) }

    private func text(_ phrase: SetupPhrase, _ values: [String]) -> String { console.language(phrase, values) }

    /// The region that is changed; `nil` for a new one.
    var region: Configuration.Region? { regions.first { $0.identifier == answers.identifier } }
}

// MARK: The place in a house of several: the first machine has the regions, each further one joins it.

extension RegionSetup {
    private func askBroker() async throws -> String {
        try await console.ask(text(.houseBroker)) { line throws(Mistake) in
            guard ServerAddress(line) != nil else {
                throw console.mistake(SetupPhrase.hostMistake)
            }
            return line
        }
    }

    private func sayReceiver(_ arguments: String) {
        say(.receiver, arguments, file)
    }
}

// MARK: The beacon

extension RegionSetup {
    private func askBeacon() async throws -> BeaconConstraint {
        try await requireBluetooth()
        say(.holdBeacon)
        let numbers = BeaconNumbers()
        while true {
            let lists = await receiver.listen().compactMap { numbers.list(after: $0) }
            let line = try await console.choose(text(.whichBeacon), among: lists)
            guard let (beacons, beacon) = try await chosen(by: line, among: numbers.candidates) else { continue }
            await receiver.stop()
            console.say("\(beacons)" + (beacon?.rssi.map { ", \($0) dBm" } ?? ""))
            guard let beacon else { return beacons }
            return try await masked(beacons, beacon)
        }
    }

    /// Shows the peculiarities of the identity of the chosen beacon, and returns the beacons of the region.
    private func masked(_ beacons: BeaconConstraint, _ beacon: BeaconReport) async throws -> BeaconConstraint {
        for case .shared(let transmitters) in beacon.identityNotes {
            let note = IdentityNote.shared(transmitters: transmitters).text(in: console.language)
            console.say(note + (console.language == .english ? "." : "。"))
        }
        guard let proposed = beacon.proposedMask, let mask = proposed.mask else { return beacons }
        let isMasked = try await console.confirm(SetupPhrase.isMasked, proposed.words, default: true)
        return isMasked ? beacons.masked(by: mask) : beacons
    }

    private func requireBluetooth() async throws {
        // An adapter may be slow, or there may be none.
        var bluetooth = try await console.during(nil) { [receiver] in await receiver.bluetooth() }
        while true {
            switch bluetooth {
            case .on: return
            case .unusable(let reason, let isPermission):
                console.say(reason)
                throw Failure.noBluetooth(isPermission: isPermission)
            case .off(let intention):
                guard try await console.confirm(SetupPhrase.bluetoothOff, intention, default: true) else {
                    throw Failure.declined
                }
                bluetooth = try await console.during(text(.switchingOn)) { [receiver] in
                    await receiver.switchOn()
                }
            }
        }
    }

    /// Returns the choice, with the beacon if it was in the list; `nil`: it is to be asked again.
    private func chosen(
        by line: String, among candidates: [CandidateList.Candidate]
    ) async throws -> (BeaconConstraint, BeaconReport?)? {
        if let constraint = BeaconConstraint(line) { return (constraint, nil) }
        let candidate = line.isEmpty ? candidates.first : candidates.first { String($0.number) == line }
        guard let beacon = candidate?.beacon, let identity = beacon.identity else {
            say(candidates.isEmpty ? .noBeaconYet : .notANumber, line.plain(replacesFormat: true))
            return nil
        }
        if let rssi = beacon.rssi, rssi < Self.weakestInHand,
            try await !console.confirm(
                SetupPhrase.inYourHand, "\(identity.major)/\(identity.minor)", "\(rssi)", default: false)
        {
            return nil
        }
        return (.minor(identity.uuid, identity.major, identity.minor), beacon)
    }
}

// MARK: The name

extension RegionSetup {
    private mutating func askIdentifier() async throws -> String {
        let own = regions.first { $0.monitored.constraint == answers.beacons }?.identifier
        /// The name that Enter stands for; `nil`: one has to be typed.
        let usual = own ?? owner.flatMap { owner in regions.contains { $0.identifier == owner } ? nil : owner }
        let proposal = usual.map { text(.proposal, $0.plain(replacesFormat: true)) } ?? ""
        while true {
            if let own { say(.known, own.plain(replacesFormat: true)) }
            let line = try await console.ask(text(.whose, proposal))
            let name = line.isEmpty ? usual ?? "" : line
            if try await isFree(name) { return name }
        }
    }

    /// Returns whether a name can be given to the beacons; if it is that of another region, after a question.
    private mutating func isFree(_ name: String) async throws -> Bool {
        guard Configuration.Region.isIdentifier(name) else {
            say(.nameMistake)
            return false
        }
        guard let region = regions.first(where: { $0.identifier == name })?.monitored,
            region.constraint != answers.beacons
        else { return true }
        let plain = name.plain(replacesFormat: true)
        if let others = region.constraint,
            try await console.confirm(SetupPhrase.replaces, name, "\(others)", default: false)
        {
            return true
        }
        if let signs = region.otherSigns { say(.severalSigns, plain, signs) }
        isFurther = try await console.confirm(SetupPhrase.isFurther, plain, default: false)
        return isFurther
    }
}
