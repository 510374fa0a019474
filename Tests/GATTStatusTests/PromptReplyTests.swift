import BlueZ
import OkaeriWiFi
import Testing

@testable import OkaeriAgent

@Suite struct PromptReplyTests {
    @Test(arguments: PromptAnswer.allCases) func `an answer names its prompt`(answer: PromptAnswer) throws {
        let reply = try PromptReply(Array("1c291CA3 \(answer.rawValue)".utf8))
        #expect(reply.token == "1C291CA3")
        #expect(reply.answer == answer)
    }

    @Test(arguments: ["", "1C291CA3", "1C291CA3 joi", "1C291CA3 joined", "1C291CA3 join\n\n"])
    func `of another length it is not an answer`(text: String) {
        #expect { try PromptReply(Array(text.utf8)) } throws: {
            ($0 as? ATTError)?.code == .invalidAttributeValueLength
        }
    }

    @Test(arguments: ["1C291CA3 JOIN", "1C291CA3join ", "1C291C 3 join", "1C291CA join1", "1C291CA3 nope1"])
    func `text of another form is not an answer`(text: String) {
        #expect { try PromptReply(Array(text.utf8)) } throws: { ($0 as? ATTError)?.code == .requestNotSupported }
    }

    @Test func `bytes that are not text are not an answer`() {
        #expect(throws: ATTError.self) { try PromptReply(Array(repeating: 0xFF, count: 13)) }
    }
}
