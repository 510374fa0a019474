import IBeacon
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi
import RegionMonitoring

/// The Wi-Fi, the measurements, the text.
extension RegionSetup {
    /// More do not fit a terminal, and the strongest come first.
    private static let mostNetworks = 12

    // MARK: The Wi-Fi

    mutating func askNetwork() async throws {
        guard let network = try await chooseNetwork() else { return }
        answers.network = network
        let condition = try await console.during(text(.lookingForProfile)) { [wifi] in
            await wifi.condition(of: network)
        }
        // A profile that does not fit is corrected instead.
        if condition == .unavailable(.noCredentials(ssid: network.ssid)) { unsavedNetwork = network.ssid }
        console.say(condition.outlook(in: console.language))
        guard region?.network == nil else { return }
        stays = try await console.confirm(SetupPhrase.stays, default: true)
        if !stays { say(.asksAlways) }
    }

    /// Returns the network, or `nil` for none and for the one that the region has.
    private mutating func chooseNetwork() async throws -> HomeNetwork? {
        say(.lookingForNetworks)
        let found = try await console.during(text(.listingNetworks)) { [wifi] in await wifi.networks() }
        let networks = list(found)
        let present = region?.network?.ssid
        let what = text(networks.isEmpty ? .name : .numberOrName)
        let rest = present.map { text(.enterKeeps, $0.plain(replacesFormat: true)) } ?? text(.enterNone)
        return try await console.ask(text(.whichNetwork, what, rest)) { line in
            guard !line.isEmpty, line != "-" else {
                removesNetwork = line == "-" && present != nil
                return nil
            }
            return try self.network(line, of: networks)
        }
    }

    /// Shows the networks in sight, and returns them.
    private func list(_ found: Result<[VisibleNetwork], JoinFailure>) -> [VisibleNetwork] {
        switch found {
        case .failure(let failure):
            say(.noNetworks, console.language.sentence(failure))
            return []
        case .success(let all):
            if all.isEmpty { say(.noneInRange) }
            let networks = Array(all.prefix(Self.mostNetworks))
            for (index, network) in networks.enumerated() {
                let number = "\(index + 1)".padding(to: 3)
                let note = network.isSecured ? "" : text(.notSecured)
                console.say("  \(number) \("\(network.strength) %".padding(to: 6)) \(network.name)\(note)")
            }
            return networks
        }
    }

    private func network(_ line: String, of networks: [VisibleNetwork]) throws(Mistake) -> HomeNetwork {
        // A number may be a name, too.
        let numbered = networks.indices.first { String($0 + 1) == line }.map { networks[$0] }
        let chosen = networks.first { $0.ssid == line } ?? numbered
        if let chosen, case .weak(let seen) = chosen.security {
            throw Mistake(console.language.fullSentence(.onlyUnsecuredInSight(ssid: chosen.name, seen: seen)))
        }
        if chosen == nil, !networks.isEmpty, line.allSatisfy(\.isNumber) {
            throw console.mistake(SetupPhrase.notANumber, line)
        }
        do throws(SSIDLengthError) {
            return try HomeNetwork(ssid: chosen?.ssid ?? line)
        } catch {
            throw console.mistake(SetupPhrase.nameTooLong, "\(error.length)")
        }
    }

    // MARK: The signal at one metre

    mutating func askPower() async throws {
        guard let beacons = answers.beacons, let identifier = answers.identifier else { return }
        var isWanted = try await console.confirm(SetupPhrase.measureOneMetre, default: false)
        while isWanted {
            _ = try await console.ask(text(.placeOneMetre))
            let result = try await console.during(nil) { [receiver] in
                await receiver.calibrate(beacons, identifier: identifier)
            }
            do throws(Mistake) {
                let power = try result.get()
                measuredPower = power
                return console.say(text(.oneMetre, "\(power)") + (console.language == .english ? "." : "。"))
            } catch {
                console.say(error.sentence)
            }
            isWanted = try await console.confirm(SetupPhrase.measureAgain, default: false)
        }
    }

    // MARK: The thresholds of a region that is inside only while its beacon is near

    mutating func askThresholds() async throws {
        guard let beacons = answers.beacons else { return }
        let isLimited = isFurther && region?.monitored.signs.contains(where: \.isLimited) == true
        if isLimited { say(.furtherThresholds, answers.identifier?.plain(replacesFormat: true) ?? "") }
        if !isFurther, let region = region?.monitored,
            let present = words(enterRSSI: region.enterRSSI, exitRSSI: region.exitRSSI)
        {
            say(.presentThresholds, present)
        }
        var isWanted = try await console.confirm(SetupPhrase.onlyNear, default: isLimited)
        while isWanted {
            _ = try await console.ask(text(.placeFarthest))
            let measurement = try await console.during(nil) { [console, receiver] in
                await SignalMeasurement(of: beacons, receiver) { console.progress(left: $0, readings: $1) }
            }
            await receiver.stop()
            if let proposal = ThresholdProposal(signals: measurement.signals) {
                thresholds = proposal
                return sayThresholds(proposal, readings: measurement.signals.count)
            }
            console.say(measurement.trouble ?? text(.notReceivedThere))
            isWanted = try await console.confirm(SetupPhrase.measureAgain, default: false)
        }
    }

    private func sayThresholds(_ proposal: ThresholdProposal, readings: Int) {
        let noise =
            proposal.noise.map { text(.varies, $0.rounded(digits: 1).plain) } ?? text(.tooFew, "\(readings)")
        say(.thresholds, "\(proposal.signal)", noise, "\(proposal.enterRSSI - proposal.exitRSSI)")
    }

    private func words(enterRSSI: Int?, exitRSSI: Int?) -> String? {
        let words = [enterRSSI.map { text(.insideFrom, "\($0)") }, exitRSSI.map { text(.outsideBelow, "\($0)") }]
        let present = words.compactMap(\.self)
        return present.isEmpty ? nil : console.language.list(present)
    }

    // MARK: The text

    func confirmText() async throws -> Outcome {
        let network =
            answers.network.map { text(.asksOnArrival, $0.ssid.plain(replacesFormat: true)) }
            ?? (removesNetwork ? text(.noNetworkAnyMore) : nil)
        let power = measuredPower.map { text(.oneMetre, "\($0)") }
        let near = thresholds.flatMap { words(enterRSSI: $0.enterRSSI, exitRSSI: $0.exitRSSI) }
        let facts = [answers.beacons.map { "\($0)" }, network, power, near].compactMap(\.self)
        let name = answers.identifier?.plain(replacesFormat: true) ?? ""
        say(.facts, name, console.language.parts(facts))
        guard try await console.confirm(SetupPhrase.writes, file, default: true) else { throw Failure.declined }
        return try newText()
    }

    func newText() throws(Failure) -> Outcome {
        do throws(ConfigurationError) {
            let new = try ConfigurationText(text, file: file).setting(patch)
            return .text(new, unsavedNetwork: unsavedNetwork)
        } catch {
            throw .noConfiguration(error)
        }
    }

    private var patch: RegionPatch {
        let identifier = answers.identifier ?? ""
        var settings: JSONNode.Value = [:]
        settings["measuredPower"] = measuredPower.map { .number(Double($0)) }
        settings["enterRSSI"] = thresholds.map { .number(Double($0.enterRSSI)) }
        settings["exitRSSI"] = thresholds.map { .number(Double($0.exitRSSI)) }
        var patch = RegionPatch(identifier: identifier)
        if let beacons = answers.beacons, isFurther {
            patch = RegionPatch(identifier: identifier, further: beacons, settings)
        } else {
            if let beacons = answers.beacons { patch = RegionPatch(identifier: identifier, beacons) }
            for setting in settings.members { patch[setting.key] = setting.node.value }
        }
        if let network = answers.network {
            var wifi = network.name.network
            wifi["passphraseFile"] = network.passphraseFile.map { .string($0) }
            // Whether it is asked about is decided already where it has one.
            if region?.network == nil { wifi["join"] = .string(network.join.rawValue) }
            if !stays { wifi["whenOnline"] = .string(OnlinePolicy.always.rawValue) }
            patch["wifi"] = wifi
        } else if removesNetwork {
            patch["wifi"] = .null
        }
        return patch
    }
}

/// The filtered signal of a beacon over the time of a measurement.
struct SignalMeasurement: Sendable {
    /// The beacon: of several that match, the one that was nearest first.
    private var identity: BeaconIdentity?
    /// The last reading: of a beacon whose identity changes, the count begins anew.
    private var count: (identity: BeaconIdentity?, number: UInt64)?
    private(set) var signals: [Double] = []
    /// The reason why beacons cannot be received, if there is one.
    private(set) var trouble: String?

    /// Measures, and reports the time left and the number of readings.
    init(
        of beacons: BeaconConstraint, _ receiver: any SetupReceiver,
        progress: @Sendable (_ left: Duration, _ readings: Int) -> Void
    ) async {
        for await reception in await receiver.measure() {
            switch reception {
            case .beacons(let received): add(received, matching: beacons)
            case .trouble(let reason): trouble = reason
            case .left(let left): progress(left, signals.count)
            }
        }
    }

    private mutating func add(_ beacons: [BeaconReport], matching constraint: BeaconConstraint) {
        for beacon in beacons.nearestFirst {
            guard let found = beacon.identity.flatMap(constraint.normalized), identity ?? found == found else {
                continue
            }
            identity = found
            // The list repeats a beacon that was not received anew.
            if count?.identity != beacon.identity || count?.number != beacon.count, let signal = beacon.signal {
                signals.append(signal)
            }
            count = (beacon.identity, beacon.count)
            return
        }
    }
}

extension NetworkCondition {
    /// Returns the result of a join now, in a sentence.
    fileprivate func outlook(in language: Language) -> String {
        switch self {
        case .alreadyConnected: language(SetupPhrase.alreadyConnected)
        case .connecting: language(SetupPhrase.connecting)
        case .switchedOff: language(SetupPhrase.switchedOff)
        case .ready: language(SetupPhrase.ready)
        case .unavailable(let failure): language(SetupPhrase.unavailable, language.sentence(failure))
        }
    }
}

extension Language {
    /// Returns the cause and the remedy of a failure, without a full stop.
    func sentence(_ failure: JoinFailure) -> String { reason(failure.code.rawValue, failure.description) }

    /// Returns the cause and the remedy of a failure.
    fileprivate func fullSentence(_ failure: JoinFailure) -> String {
        sentence(failure) + (self == .english ? "." : "。")
    }
}

extension VisibleNetwork {
    /// The name without control characters, because any device or access point can choose it.
    fileprivate var name: String { ssid.plain(replacesFormat: true) }
}
