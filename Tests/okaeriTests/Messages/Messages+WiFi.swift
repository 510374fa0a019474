import Glibc
import Plumbing

@testable import WiFi

extension Messages {
    static var wifi: [Section] {
        [
            Section("JoinFailure", joins),
            Section("PassphraseFileError", passphraseFiles.map { ofAnyUser($0.description) }),
            Section("TypedPassphrase.Mistake", [TypedPassphrase.Mistake.length(7), .notPrintable, .notHexadecimal]),
            Section("SSIDLengthError", [SSIDLengthError(length: 0), SSIDLengthError(length: 40)]),
            Section("PrompterAction.Reason", reasons),
            Section("PromptAnswerError", answers),
        ]
    }

    private static let ssid = "HomeNet"

    private static let joins = samples(JoinFailure.noNetworkManager) { failure in
        switch failure {
        case .noNetworkManager: .noWiFiDevice
        case .noWiFiDevice: .deviceNotManaged(device: "wlan0")
        case .deviceNotManaged: .firmwareMissing(device: "wlan0")
        case .firmwareMissing: .noSupplicant(device: "wlan0")
        case .noSupplicant: .networkingOff
        case .networkingOff: .radioOff
        case .radioOff: .hardwareSwitchOff
        case .hardwareSwitchOff: .servesHotspot(device: "wlan0")
        case .servesHotspot: .connectedElsewhere(device: "wlan0")
        case .connectedElsewhere: .connectedToTwin(ssid: ssid, device: "wlan0", security: .open)
        case .connectedToTwin: .userLoggedIn(ssid: ssid)
        case .userLoggedIn: .noHotspotProfile(ssid: ssid)
        case .noHotspotProfile: .notInSight(ssid: ssid)
        case .notInSight: .onlyUnsecuredInSight(ssid: ssid, seen: .wpa2)
        case .onlyUnsecuredInSight(_, seen: .wpa2): .onlyUnsecuredInSight(ssid: ssid, seen: .enhancedOpen)
        case .onlyUnsecuredInSight: .mixedSecurityInSight(ssid: ssid)
        case .mixedSecurityInSight: .savedProfileUnsecured(profile: "Home", security: .wpa2)
        case .savedProfileUnsecured(_, security: .wpa2): .savedProfileUnsecured(profile: "Home", security: .wep)
        case .savedProfileUnsecured: .noCredentials(ssid: ssid)
        case .noCredentials(_, let misfit):
            nextMisfit(misfit).map { .noCredentials(ssid: ssid, misfit: $0) } ?? .enterpriseNeedsProfile(ssid: ssid)
        case .enterpriseNeedsProfile: .passphraseFile(passphraseFiles[0])
        case .passphraseFile: .wrongPassphrase(ssid: ssid)
        case .wrongPassphrase: .handshakeFailed(handshakes[0])
        case .handshakeFailed(let handshake):
            handshakes.firstIndex(of: handshake).flatMap { handshakes.dropFirst($0 + 1).first }.map {
                .handshakeFailed($0)
            } ?? .secretUnavailable(profile: "Home")
        case .secretUnavailable: .noPermission
        case .noPermission: .noAddress(ssid: ssid)
        case .noAddress: .timedOut(ssid: ssid)
        case .timedOut: .interrupted
        case .interrupted: .refused(message: "the connection is not available")
        case .refused: .other(reason: 36, name: "removed")
        case .other: nil
        }
    }

    private static let handshakes = [
        HandshakeFailure(ssid: ssid, strength: 20), HandshakeFailure(ssid: ssid, strength: 85),
        HandshakeFailure(ssid: ssid, strength: 85, profile: "Home", lastConnected: "2026-11-01"),
        HandshakeFailure(ssid: ssid, strength: 85, profile: "Home", transitionDriver: "brcmfmac"),
    ]

    private static func nextMisfit(_ misfit: ProfileMisfit?) -> ProfileMisfit? {
        let setting: ProfileMisfit.Setting? =
            switch misfit?.setting {
            case nil: .interface("wlan1")
            case .interface: .accessPoint("02:00:00:00:01:00")
            case .accessPoint: .band("a")
            case .band: .security
            case .security: nil
            }
        return setting.map { ProfileMisfit(profile: "Home", setting: $0) }
    }

    private static let passphraseFiles =
        samples(PassphraseFileError.Problem.length(7)) { problem in
            switch problem {
            case .length: .notPrintable(position: 3)
            case .notPrintable: .notHexadecimal
            case .notHexadecimal: .rawKeyForSAE
            case .rawKeyForSAE: .file(secretFiles[0])
            case .file(let problem):
                secretFiles.firstIndex(of: problem).flatMap { secretFiles.dropFirst($0 + 1).first }
                    .map { .file($0) }
            }
        }.map { problem in
            let isCredential = problem == .file(.noCredentials)
            return PassphraseFileError(
                path: isCredential ? "$CREDENTIALS_DIRECTORY/home" : "/etc/okaeri/HomeNet.psk", problem: problem)
        } + [PassphraseFileError(path: "$CREDENTIALS_DIRECTORY/home", problem: .file(.unreadable(errno: ENOENT)))]

    static let secretFiles = samples(SecretFileProblem.unreadable(errno: ENOENT)) { problem in
        switch problem {
        case .unreadable(ENOENT): .unreadable(errno: EACCES)
        case .unreadable: .noCredentials
        case .noCredentials: .symbolicLink
        case .symbolicLink: .notARegularFile
        case .notARegularFile: .foreignOwner(uid: 1001)
        case .foreignOwner: .open(mode: 0o644)
        case .open: .tooLarge(limit: 64)
        case .tooLarge: .empty
        case .empty: nil
        }
    }

    private static let reasons = samples(PrompterAction.Reason.alreadyConnected) { reason in
        switch reason {
        case .alreadyConnected: .coolingDown
        case .coolingDown: .refused
        case .refused: .otherConnection(.ethernet)
        case .otherConnection: .disconnectedByUser
        case .disconnectedByUser: .unavailable(.radioOff)
        case .unavailable: nil
        }
    }

    private static let answers = samples(PromptAnswerError.noSuchPrompt(id: "7")) { error in
        switch error {
        case .noSuchPrompt: .closed(prompt, .answered(.later))
        case .closed(_, .answered): .closed(prompt, .departed)
        case .closed(_, .departed): .closed(prompt, .arrived)
        case .closed(_, .arrived): .closed(prompt, .connected)
        case .closed(_, .connected): .closed(prompt, .reconfigured)
        case .closed(_, .reconfigured): nil
        }
    }

    private static let prompt = Prompt(id: "7", ssid: ssid, regions: ["home"], arrival: 1)
}
