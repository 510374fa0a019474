import OkaeriWiFi
import Testing

@testable import OkaeriAgent
@testable import OkaeriEvents

@Suite struct LanguageTests {
    private func body(_ ssid: String, hasMarkup: Bool = true) -> String {
        let prompt = PromptKey(id: "1", ssid: ssid, arrival: 1)
        return Language.english.question(prompt, hasButtons: true, hasMarkup: hasMarkup).body
    }

    @Test(arguments: [
        ("<b>Free</b> & 'open'", "&lt;b&gt;Free&lt;/b&gt; &amp; &apos;open&apos;"),
        ("<a href=\"http://x\">x</a>", "&lt;a href=&quot;http://x&quot;&gt;x&lt;/a&gt;"),
        ("two\nlines\u{1B}[1m", "two\u{FFFD}lines\u{FFFD}[1m"),
        ("\u{202E}emoH", "\u{FFFD}emoH"),
        ("家 ☕", "家 ☕"),
        ("&amp;", "&amp;amp;"),
    ])
    func `a name is text, whatever it holds`(ssid: String, shown: String) {
        #expect(body(ssid) == "Join the Wi-Fi “\(shown)”?")
    }

    @Test func `a server without markup gets none, and no escapes either`() {
        #expect(body("<b> & co", hasMarkup: false) == "Join the Wi-Fi “<b> & co”?")
    }

    @Test(arguments: [
        (["LANG": "ja_JP.UTF-8"], Language.japanese), (["LC_ALL": "C", "LANG": "ja_JP.UTF-8"], .english),
        (["LC_ALL": "", "LC_MESSAGES": "ja"], .japanese), (["LANG": "de_DE.UTF-8"], .english), ([:], .english),
    ])
    func `the locale decides the language`(environment: [String: String], language: Language) {
        #expect(Language(environment: environment) == language)
    }

    @Test(arguments: [Language.english, .japanese])
    func `without buttons the text gives the command, in every language`(language: Language) {
        let prompt = PromptKey(id: "42", ssid: "HomeNet", arrival: 1)
        let plain = language.question(prompt, hasButtons: false, hasMarkup: false)
        #expect(plain.buttons.isEmpty && plain.body.contains("okaeri answer 42 join"))
        let full = language.question(prompt, hasButtons: true, hasMarkup: false)
        #expect(full.buttons.map(\.key) == ["join", "later", "never"])
        #expect(Set(full.buttons.map(\.label)).count == 3 && full.stays)
        #expect(!full.body.contains("okaeri answer"))
    }

    @Test(arguments: [Language.english, .japanese])
    func `a reason is text as well`(language: Language) {
        let notification = language.outcome(
            .notCompleted(.join, ssid: "<i>", code: "new", reason: "a < b"), hasMarkup: true)
        #expect(notification.body.contains("&lt;i&gt;") && notification.body.contains("a &lt; b"))
        #expect(!notification.stays && notification.buttons.isEmpty)
    }

    @Test(arguments: [Language.english, .japanese])
    func `a captive portal is reported in both languages, with the address to open`(language: Language) throws {
        let internet = InternetAccess.portal(address: "http://check.example")
        let outcome = PromptBoard.Outcome.accessLimited(
            ssid: "HomeNet", code: "captivePortal", reason: try #require(internet.reason))
        let body = language.outcome(outcome, hasMarkup: false).body
        #expect(body.contains("HomeNet") && body.contains("http://check.example"))
        #expect(body.contains("ログイン") == (language == .japanese))
    }

    @Test(arguments: JoinFailure.Code.allCases)
    func `the reason why a network was not joined is given in the language`(code: JoinFailure.Code) {
        func body(_ language: Language) -> String {
            language.outcome(
                .notCompleted(.join, ssid: "HomeNet", code: code.rawValue, reason: "why, and how"), hasMarkup: false
            ).body
        }
        #expect(body(.english).hasSuffix("could not be joined: why, and how"))
        let sentence = body(.japanese).drop { $0 != "：" }
        let isJapanese = sentence.unicodeScalars.contains { ("\u{3041}"..."\u{30FF}").contains($0) }
        #expect(isJapanese, "\(sentence)")
        // The texts of NetworkManager and of files are not translated, and must not be lost.
        let quotes: Set<JoinFailure.Code> = [.passphraseFile, .refused, .other]
        #expect(sentence.contains("why, and how") == quotes.contains(code))
    }
}
