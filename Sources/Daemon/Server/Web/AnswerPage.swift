import OkaeriEvents
import OkaeriPlumbing
import OkaeriWiFi

/// The page of a link that answers a prompt: a question with one button, or the result. It has no script.
struct AnswerPage: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        /// The question. A link must not answer when it is opened, because programs open links to show a preview.
        case question(Prompt, node: String, PromptAnswer)
        case answered(PromptAnswer)
        /// The prompt needs no answer any more, or the link does not exist.
        case ended
    }

    var content: Content
    var language: Language

    var html: String {
        """
        <!doctype html>
        <html lang="\(language == .english ? "en" : "ja")">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>Okaeri</title>
        <link rel="icon" href="../icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="../app.css">
        </head>
        <body>
        <header><div class="bar"><h1><img src="../icon.svg" alt="" width="32" height="32"> Okaeri</h1></div></header>
        <main>
        <p>\(sentence.escapedForMarkup)</p>
        \(button)
        </main>
        </body>
        </html>

        """
    }

    private var sentence: String {
        switch (content, language) {
        case (.question(let prompt, let node, _), _):
            [language.question(ssid: prompt.ssid, prompt.situation, on: node), language.note(prompt.situation)]
                .compactMap(\.self).joined(separator: language == .english ? " " : "")
        case (.answered(.join), .english): "Okaeri does it now."
        case (.answered(.join), .japanese): "実行します。"
        case (.answered, .english): "Okaeri asks again the next time."
        case (.answered, .japanese): "次の機会にもう一度確認します。"
        case (.ended, .english):
            "This link is not valid any more: the question was answered or withdrawn, or Okaeri has restarted."
        case (.ended, .japanese): "このリンクはもう使えません。回答済みか、質問が取り下げられたか、Okaeri が再起動しました。"
        }
    }

    private var button: String {
        guard case .question(let prompt, _, let answer) = content else { return "" }
        let situation = prompt.situation
        return
            "<form method=\"post\" class=\"buttons\"><button class=\"main\">\(answer == .join ? language.label(.join, situation) : language.notNow)</button></form>"
    }
}
