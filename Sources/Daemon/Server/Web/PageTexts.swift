import HCI
import OkaeriEvents
import OkaeriWiFi

/// The page's texts of prompts, results and reasons, which are those of notifications and of the command line.
extension Language {
    /// A module of the page with these texts. The page puts its values in the places of `{0}` and `{1}`.
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
        texts["accessLimited"] = accessLimited(ssid: "{0}", reason: "{1}")
        let codes = JoinFailure.Code.allCases.map(\.rawValue) + InternetAccess.Limitation.allCases.map(\.rawValue)
        // The page shows the daemon's sentence where a code has no text.
        if self != .english {
            for code in codes { texts["why_\(code)"] = reason(code, "{0}") }
            for (code, text) in AdapterUpdate.Cause.japaneseTexts { texts["bluetooth_\(code)"] = text }
            for (code, text) in BrokerCode.japaneseTexts { texts["mqtt_\(code)"] = text }
        }
        let script = "export default \(JSON.line(texts))\nexport const prompts = \(JSON.line(prompts))\n"
        return Array(script.utf8)
    }

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
