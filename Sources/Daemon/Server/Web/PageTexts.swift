import HCI
import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi

/// The page's texts of prompts, results, states and reasons, which are those of notifications and of the command line.
extension Language {
    /// The module `served` of the page, with the texts that it shows first. The page puts its values in the places of `{0}` to `{9}`.
    ///
    /// `prompts` has the texts about each situation that are not those of `join`, the question without one.
    var pageScript: [UInt8] {
        let join = prompt(nil)
        var prompts = ["join": join]
        for situation in PromptSituation.allCases {
            prompts[situation.rawValue] = prompt(situation).filter { $0.value != join[$0.key] }
        }
        var texts: [String: String] = [:]
        for answer in PromptAnswer.allCases { texts[answer.rawValue] = label(answer, nil) }
        for action in NetworkAction.allCases {
            texts["did_\(action.rawValue)"] = completed(action, ssid: "{0}")
            texts["didNot_\(action.rawValue)"] = notCompleted(action, ssid: "{0}", reason: "{1}")
        }
        for reason in ScanMode.Reason.allCases { texts["scan_\(reason.rawValue)"] = self(reason) }
        for phrase in Self.firstTexts { texts["s_\(phrase)"] = capitalized(self(phrase)) }
        for phrase in Self.firstReasons { texts["x_\(phrase)"] = self(phrase) }
        // The name of a part is its text, if it has no other.
        for subject in SubjectPhrase.ofDaemon where self(subject) != subject.rawValue {
            texts["part_\(subject.rawValue)"] = self(subject)
        }
        texts["accessLimited"] = accessLimited(ssid: "{0}", reason: "{1}")
        let codes = JoinFailure.Code.allCases.map(\.rawValue) + InternetAccess.Limitation.allCases.map(\.rawValue)
        // The page shows the daemon's sentence where a code has no text.
        if self != .english {
            for code in codes { texts["why_\(code)"] = reason(code, "{0}") }
            for (code, text) in AdapterUpdate.Cause.japaneseTexts { texts["bluetooth_\(code)"] = text }
            for (code, text) in BrokerCode.japaneseTexts { texts["mqtt_\(code)"] = text }
            for code in Finding.Code.allCases {
                guard let translation = code.translation else { continue }
                texts["f_\(code)"] = translation.sentence
                texts["fix_\(code)"] = translation.remedy
            }
        }
        let script = "export const served = \(JSON.line(texts))\nexport const prompts = \(JSON.line(prompts))\n"
        return Array(script.utf8)
    }

    /// Returns a module with texts of the page, with the words of the installation in the places of names in braces.
    func instructed(_ source: [UInt8]) -> [UInt8] {
        let (reload, isEnglish) = (Remedy.reload(), self == .english)
        let state = Installation.current == .machine ? Remedy.status() : Remedy.log()
        let words = [
            "{sudo}": Installation.sudo, "{state}": isEnglish ? "\(state)" : state.japanese(after: "では", "で"),
            "{reloading}": reload.japanese(),
            "{reload}": isEnglish ? reload.order() : reload.japaneseOrder(),
        ]
        let text = words.reduce(String(decoding: source, as: UTF8.self)) { $0.replacing($1.key, with: $1.value) }
        return Array(text.utf8)
    }

    /// The end of the module with the other texts of the page: those of `okaeri explain`, and of a measurement.
    var furtherScript: [UInt8] {
        let others = ExplanationPhrase.allCases.filter { !Self.firstReasons.contains($0) }
        var texts = Dictionary(uniqueKeysWithValues: others.map { ("x_\($0)", self($0)) })
        for phrase in Self.measurements { texts["c_\(phrase)"] = self(phrase) }
        return Array("export const reasons = \(JSON.line(texts))\n".utf8)
    }

    /// The texts of `okaeri status` that the page shows, each as a line of its own.
    private static let firstTexts: [StatusPhrase] = [
        .inside, .outside, .unknown, .battery, .scanAll, .scanPart, .noNetworkManager, .hardwareOff, .radioOff,
        .noDevice, .connecting, .connected, .captivePortal, .noInternet, .notConnected, .peripheralConnected,
        .peripheralNotConnected, .stale, .notReal,
    ]

    /// The texts of `okaeri explain` that the page shows without a question.
    private static let firstReasons: [ExplanationPhrase] = [.keepsRegion, .noBeacon]

    /// The texts of `okaeri calibrate` that the page shows.
    private static let measurements: [CalibrationPhrase] = [.left, .tooFew, .again, .unsteady, .measured, .readings]

    private func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// Returns the texts about a prompt by their kinds; a text that does not apply is empty.
    private func prompt(_ situation: PromptSituation?) -> [String: String] {
        let action = situation?.action ?? .join
        return [
            "ask": question(ssid: "{0}", situation),
            "note": note(situation) ?? "",
            "yes": label(.join, situation),
            "welcome": action.isOfDeparture ? "" : welcome,
            "askBy": occasion(action, region: "{0}"),
            "doing": underWay(action, ssid: "{0}") ?? "",
        ]
    }
}
