package import Events
package import IBeacon
package import OkaeriConfiguration
import RegionMonitoring
package import WiFi

/// The questions of a set-up, one after the other: what is heard, found and typed comes in, what is to be shown and done
/// goes out. Nothing is written before the last answer.
package struct SetupDialogue {
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

        /// Whether there is nothing left to ask: the network and the calibration are a choice.
        package var areComplete: Bool { beacons != nil && identifier != nil }
    }

    /// Whether beacons can be heard.
    package enum Bluetooth: Sendable, Equatable {
        case on
        /// It can be switched on; what that takes, as the end of a sentence.
        case off(intention: String)
        case unusable(reason: String, isPermission: Bool)
    }

    package enum Event: Sendable {
        case bluetooth(Bluetooth)
        case beacons([BeaconReport])
        case line(String)
        case networks(Result<[VisibleNetwork], JoinFailure>)
        case condition(NetworkCondition)
        /// The RSSI at one metre in dBm; or why it is not known.
        case calibrated(Int8)
        case notCalibrated(String)
        /// The time left of a measurement of the filtered signal, and why beacons cannot be received, if they cannot.
        case measuring(left: Duration, trouble: String?)
    }

    package enum Action: Sendable, Equatable {
        case say(String)
        /// A question; the answer comes as a line.
        case ask(String)
        /// A question about the devices in range: it is shown above from now on, until another question or message.
        case choose(String)
        case show([Candidate])
        case findBluetooth
        case switchOn
        case listen
        case stopListening
        case findNetworks
        case examine(HomeNetwork)
        case calibrate(BeaconConstraint, identifier: String)
        /// Listens, and reports the time left once a second until it is zero.
        case measureSignal
        case progress(left: Duration, readings: Int)
        /// Goes on with `okaeri join` and this broker, which asks the other questions.
        case join(String)
        /// The file's new text.
        case write(String)
        case end(Ending)
    }

    /// A beacon in the air, with the number that it keeps.
    package struct Candidate: Sendable, Equatable {
        package var number: Int
        package var beacon: BeaconReport
    }

    /// An end without writing anything.
    package enum Ending: Sendable, Equatable {
        case declined
        /// The machine is a receiver: there is nothing to ask.
        case receiver
        case noBluetooth(isPermission: Bool)
        case noConfiguration
    }

    enum Question: Equatable {
        /// Whether this is the first machine of its house; and the broker of the house if it is not.
        case first, broker
        case switchOn, beacon, weak, identifier, network, stays, calibration, place, near, nearPlace, consent
        /// Whether a region that is there becomes another.
        case replacement(String)
    }

    var answers: Answers
    let regions: [Configuration.Region]
    let file: String
    let text: String?

    /// The arguments of the `okaeri join` that made this machine a receiver; `nil` if it is not a receiver.
    let receiver: String?
    /// Whether this machine may be the first one of its house, or a further one.
    var isPlaceOpen: Bool

    var question: Question?
    var hearsBeacons = false
    var candidates: [Candidate] = []
    var numbers: [BeaconIdentity: Int] = [:]
    var networks: [VisibleNetwork] = []
    var isNetworkDecided = false
    /// Whether the machine stays while the beacon moves; `nil`: not asked yet, and to be asked if a network was chosen.
    var stays: Bool?
    var removesNetwork = false
    /// The network that there is nothing to join with.
    package internal(set) var unsavedNetwork: String?
    var isCalibrationDecided = false
    var measuredPower: Int8?
    var isNearDecided = false
    var measurement: SignalMeasurement?
    var thresholds: ThresholdProposal?
    /// Whether nothing is asked at all.
    let isSilent: Bool
    /// The name of the user, which Enter stands for.
    let owner: String?
    /// The beacon whose signal is weaker than that of one in the hand.
    var doubted: Candidate?

    /// - Parameters:
    ///   - answers: The answers that are known without a question; there are no questions if they are complete.
    ///   - text: The content of the file, a configuration; `nil` if there is none.
    ///   - file: The absolute path of the file.
    ///   - owner: The name of the user, if it is known.
    ///   - receiver: The arguments of the `okaeri join` that made this machine a receiver; `nil` if it is not a receiver.
    package init(
        _ answers: Answers, text: String?, regions: [Configuration.Region], file: String, owner: String? = nil,
        receiver: String? = nil
    ) {
        // No user has the example's beacon, nor its network.
        let isExample = text == Configuration.example
        self.answers = answers
        self.text = isExample ? nil : text
        self.regions = isExample ? [] : regions
        self.file = file
        self.owner = owner.flatMap { Configuration.Region.isIdentifier($0) ? $0 : nil }
        // An answer about a region decides that this machine has one.
        let hasAnswer = answers.beacons != nil || answers.identifier != nil || answers.network != nil
        self.receiver = hasAnswer ? nil : receiver
        isPlaceOpen = !hasAnswer && self.regions.isEmpty
        isSilent = answers.areComplete
        isNetworkDecided = isSilent || answers.network != nil
        stays = isNetworkDecided ? true : nil
        isCalibrationDecided = isSilent
        isNearDecided = isSilent
    }

    /// The first step.
    package mutating func begin() -> [Action] {
        guard !isSilent else { return next() }
        if let receiver { return endReceiver(receiver) }
        return [.say("Your answers are written to \(file), after the last one.")] + next()
    }

    package mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .bluetooth(let bluetooth): found(bluetooth)
        case .beacons(let beacons): measurement == nil ? heard(beacons) : received(beacons)
        case .line(let line): question.map { answered($0, line.trimmed) } ?? []
        case .networks(let networks): found(networks)
        case .condition(let condition): examined(condition)
        case .calibrated(let power): calibrated(power)
        case .notCalibrated(let reason): [.say(reason)] + ask(.calibration, "Measure again? [y/N] ")
        case .measuring(let left, let trouble): measuring(left: left, trouble: trouble)
        }
    }

    mutating func next() -> [Action] {
        question = nil
        guard !isPlaceOpen else { return askFirst() }
        guard let beacons = answers.beacons else {
            guard hearsBeacons else { return [.findBluetooth] }
            return [.say("Hold your beacon to this machine."), .listen] + askBeacon()
        }
        guard let identifier = answers.identifier else { return askIdentifier() }
        guard isNetworkDecided else { return [.say("Looking for Wi-Fi …"), .findNetworks] }
        if answers.network != nil, region?.network == nil, stays == nil { return askStays() }
        guard isCalibrationDecided else {
            return ask(
                .calibration, "Measure its signal at one metre now, so that distances are right? It takes 20 s. [y/N] ")
        }
        guard isNearDecided else { return askNear() }
        return finish(identifier, beacons)
    }

    mutating func ask(_ question: Question, _ words: String) -> [Action] {
        self.question = question
        return [.ask(words)]
    }

    private mutating func answered(_ question: Question, _ line: String) -> [Action] {
        switch question {
        case .broker: return chose(broker: line)
        case .beacon: return chose(line)
        case .identifier: return named(line)
        case .network: return choseNetwork(line)
        case .place: return place()
        case .nearPlace: return measureSignal()
        case .first, .switchOn, .weak, .stays, .calibration, .near, .consent, .replacement:
            switch Self.isYes(line, default: [.first, .consent, .switchOn, .stays].contains(question)) {
            case nil: return [.ask("Please answer y or n: ")]
            case true?: return agreed(question)
            case false?: return declined(question)
            }
        }
    }

    private mutating func agreed(_ question: Question) -> [Action] {
        self.question = nil
        switch question {
        case .first:
            isPlaceOpen = false
            return next()
        case .switchOn: return [.switchOn]
        case .weak: return takeDoubted()
        case .stays:
            stays = true
            return next()
        case .calibration:
            return ask(
                .place, "Put it down one metre from the antenna, in its sight, and step aside; then press Enter: ")
        case .near: return askNearPlace()
        case .consent: return write()
        case .replacement(let identifier):
            answers.identifier = identifier
            return next()
        case .broker, .beacon, .identifier, .network, .place, .nearPlace: return []
        }
    }

    private mutating func declined(_ question: Question) -> [Action] {
        self.question = nil
        switch question {
        case .first: return askBroker()
        case .calibration:
            isCalibrationDecided = true
            return next()
        case .near:
            isNearDecided = true
            return next()
        case .replacement: return askIdentifier()
        case .stays:
            stays = false
            return [
                .say(
                    "The machine asks at each of its arrivals, also while another connection works.")
            ]
                + next()
        case .weak: return askBeacon()
        case .switchOn, .consent, .broker, .beacon, .identifier, .network, .place, .nearPlace:
            return [.end(.declined)]
        }
    }

    /// Returns the meaning of `y`, `n` and Enter; `nil` for anything else.
    static func isYes(_ line: String, default usual: Bool) -> Bool? {
        switch line.lowercased() {
        case "": usual
        case "y", "yes": true
        case "n", "no": false
        default: nil
        }
    }
}

extension String {
    /// Without space at its ends.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }
}
