import Testing

@testable import OkaeriClient

@Suite struct HTTPAnswerTests {
    /// Reads a text in pieces of a length.
    private func answer(_ text: String, pieces length: Int = .max, ends: Bool = false) throws -> HTTPAnswer? {
        var reader = HTTPAnswerReader()
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if let answer = try reader.received(rest.prefix(length)) { return answer }
            rest = rest.dropFirst(length)
        }
        return ends ? reader.ended() : nil
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `an answer of known length is read, however it is cut`(length: Int) throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nDate: now\r\n\r\nhello"
        #expect(try answer(text, pieces: length) == HTTPAnswer(status: 200, reason: "OK", body: Array("hello".utf8)))
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func `an answer in chunks is read, however it is cut`(length: Int) throws {
        let text =
            "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\nA;x=1\r\nlo, world!\r\n0\r\ntrailer: 1\r\n\r\n"
        let expected = HTTPAnswer(status: 404, reason: "Not Found", body: Array("hello, world!".utf8))
        #expect(try answer(text, pieces: length) == expected)
    }

    @Test func `an interim answer is passed over`() throws {
        let text = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
        #expect(try answer(text)?.body == Array("ok".utf8))
    }

    @Test func `a body without a length ends with the connection`() throws {
        let text = "HTTP/1.1 200 OK\r\n\r\nall of it"
        #expect(try answer(text) == nil)
        #expect(try answer(text, ends: true)?.body == Array("all of it".utf8))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell", "HTTP/1.1 200 OK\r\ncontent-len", "HTT", "",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
    ])
    func `a connection that ends too soon leaves no answer`(text: String) throws {
        #expect(try answer(text, ends: true) == nil)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 abc OK\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: +1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nxy\r\n",
        "HTTP/1.1 200 OK\r\nlong: " + String(repeating: "x", count: HTTPAnswerReader.longestLine),
        String(repeating: "x", count: HTTPAnswerReader.longestLine),
        "HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: HTTPAnswerReader.longestHead / 6 + 1),
    ])
    func `what is not an answer is refused`(text: String) {
        #expect(throws: HTTPAnswerReader.Problem.malformed) { try answer(text) }
    }

    @Test func `a body that is too long is refused before it is read`() {
        let length = HTTPAnswerReader.longestBody + 1
        #expect(throws: HTTPAnswerReader.Problem.tooLong) {
            try answer("HTTP/1.1 200 OK\r\ncontent-length: \(length)\r\n\r\n")
        }
    }
}
