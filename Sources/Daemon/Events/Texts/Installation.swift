import FoundationEssentials

/// The way in which the program is installed: it decides how the daemon is restarted, and where its log is.
///
/// The catalogues name the commands of a machine with the package. Each output of texts adapts them with ``adapted(_:)``.
package enum Installation: Sendable, CaseIterable {
    /// The package and its service, or a build.
    case machine
    /// The container image.
    case container
    /// The app for Home Assistant OS.
    case homeAssistant

    /// The one of this process.
    package static let current = Installation(environment: ProcessInfo.processInfo.environment)

    /// - Parameter environment: The image and the app set `container`, as systemd's container interface has it. The containers that are
    ///   whole systems have the package.
    package init(environment: [String: String]) {
        switch environment["container", default: ""] {
        case "", "lxc", "lxc-libvirt", "systemd-nspawn": self = .machine
        case "homeassistant": self = .homeAssistant
        default: self = .container
        }
    }

    /// Returns a text that names the commands of this installation in place of `systemctl`, `journalctl`, `sudo` and `apt`, which it
    /// does not have. All else in the text stays, such as values.
    ///
    /// - Parameter text: A text in any language, a script of the page, or a JSON object.
    package func adapted(_ text: String) -> String {
        guard self != .machine, Self.foreign.contains(where: { text.contains($0) }) else { return text }
        var (written, rest) = ("", adaptedSentences(text)[...])
        while let (start, command, end) = Self.command(in: rest) {
            written += rest[..<start]
            rest = rest[end...]
            let advice = advice(for: command)
            if Self.isJapanese(before: written, after: rest) {
                Self.write(advice.japanese, to: &written, before: &rest)
            } else {
                Self.write(advice.english, to: &written, before: &rest)
            }
        }
        written += rest
        for (known, replacement) in Self.words { written = written.replacing(known, with: replacement) }
        return written
    }

    /// Returns a text in UTF-8, as ``adapted(_:)-(String)`` does.
    package func adapted(_ text: [UInt8]) -> [UInt8] {
        self == .machine ? text : Array(adapted(String(decoding: text, as: UTF8.self)).utf8)
    }

    private static let foreign = ["sudo", "systemctl", "journalctl"]

    // MARK: Sentences

    /// Sentences with several commands, and those replacements that are independent of the command. `{}` is the name of the
    /// installation.
    private static let sentences = [
        (
            "start one with `okaeri monitor` or `sudo systemctl start okaeri`, or name",
            "start {}, or name"
        ),
        ("`sudo systemctl start okaeri` か `okaeri monitor` で起動するか", "{}を起動するか"),
        (
            "run `sudo systemctl enable --now okaeri`, or `okaeri monitor` if it is not installed as a service",
            "start {}"
        ),
        (
            "`sudo systemctl enable --now okaeri` を実行してください。サービスとしてインストールしていない場合は `okaeri monitor` を実行してください",
            "{}を起動してください"
        ),
        (
            "join its group with `sudo usermod -aG okaeri $USER` and log in again, or run the command with sudo",
            "run the command as the user of the daemon"
        ),
        (
            "`sudo usermod -aG okaeri $USER` でグループに加わってからログインし直すか、sudo を付けて実行してください",
            "デーモンと同じユーザーで実行してください"
        ),
        (
            "join its group with `sudo usermod -aG bluetooth $USER` and log in again, or run the command with sudo",
            "add the user of {} to the machine, as docs/containers.md shows"
        ),
        (
            "run the command with sudo, or join the group with `sudo adduser $USER bluetooth` and log in again",
            "add the user of {} to the machine, as docs/containers.md shows"
        ),
        (
            "run the command with `sudo`; a service needs AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN",
            "give {} the rights NET_RAW and NET_ADMIN"
        ),
        (
            "run the program with `sudo`, or as a service with AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN",
            "give {} the rights NET_RAW and NET_ADMIN"
        ),
        (
            "コマンドを `sudo` で実行してください。サービスには AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN が必要です",
            "{}に NET_RAW と NET_ADMIN の権限を与えてください"
        ),
        ("コマンドを `sudo` で実行してください", "{}に NET_RAW と NET_ADMIN の権限を与えてください"),
        ("as a service of its own, with `systemctl start --no-block`", "outside the hook"),
        ("コマンドに sudo を付けるか、", ""),
        (
            "check that dbus runs with `systemctl status dbus`",
            "check that {} has the socket of the system bus, and the machine its user, as docs/containers.md shows"
        ),
    ]

    private func adaptedSentences(_ text: String) -> String {
        Self.sentences.reduce(text) { text, sentence in
            guard text.contains(sentence.0) else { return text }
            let language = Self.isJapanese(sentence.0) ? Language.japanese : .english
            return text.replacing(sentence.0, with: sentence.1.replacing("{}", with: name(in: language)))
        }
    }

    /// The replacements outside of backquotes.
    private static let words = [
        ("with `sudo`", "as root"), ("with sudo", "as root"), ("without `sudo`", "as another user"),
        ("without sudo", "without the rights of root"), ("sudo を付けて", "root で"), ("sudo なしで", "root の権限なしで"),
        (" and in the log of sudo", ""), ("sudo ", ""),
    ]

    /// Returns the name of what is restarted.
    private func name(in language: Language) -> String {
        switch (self, language) {
        case (.machine, .english): "the service"
        case (.machine, .japanese): "サービス"
        case (.container, .english): "the container"
        case (.container, .japanese): "コンテナー"
        case (.homeAssistant, .english): "the app in Home Assistant"
        case (.homeAssistant, .japanese): "Home Assistant のアプリ"
        }
    }

    // MARK: Commands

    /// The longest command. A text may have a backquote without a second one.
    private static let longest = 300

    /// Returns the next command in backquotes that this installation does not have.
    private static func command(in text: Substring) -> (
        start: String.Index, command: Substring, end: String.Index
    )? {
        var rest = text
        while let start = rest.firstIndex(of: "`") {
            let inner = rest[rest.index(after: start)...]
            if foreign.contains(where: inner.hasPrefix), let end = inner.prefix(longest).firstIndex(of: "`") {
                return (start, inner[..<end], inner.index(after: end))
            }
            rest = inner
        }
        return nil
    }

    /// The replacement of a command: a noun phrase, and an order to a person.
    private struct Advice {
        let thing: String
        /// `nil` if it is a command as well.
        var order: String?
    }

    /// - Parameter command: Such as `sudo systemctl restart okaeri`.
    private func advice(for command: Substring) -> (english: Advice, japanese: Advice) {
        let all = command.split(separator: " ")
        let words = all.first == "sudo" ? all.dropFirst() : all[...]
        let plain = words.joined(separator: " ")
        let unit = words.last ?? ""
        let (english, japanese) = (name(in: .english), name(in: .japanese))
        switch (words.first ?? "", unit == "okaeri") {
        case ("systemctl", true) where words.contains("edit"):
            return (Advice(thing: "the options of \(english)"), Advice(thing: "\(japanese)のオプション"))
        case ("systemctl", true) where words.contains("status"), ("journalctl", true):
            return (Advice(thing: "the log of \(english)"), Advice(thing: "\(japanese)のログ"))
        case ("systemctl", true) where words.contains("start") || words.contains("enable"):
            return (
                Advice(thing: "a start of \(english)", order: "start \(english)"),
                Advice(thing: "\(japanese)の起動", order: "\(japanese)を起動してください")
            )
        case ("systemctl", true):
            return (
                Advice(thing: "a restart of \(english)", order: "restart \(english)"),
                Advice(thing: "\(japanese)の再起動", order: "\(japanese)を再起動してください")
            )
        case ("systemctl", false) where words.contains("status"):
            return (Advice(thing: "the state of \(unit) on the machine"), Advice(thing: "ホストの \(unit) の状態"))
        case ("systemctl", false)
        where self == .container && ["NetworkManager", "bluetooth"].contains(unit) && !words.contains("restart"):
            return (
                Advice(
                    thing: "a start of \(unit) on the machine",
                    order: "start \(unit) on the machine, and mount its system bus into \(english)"),
                Advice(thing: "ホストの \(unit) の起動", order: "ホストで \(unit) を起動し、システムバスを\(japanese)にマウントしてください")
            )
        case ("systemctl", false):
            let (verb, japaneseVerb) = words.contains("restart") ? ("restart", "再起動") : ("start", "起動")
            return (
                Advice(thing: "a \(verb) of \(unit) on the machine", order: "\(verb) \(unit) on the machine"),
                Advice(thing: "ホストの \(unit) の\(japaneseVerb)", order: "ホストで \(unit) を\(japaneseVerb)してください")
            )
        case ("journalctl", false):
            let (log, japaneseLog) = unit == "-k" ? ("the kernel", "カーネル") : ("\(unit) on the machine", "ホストの \(unit)")
            return (Advice(thing: "the log of \(log)"), Advice(thing: "\(japaneseLog) のログ"))
        case ("okaeri", _) where self == .homeAssistant && plain == "okaeri setup":
            return (
                Advice(thing: "the page in Home Assistant", order: "open the page in Home Assistant"),
                Advice(thing: "Home Assistant のページ", order: "Home Assistant でページを開いてください")
            )
        case ("okaeri", _): return (Advice(thing: "`\(plain)`"), Advice(thing: "`\(plain)`"))
        case ("apt", _) where words.contains("install"):
            return (
                Advice(thing: "a new image of \(english)", order: "build the image of \(english) anew"),
                Advice(thing: "\(japanese)のイメージの再作成", order: "\(japanese)のイメージを作り直してください")
            )
        case ("apt", _):
            return (
                Advice(thing: "an upgrade of the machine", order: "upgrade the machine"),
                Advice(thing: "ホストの更新", order: "ホストを更新してください")
            )
        case ("chown", _), ("chmod", _), ("install", _):
            return (Advice(thing: "`\(plain)` as root"), Advice(thing: "root で `\(plain)`"))
        case ("sudoedit", _):
            return (Advice(thing: "an editor outside \(english)"), Advice(thing: "\(japanese)の外のエディター"))
        case ("sudo", _), ("", _): return (Advice(thing: "the rights of root"), Advice(thing: "root 権限"))
        default: return (Advice(thing: "`\(plain)` on the machine"), Advice(thing: "ホストの `\(plain)`"))
        }
    }

    // MARK: Grammar

    /// - Parameter written: The text before it, which may end with the verb that a command needs.
    private static func write(_ advice: Advice, to written: inout String, before rest: inout Substring) {
        guard !advice.thing.hasPrefix("`"), !advice.thing.hasSuffix("`") else {
            closeGap(before: advice.thing, &written)
            return written += advice.thing
        }
        let isState = advice.thing.hasPrefix("the state")
        if let order = advice.order {
            for verb in ["run ", "restart it with ", "start it with ", "reload the daemon with "]
            where written.hasSuffix(verb) {
                written.removeLast(verb.count)
                return written += order
            }
            for verb in [" を実行してください", " で再起動してください", " で起動してください", " で起動できます", " starts it"] where rest.hasPrefix(verb)
            {
                rest = rest.dropFirst(verb.count)
                closeGap(before: order, &written)
                return written += order
            }
        } else if written.hasSuffix(" with "), isState || advice.thing.hasPrefix("the log") {
            written.removeLast("with ".count)
            return written += "in " + advice.thing
        }
        // The rest of the sentence contains it.
        if isState || advice.order != nil, written.hasSuffix(" ("), rest.hasPrefix(")") {
            written.removeLast(" (".count)
            return rest = rest.dropFirst()
        }
        closeGap(before: advice.thing, &written)
        written += advice.thing
        guard isJapanese(advice.thing) else { return }
        for (verb, particle) in [(" を実行するか", "か"), (" を実行して", "で"), (" ", "")] where rest.hasPrefix(verb) {
            rest = rest.dropFirst(verb.count)
            return written += particle
        }
    }

    /// Removes the space that separates Japanese text from a command.
    private static func closeGap(before text: String, _ written: inout String) {
        if isJapanese(text.prefix(1)), written.hasSuffix(" "), isJapanese(written.dropLast().suffix(1)) {
            written.removeLast()
        }
    }

    /// Whether a Japanese text is around a place.
    private static func isJapanese(before text: String, after rest: Substring) -> Bool {
        isJapanese(rest.drop { $0 == " " }.prefix(1)) || isJapanese(text.suffix(4))
    }

    private static func isJapanese(_ text: some StringProtocol) -> Bool {
        text.unicodeScalars.contains { ("\u{3001}"..."\u{9FFF}").contains($0) }
    }
}
