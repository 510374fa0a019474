/// The language of what a person at home reads.
package enum Language: Sendable, CaseIterable {
    case english
    case japanese

    /// The language that the locale asks for: `$LC_ALL`, `$LC_MESSAGES`, `$LANG`, the first that is set.
    package init(environment: [String: String]) {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        self = locale?.hasPrefix("ja") == true ? .japanese : .english
    }

    /// The language of a code of ISO 639-1; `nil` for another code.
    package init?(code: String) {
        guard let language = Self.allCases.first(where: { $0.code == code }) else { return nil }
        self = language
    }

    /// The code of ISO 639-1.
    package var code: String {
        switch self {
        case .english: "en"
        case .japanese: "ja"
        }
    }

    /// The first language of a browser's list that Okaeri has (the field `Accept-Language`, RFC 9110, 12.5.4).
    package init(accepted list: String) {
        let tags = list.prefix(1024).split(separator: ",").map { $0.drop { $0 == " " }.lowercased() }
        let first = tags.first { $0.hasPrefix("ja") || $0.hasPrefix("en") }
        self = first?.hasPrefix("ja") == true ? .japanese : .english
    }
}
