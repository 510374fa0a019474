import BlueZ
import WiFi

/// The answer of a central: `1C291CA3 join`.
struct PromptReply: Equatable {
    let token: String
    let answer: PromptAnswer

    private static let tokenLength = 8

    init(_ value: [UInt8]) throws(ATTError) {
        let lengths = PromptAnswer.allCases.map { Self.tokenLength + 1 + $0.rawValue.utf8.count }
        guard lengths.contains(value.count) else {
            throw ATTError(.invalidAttributeValueLength, "an answer of \(value.count) bytes is none")
        }
        let words = String(decoding: value, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].utf8.count == Self.tokenLength,
            let answer = PromptAnswer(rawValue: String(words[1]))
        else {
            throw ATTError(
                .requestNotSupported, "an answer is the prompt's eight digits, a space, and join, later or never")
        }
        token = words[0].uppercased()
        self.answer = answer
    }
}
