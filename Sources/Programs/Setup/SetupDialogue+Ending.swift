import Events
import OkaeriConfiguration
import IBeacon
import Plumbing
import WiFi

/// The Wi-Fi, the calibration, the file.
extension SetupDialogue {
    /// More do not fit a terminal, and the strongest come first.
    private static let mostNetworks = 12

    /// The region that is changed; nil for a new one.
    var region: Configuration.Region? { regions.first { $0.identifier == answers.identifier } }

    mutating func found(_ found: Result<[VisibleNetwork], JoinFailure>) -> [Action] {
        guard !isNetworkDecided, question == nil else { return [] }
        switch found {
        case .failure(let failure):
            return [.say("No list of Wi-Fi networks: \(failure).")] + askNetwork()
        case .success(let all):
            networks = Array(all.prefix(Self.mostNetworks))
            let lines = networks.enumerated().map { index, network in
                let number = "\(index + 1)".padding(to: 3)
                let note = network.isSecured ? "" : "  (not secured: never joined)"
                return "  \(number) \("\(network.strength) %".padding(to: 6)) \(network.name)\(note)"
            }
            return (lines.isEmpty ? ["No Wi-Fi network is in sight."] : lines).map { .say($0) } + askNetwork()
        }
    }

    private mutating func askNetwork() -> [Action] {
        let what = networks.isEmpty ? "Its name" : "Its number or name"
        let rest =
            region?.network.map { "Enter to leave it at \"\($0.ssid.plain(replacesFormat: true))\", - for none" }
            ?? "Enter for none"
        return ask(.network, "Which Wi-Fi is to be offered on arrival? \(what), or \(rest): ")
    }

    mutating func choseNetwork(_ line: String) -> [Action] {
        if line.isEmpty || line == "-" {
            removesNetwork = line == "-" && region?.network != nil
            isNetworkDecided = true
            return next()
        }
        // A number may be a name, too.
        let numbered = networks.indices.first { String($0 + 1) == line }.map { networks[$0] }
        let chosen = networks.first { $0.ssid == line } ?? numbered
        if let chosen, !chosen.isSecured {
            let failure =
                if case .weak(let seen) = chosen.security {
                    JoinFailure.onlyUnsecuredInSight(ssid: chosen.name, seen: seen).description
                } else { "" }
            return [.say("\(failure).")] + askNetwork()
        }
        if chosen == nil, !networks.isEmpty, line.allSatisfy(\.isNumber) {
            return [.say("\(line) is none of the numbers.")] + askNetwork()
        }
        do throws(SSIDLengthError) {
            let network = try HomeNetwork(ssid: chosen?.ssid ?? line)
            answers.network = network
            isNetworkDecided = true
            question = nil
            return [.examine(network)]
        } catch {
            return [.say("\(error)")] + askNetwork()
        }
    }

    mutating func examined(_ condition: NetworkCondition) -> [Action] {
        let words: String
        switch condition {
        case .alreadyConnected:
            words = "This machine is connected to it: an arrival asks only when it is not, and can join it again."
        case .connecting: words = "This machine is about to connect to it."
        case .switchedOff: words = "Wi-Fi is off now: an arrival asks whether to switch it on and join."
        case .ready: words = "NetworkManager can join it."
        case .unavailable(let failure):
            // A profile that does not fit is corrected instead.
            if let ssid = answers.network?.ssid, failure == .noCredentials(ssid: ssid) { unsavedNetwork = ssid }
            words = "For now it could not be joined: \(failure)."
        }
        return [.say(words)] + next()
    }

    mutating func askStays() -> [Action] {
        ask(
            .stays,
            "Does this machine stay here while the beacon comes and goes? Answer n for a machine that moves, such as a laptop, "
                + "while the beacon stays at home. [Y/n] ")
    }

    mutating func place() -> [Action] {
        question = nil
        guard let beacons = answers.beacons, let identifier = answers.identifier else { return next() }
        return [.calibrate(beacons, identifier: identifier)]
    }

    mutating func calibrated(_ power: Int8) -> [Action] {
        measuredPower = power
        isCalibrationDecided = true
        return [.say("\(power) dBm at one metre.")] + next()
    }

    mutating func finish(_ identifier: String, _ beacons: BeaconConstraint) -> [Action] {
        if isSilent { return write() }
        let network =
            answers.network.map { "its Wi-Fi is \"\($0.ssid.plain(replacesFormat: true))\", which is asked about" }
            ?? (removesNetwork ? "its Wi-Fi is none any more" : nil)
        let power = measuredPower.map { "\($0) dBm at one metre" }
        let near = thresholds.flatMap { Self.words(enterRSSI: $0.enterRSSI, exitRSSI: $0.exitRSSI) }
        let facts = ["\(beacons)", network, power, near].compactMap { $0 }.joined(separator: "; ")
        return [.say("\(identifier.plain(replacesFormat: true)): \(facts)")]
            + ask(.consent, "Write that to \(file)? [Y/n] ")
    }

    mutating func write() -> [Action] {
        do throws(ConfigurationError) {
            return [.write(try ConfigurationText(text, file: file).setting(draft))]
        } catch {
            return [.say(error.description), .end(.noConfiguration)]
        }
    }

    private var draft: RegionDraft {
        let identifier = answers.identifier ?? ""
        var draft =
            answers.beacons.map { RegionDraft(identifier: identifier, $0) } ?? RegionDraft(identifier: identifier)
        draft[.measuredPower] = measuredPower.map { .number(Double($0)) }
        draft[.enterRSSI] = thresholds.map { .number(Double($0.enterRSSI)) }
        draft[.exitRSSI] = thresholds.map { .number(Double($0.exitRSSI)) }
        if let network = answers.network {
            var settings: [RegionDraft.WiFiMember: RegionDraft.Setting] = [.ssid: .string(network.ssid)]
            settings[.passphraseFile] = network.passphraseFile.map { .string($0) }
            // Whether it is asked about is decided already where it has one.
            if region?.network == nil { settings[.join] = .string(network.join.rawValue) }
            if stays == false { settings[.whenOnline] = .string(OnlinePolicy.always.rawValue) }
            draft[.wifi] = .network(settings)
        } else if removesNetwork {
            draft[.wifi] = .removed
        }
        return draft
    }
}

extension VisibleNetwork {
    /// The name without control characters, because any device or access point can choose it.
    fileprivate var name: String { ssid.plain(replacesFormat: true) }
}
