import Glibc
import OkaeriPlumbing

@testable import OkaeriWiFi

extension Messages {
    static var wifi: [Section] {
        [
            Section("JoinFailure", joins),
            Section("PassphraseFileError", passphraseFiles.map { ofAnyUser($0.description) }),
            Section("TypedPassphrase.Mistake", [TypedPassphrase.Mistake.length(7), .notPrintable, .notHexadecimal]),
            Section("SSIDLengthError", [SSIDLengthError(length: 0), SSIDLengthError(length: 40)]),
            Section("PrompterAction.Reason", reasons),
            Section("NetworkCoolDown.Cause", NetworkCoolDown.Cause.allCases),
            Section("PromptAnswerError", answers),
        ]
    }

    private static let ssid = "HomeNet"

    private static var joins: [JoinFailure] {
        JoinFailure.Code.allCases.flatMap { code in
            let failures: [JoinFailure] =
                switch code {
                case .noNetworkManager: [.noNetworkManager]
                case .noWiFiDevice: [.noWiFiDevice]
                case .deviceNotManaged: [.deviceNotManaged(device: "wlan0")]
                case .firmwareMissing: [.firmwareMissing(device: "wlan0")]
                case .noSupplicant: [.noSupplicant(device: "wlan0")]
                case .networkingOff: [.networkingOff]
                case .radioOff: [.radioOff]
                case .hardwareSwitchOff: [.hardwareSwitchOff]
                case .servesHotspot: [.servesHotspot(device: "wlan0")]
                case .connectedElsewhere: [.connectedElsewhere(device: "wlan0")]
                case .connectedToTwin: [.connectedToTwin(ssid: ssid, device: "wlan0", security: .open)]
                case .userLoggedIn: [.userLoggedIn(ssid: ssid)]
                case .noHotspotProfile: [.noHotspotProfile(ssid: ssid)]
                case .notInSight: [.notInSight(ssid: ssid)]
                case .onlyUnsecuredInSight:
                    [.wpa2, .enhancedOpen].map { .onlyUnsecuredInSight(ssid: ssid, seen: $0) }
                case .mixedSecurityInSight: [.mixedSecurityInSight(ssid: ssid)]
                case .savedProfileUnsecured:
                    [.wpa2, .wep].map { .savedProfileUnsecured(profile: "Home", security: $0) }
                case .noCredentials:
                    [.noCredentials(ssid: ssid)]
                        + misfits.map {
                            .noCredentials(ssid: ssid, misfit: ProfileMisfit(profile: "Home", setting: $0))
                        }
                case .enterpriseNeedsProfile: [.enterpriseNeedsProfile(ssid: ssid)]
                case .passphraseFile: [.passphraseFile(passphraseFiles[0])]
                case .wrongPassphrase: [.wrongPassphrase(ssid: ssid)]
                case .handshakeFailed:
                    [
                        .handshakeFailed(ssid: ssid, strength: 20), .handshakeFailed(ssid: ssid, strength: 85),
                        .handshakeFailed(ssid: ssid, strength: 85, profile: "Home", lastConnected: "2026-11-01"),
                        .handshakeFailed(ssid: ssid, strength: 85, profile: "Home", transitionDriver: "brcmfmac"),
                    ]
                case .secretUnavailable: [.secretUnavailable(profile: "Home")]
                case .noPermission: [.noPermission]
                case .noAddress: [.noAddress(ssid: ssid)]
                case .timedOut: [.timedOut(ssid: ssid)]
                case .interrupted: [.interrupted]
                case .refused: [.refused(message: "the connection is not available")]
                case .other: [.other(reason: 36, name: "removed")]
                }
            return failures
        }
    }

    private static let misfits: [ProfileMisfit.Setting] = [
        .interface("wlan1"), .accessPoint("02:00:00:00:01:00"), .band("a"), .security,
    ]

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
