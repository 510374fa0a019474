import OkaeriEvents
import OkaeriWiFi
import Testing

@testable import OkaeriServer

/// The links that answer prompts without a login.
@Suite struct AnswerTokensTests {
    private var tokens = AnswerTokens(digest: { $0.reversed() })

    @Test mutating func `a link is good for its prompt and its answer, once`() throws {
        let made = tokens.make(prompt: "1", [.join, .later])
        #expect(made.count == 2 && Set(made).count == 2 && made.allSatisfy { $0.utf8.count == 64 })
        #expect(tokens.use(of: made[1]) == .init(prompt: "1", answer: .later))
        let first = tokens.take(made[0])
        #expect(first == .init(prompt: "1", answer: .join))
        // The prompt is answered: neither link is good any more.
        let again = [tokens.take(made[0]), tokens.take(made[1])]
        #expect(again == [nil, nil])
    }

    @Test mutating func `a wrong token is not a link, and ends none`() {
        let made = tokens.make(prompt: "1", [.join])
        let wrong = ["", "0", String(made[0].dropLast()), made[0] + "0", made[0].uppercased() + "G"].compactMap {
            tokens.take($0)
        }
        #expect(wrong.isEmpty && tokens.use(of: made[0]) != nil)
    }

    @Test mutating func `the links of one prompt leave those of another`() {
        let first = tokens.make(prompt: "1", [.join])
        let second = tokens.make(prompt: "2", [.join])
        _ = tokens.take(first[0])
        #expect(tokens.use(of: second[0]) != nil)
        // A prompt that is asked again has new links.
        let renewed = tokens.make(prompt: "2", [.join])
        #expect(tokens.use(of: second[0]) == nil && tokens.use(of: renewed[0]) != nil)
    }

    @Test mutating func `the number of links is bounded, and the oldest end`() {
        let made = (0..<33).map { tokens.make(prompt: "\($0)", [.join, .later]) }
        #expect(tokens.use(of: made[0][0]) == nil && tokens.use(of: made[0][1]) == nil)
        #expect(tokens.use(of: made[1][0]) != nil && tokens.use(of: made[32][1]) != nil)
    }

    private static func page(
        _ ssid: String, _ situation: PromptSituation? = nil, language: Language = .english
    ) -> String {
        let prompt = Prompt(id: "1", ssid: ssid, regions: ["home"], arrival: 1, situation: situation)
        return AnswerPage(content: .question(prompt, node: "<pi>", .join), language: language).html
    }

    @Test func `the question names the machine and its circumstances`() {
        #expect(
            Self.page("Home", .ethernet).contains(
                "Join the Wi-Fi “Home” on &lt;pi&gt;? This machine is connected by Ethernet."))
        #expect(Self.page("Home", .radioOff).contains("Wi-Fi is off on &lt;pi&gt;: switch it on and join “Home”?"))
        #expect(
            Self.page("Home", .mobile, language: .japanese).contains(
                "&lt;pi&gt; をWi-Fi「Home」に接続しますか？この機器はモバイル回線で接続されています。"))
    }

    @Test func `a network's name cannot become markup`() {
        let page = Self.page("<b>\"&\u{202E}")
        #expect(page.contains("Join the Wi-Fi “&lt;b&gt;&quot;&amp;\u{FFFD}” on") && !page.contains("<b>"))
        // U+0D4E and the "<" behind it are one Character.
        let joined = Self.page("\u{0D4E}<b>")
        #expect(Array(joined.utf8).contains(Array("&lt;b&gt;".utf8)) && !Array(joined.utf8).contains(Array("<b>".utf8)))
    }

    @Test(arguments: [
        ("ja,en;q=0.8", Language.japanese), ("ja-JP", .japanese), ("en-GB, ja", .english), ("de, fr;q=0.9", .english),
        ("de, ja;q=0.9", .japanese), ("", .english),
    ])
    func `the browser's list decides the language`(list: String, language: Language) {
        #expect(Language(accepted: list) == language)
    }
}
