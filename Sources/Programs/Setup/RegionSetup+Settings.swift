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
        let condition = try await console.during("looking for a profile of this network") { [wifi] in
            await wifi.condition(of: network)
        }
        // A profile that does not fit is corrected instead.
        if condition == .unavailable(.noCredentials(ssid: network.ssid)) { unsavedNetwork = network.ssid }
        console.say(condition.outlook)
        guard region?.network == nil else { return }
        stays = try await console.confirm(
            "Does this machine stay here while the beacon comes and goes? Answer n for a machine that moves, such as a laptop, "
                + "while the beacon stays at home.", default: true)
        if !stays { console.say("Okaeri asks at each arrival of this machine, also while another connection works.") }
    }

    /// Returns the network, or `nil` for none and for the one that the region has.
    private mutating func chooseNetwork() async throws -> HomeNetwork? {
        console.say("Looking for Wi-Fi …")
        let found = try await console.during("looking for Wi-Fi networks") { [wifi] in await wifi.networks() }
        let networks = list(found)
        let present = region?.network?.ssid
        let what = networks.isEmpty ? "Its name" : "Its number or name"
        let rest =
            present.map { "Enter to keep \"\($0.plain(replacesFormat: true))\", - for none" } ?? "Enter for none"
        let question = "Which Wi-Fi should Okaeri offer on arrival? \(what), or \(rest): "
        return try await console.ask(question) { line in
            guard !line.isEmpty, line != "-" else {
                removesNetwork = line == "-" && present != nil
                return nil
            }
            return try Self.network(line, of: networks)
        }
    }

    /// Shows the networks in sight, and returns them.
    private func list(_ found: Result<[VisibleNetwork], JoinFailure>) -> [VisibleNetwork] {
        switch found {
        case .failure(let failure):
            console.say("The Wi-Fi networks in range are not known: \(failure).")
            return []
        case .success(let all):
            if all.isEmpty { console.say("No Wi-Fi network is in range.") }
            let networks = Array(all.prefix(Self.mostNetworks))
            for (index, network) in networks.enumerated() {
                let number = "\(index + 1)".padding(to: 3)
                let note = network.isSecured ? "" : "  (not secured: never joined)"
                console.say("  \(number) \("\(network.strength) %".padding(to: 6)) \(network.name)\(note)")
            }
            return networks
        }
    }

    private static func network(_ line: String, of networks: [VisibleNetwork]) throws(Mistake) -> HomeNetwork {
        // A number may be a name, too.
        let numbered = networks.indices.first { String($0 + 1) == line }.map { networks[$0] }
        let chosen = networks.first { $0.ssid == line } ?? numbered
        if let chosen, case .weak(let seen) = chosen.security {
            throw Mistake("\(JoinFailure.onlyUnsecuredInSight(ssid: chosen.name, seen: seen)).")
        }
        if chosen == nil, !networks.isEmpty, line.allSatisfy(\.isNumber) {
            throw Mistake("\(line) is not one of the numbers.")
        }
        do throws(SSIDLengthError) {
            return try HomeNetwork(ssid: chosen?.ssid ?? line)
        } catch {
            throw Mistake("\(error)")
        }
    }

    // MARK: The signal at one metre

    mutating func askPower() async throws {
        guard let beacons = answers.beacons, let identifier = answers.identifier else { return }
        var isWanted = try await console.confirm(
            "Measure the signal at one metre now, so that distances are right? The measurement takes 20 s.",
            default: false)
        while isWanted {
            _ = try await console.ask(
                "Put the beacon one metre from the antenna, with nothing between them, step aside, and press Enter: ")
            let result = try await console.during(nil) { [receiver] in
                await receiver.calibrate(beacons, identifier: identifier)
            }
            do throws(Mistake) {
                let power = try result.get()
                measuredPower = power
                return console.say("\(power) dBm at one metre.")
            } catch {
                console.say(error.sentence)
            }
            isWanted = try await console.confirm("Measure again?", default: false)
        }
    }

    // MARK: The thresholds of a region that is inside only while its beacon is near

    mutating func askThresholds() async throws {
        guard let beacons = answers.beacons else { return }
        if let region = region?.monitored,
            let present = Self.words(enterRSSI: region.enterRSSI, exitRSSI: region.exitRSSI)
        {
            console.say("The region is \(present) at present. Answer n to keep that.")
        }
        var isWanted = try await console.confirm(
            "Is the region inside only while the beacon is near, for example in one room? The measurement takes a minute.",
            default: false)
        while isWanted {
            _ = try await console.ask(
                "Put the beacon at the farthest place that is still inside the region, step aside, and press Enter: ")
            let measurement = try await console.during(nil) { [console, receiver] in
                await SignalMeasurement(of: beacons, receiver) { console.progress(left: $0, readings: $1) }
            }
            await receiver.stop()
            if let proposal = ThresholdProposal(signals: measurement.signals) {
                thresholds = proposal
                return console.say(Self.summary(proposal, readings: measurement.signals.count))
            }
            console.say(measurement.trouble ?? "The beacon was not received at that place.")
            isWanted = try await console.confirm("Measure again?", default: false)
        }
    }

    private static func summary(_ proposal: ThresholdProposal, readings: Int) -> String {
        let distance = proposal.enterRSSI - proposal.exitRSSI
        let noise =
            proposal.noise.map { "it varies by \($0.rounded(digits: 1).plain) dB" }
            ?? "\(readings) readings are too few to measure how much it varies"
        return "The filtered signal is \(proposal.signal) dBm; \(noise), so the thresholds are \(distance) dB apart."
    }

    private static func words(enterRSSI: Int?, exitRSSI: Int?) -> String? {
        let words = [enterRSSI.map { "inside from \($0) dBm" }, exitRSSI.map { "outside below \($0) dBm" }]
        let present = words.compactMap(\.self)
        return present.isEmpty ? nil : present.joined(separator: ", ")
    }

    // MARK: The text

    func confirmText() async throws -> Outcome {
        let network =
            answers.network.map { "on arrival, Okaeri asks whether to join \"\($0.ssid.plain(replacesFormat: true))\"" }
            ?? (removesNetwork ? "without a Wi-Fi from now on" : nil)
        let power = measuredPower.map { "\($0) dBm at one metre" }
        let near = thresholds.flatMap { Self.words(enterRSSI: $0.enterRSSI, exitRSSI: $0.exitRSSI) }
        let facts = [answers.beacons.map { "\($0)" }, network, power, near].compactMap(\.self)
        let name = answers.identifier?.plain(replacesFormat: true) ?? ""
        console.say("\(name): \(facts.joined(separator: "; "))")
        guard try await console.confirm("Write that to \(file)?", default: true) else { throw Failure.declined }
        return try newText()
    }

    func newText() throws(Failure) -> Outcome {
        do throws(ConfigurationError) {
            let new = try ConfigurationText(text, file: file).setting(patch)
            return .text(new, unsavedNetwork: unsavedNetwork)
        } catch {
            console.say(error.description)
            throw .noConfiguration
        }
    }

    private var patch: RegionPatch {
        let identifier = answers.identifier ?? ""
        var patch =
            answers.beacons.map { RegionPatch(identifier: identifier, $0) } ?? RegionPatch(identifier: identifier)
        patch["measuredPower"] = measuredPower.map { .number(Double($0)) }
        patch["enterRSSI"] = thresholds.map { .number(Double($0.enterRSSI)) }
        patch["exitRSSI"] = thresholds.map { .number(Double($0.exitRSSI)) }
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
    private var count: UInt64?
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
            guard let found = beacon.identity, constraint.matches(found), identity ?? found == found else { continue }
            identity = found
            // The list repeats a beacon that was not received anew.
            if count != beacon.count, let signal = beacon.signal { signals.append(signal) }
            count = beacon.count
            return
        }
    }
}

extension NetworkCondition {
    /// The result of a join now, in a sentence.
    fileprivate var outlook: String {
        switch self {
        case .alreadyConnected:
            "This machine is connected to this network. Okaeri asks on arrival only if the connection is lost."
        case .connecting: "This machine is connecting to this network."
        case .switchedOff: "Wi-Fi is off. On arrival, Okaeri asks whether to switch it on and to join."
        case .ready: "NetworkManager can join this network."
        case .unavailable(let failure): "At present this network cannot be joined: \(failure)."
        }
    }
}

extension VisibleNetwork {
    /// The name without control characters, because any device or access point can choose it.
    fileprivate var name: String { ssid.plain(replacesFormat: true) }
}
