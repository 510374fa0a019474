import Testing

@testable import OkaeriConfiguration

@Suite struct JSONParserTests {
    private func summary(_ text: String) throws(JSONParser.SyntaxError) -> String {
        try JSONParser.parse(Array(text.utf8)).summary
    }

    @Test(arguments: [
        ("null", "null"), (" true ", "true"), ("-0.5e+2", "-50"), ("0", "0"), ("1.25", "1.25"),
        (#""a\n\"\\\u00e9\ud83d\ude00\/""#, #""a\#n\"\\é😀/""#), ("[1, [2], {}]", "an array of 3"),
        (#"{"a": {}}"#, "an object"),
    ])
    func `values are read as RFC 8259 has them`(text: String, expected: String) throws {
        #expect(try summary(text) == expected)
    }

    @Test(arguments: [
        "[1,]", #"{"a":1,}"#, "01", "+1", ".5", "1.", "1.e5", "-0.E-3", "1e", "nul", "\"a", "\"\t\"", #""\x""#,
        #""\ud800""#, "[1 2]",
        #"{"a" 1}"#, "{a:1}", "'a'", "1 2", "[", "{", "NaN", "1e999", "// x\n1", "\u{FEFF}1", #""\ud83d\u0041""#,
        #""\u+041B""#, #""\u-041""#, #""\u 041""#, #""\u041"#, #""\u00é""#,
    ])
    func `anything else is refused`(text: String) {
        #expect(throws: JSONParser.SyntaxError.self) { try summary(text) }
    }

    @Test func `the place of a mistake is line and column`() {
        let expected = JSONParser.SyntaxError(
            line: 3, column: 3, found: "the key \"a\" twice", expected: "each key once")
        #expect(throws: expected) { try summary("{\n\"a\": 1,\n  \"a\": 2}") }
    }

    private func mistake(_ text: String) -> String {
        do throws(JSONParser.SyntaxError) {
            return "no mistake: \(try summary(text))"
        } catch {
            return "\(error.line):\(error.column): found \(error.found), expected \(error.expected)"
        }
    }

    @Test(
        arguments: [
            ("{\n  \"a\": 1,\n}", "2:9: found a comma before '}', expected no comma behind the last value: delete it"),
            ("[1, 2,\n]", "1:6: found a comma before ']', expected no comma behind the last value: delete it"),
            (
                "{\n  \"a\": 1\n  \"b\": 2}",
                "2:9: found no comma behind the value, expected a comma before the next one"
            ),
            ("[{}\n {}]", "1:4: found no comma behind the value, expected a comma before the next one"),
            ("{\"家\": 1, // here\n}", "1:10: found a comment, expected no comment, because JSON has none: delete it"),
            ("# mine\n{}", "1:1: found a comment, expected no comment, because JSON has none: delete it"),
            ("{} /* end */", "1:4: found a comment, expected no comment, because JSON has none: delete it"),
            ("{'a': 1}", "1:2: found a single quotation mark, expected a double one, '\"'"),
            ("{\u{A0}}", "1:2: found a no-break space, expected an ordinary space; text from a web page has others"),
            ("{\u{3000}}", "1:2: found a full-width space, expected an ordinary space"),
            ("{\"a\"：1}", "1:5: found a full-width colon, expected ':'"),
            ("[1，2]", "1:3: found a full-width comma, expected ','"),
            ("[「a」]", "1:2: found a full-width bracket, expected '\"'"),
            ("[True]", "1:2: found True, expected true"),
            ("{\"a\": \"home,\n}", "1:7: found a text without its end, expected a closing quote on the same line"),
            ("[ä]", "1:2: found 'ä', expected a value"), ("[\u{7}]", "1:2: found the byte 0x7, expected a value"),
        ])
    func `a mistake of beginners is named with its place`(text: String, expected: String) {
        #expect(mistake(text) == expected)
    }

    @Test(arguments: ["“", "”", "„", "«", "‘", "’", "＂"])
    func `a typographic quotation mark is named with its correction`(mark: String) {
        let expected = "the straight one, '\"'; write the file with a plain text editor, such as nano"
        #expect(mistake("{\n \(mark)a\(mark): 1}") == "2:2: found the quotation mark \(mark), expected \(expected)")
        #expect(mistake("{\"a\": \(mark)b\(mark)}") == "1:7: found the quotation mark \(mark), expected \(expected)")
        #expect(mistake("[\"\(mark)\"]") == "no mistake: an array of 1")
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        #expect(throws: JSONParser.SyntaxError.self) { try JSONParser.parse([0x22, 0xFF, 0x22]) }
    }

    @Test func `a nesting of 32 is read, one of 33 is not`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
        }
        _ = try JSONParser.parse(nested(JSONParser.maximumDepth + 1))
        #expect(throws: JSONParser.SyntaxError.self) { try JSONParser.parse(nested(JSONParser.maximumDepth + 2)) }
        #expect(throws: JSONParser.SyntaxError.self) { try JSONParser.parse(nested(100_000)) }
    }

    @Test(arguments: [
        ("majr", "major"), ("UUID", "uuid"), ("exitRssi", "exitRSSI"), ("wfii", "wifi"), ("exit_after", "exitAfter"),
    ])
    func `the nearest known key is suggested`(typed: String, meant: String) {
        #expect(
            nearest(to: typed, among: ["identifier", "uuid", "major", "minor", "exitRSSI", "exitAfter", "wifi"])
                == meant)
    }
}
