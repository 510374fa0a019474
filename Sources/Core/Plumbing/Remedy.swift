/// A thing that a person uses or does outside of this program, such as its log or its restart, in the words of the installation.
///
/// On a machine with the package it is a command in backquotes. A container has neither `systemctl`, `journalctl`, `apt` nor `sudo`.
package struct Remedy: Sendable, CustomStringConvertible {
    package typealias Texts = (english: String, japanese: String)

    private let noun: Texts
    /// An order without a command: `restart the container`. In Japanese it lacks the verb `する`.
    private let order: Texts?

    /// - Parameters:
    ///   - command: The command on a machine with the package.
    ///   - service: The service of the command, whose name the others get.
    ///   - noun: Returns the noun phrase of a container; `nil` if its texts have the order alone.
    ///   - order: Returns the order of a container; `nil` if the noun is a command, or a thing to look at.
    private init(
        _ command: String, of service: String = "okaeri", noun: ((Texts) -> Texts)? = nil,
        order: ((Texts) -> Texts)? = nil
    ) {
        let isMachine = Installation.current == .machine
        let name = service == "okaeri" ? Installation.name : ("\(service) on the machine", "ホストの \(service) ")
        self.order = isMachine ? nil : order?(name)
        self.noun = isMachine ? ("`\(command)`", "`\(command)`") : noun?(name) ?? self.order ?? ("", "")
    }

    /// The command in backquotes, or a noun phrase: `the log of the container`.
    package var description: String { noun.english }

    /// The command in parentheses, with a space before them, or nothing in a container.
    package var aside: String { Installation.words(" (\(noun.english))", or: "") }

    /// Returns an order: `` run `sudo systemctl restart okaeri` ``, or `restart the container`.
    ///
    /// - Parameters:
    ///   - before: The words before a command.
    ///   - after: The words behind a command.
    package func order(_ before: String = "run ", _ after: String = "") -> String {
        order?.english ?? before + noun.english + after
    }

    /// Returns the noun phrase between words of Japanese. A space separates commands and names from them.
    package func japanese(after before: String = "", _ after: String = "") -> String {
        Self.joined(before, noun.japanese) + (noun.japanese.hasSuffix("`") && !after.isEmpty ? " " : "") + after
    }

    /// Returns an order in Japanese, behind other words.
    ///
    /// - Parameters:
    ///   - after: The words behind a command.
    ///   - ending: The verb of an order without a command.
    package func japaneseOrder(
        after before: String = "", _ after: String = "を実行してください", or ending: String = "してください"
    ) -> String {
        order.map { Self.joined(before, $0.japanese + ending) } ?? japanese(after: before, after)
    }

    private static func joined(_ before: String, _ text: String) -> String {
        before + (text.first?.isASCII == true && !before.isEmpty ? " " : "") + text
    }
}

// MARK: Services

extension Remedy {
    package static func restart(_ service: String = "okaeri", by command: String = "restart") -> Remedy {
        Remedy(
            "sudo systemctl \(command) \(service)", of: service,
            noun: { ("a restart of \($0.english)", "\($0.japanese)の再起動") },
            order: { ("restart \($0.english)", "\($0.japanese)を再起動") })
    }

    /// Returns what has the daemon read its configuration again. In a container that is a restart.
    package static func reload() -> Remedy { restart(by: "reload") }

    /// - Parameter command: `enable --now` for the start at each start of the machine, too.
    package static func start(_ service: String = "okaeri", by command: String = "start") -> Remedy {
        // The app has the system bus.
        let needsBus = Installation.current == .container && ["NetworkManager", "bluetooth"].contains(service)
        let bus = needsBus ? (", and mount its system bus into the container", "し、システムバスをコンテナーにマウント") : ("", "")
        return Remedy(
            "sudo systemctl \(command) \(service)", of: service,
            order: { ("start \($0.english)\(bus.0)", "\($0.japanese)を起動\(bus.1)") })
    }

    package static func log(_ service: String = "okaeri") -> Remedy {
        Remedy("journalctl -u \(service)", of: service, noun: { ("the log of \($0.english)", "\($0.japanese)のログ") })
    }

    package static func status(_ service: String = "okaeri") -> Remedy {
        Remedy(
            "systemctl status \(service)", of: service, noun: { ("the state of \($0.english)", "\($0.japanese)の状態") })
    }

    /// Returns the settings of the daemon's unit.
    package static func unit() -> Remedy {
        Remedy("sudo systemctl edit okaeri", noun: { ("the options of \($0.english)", "\($0.japanese)のオプション") })
    }
}

// MARK: Commands

extension Remedy {
    /// Returns a command of this program that needs the rights of root, in backquotes.
    ///
    /// - Parameter words: The command without the name of the program.
    package static func okaeri(_ words: String) -> String { "`\(Installation.sudo)okaeri \(words)`" }

    /// Returns the set-up of this machine: a user of the app has no terminal.
    package static func setup() -> Remedy {
        let isApp = Installation.current == .homeAssistant
        return Remedy(
            "sudo okaeri setup",
            noun: { _ in
                isApp ? ("the page in Home Assistant", "Home Assistant のページ") : ("`okaeri setup`", "`okaeri setup`")
            },
            order: isApp ? { _ in ("open the page in Home Assistant", "Home Assistant のページで設定") } : nil)
    }

    /// Returns a command that root runs on a file.
    package static func root(_ command: String) -> Remedy {
        Remedy("sudo \(command)", noun: { _ in ("`\(command)` as root", "root で `\(command)`") })
    }

    /// Returns a command that root runs on the machine, outside of a container.
    package static func machine(_ command: String) -> Remedy {
        Remedy("sudo \(command)", noun: { _ in ("`\(command)` on the machine", "ホストの `\(command)`") })
    }

    /// Returns the installation of a package, which is a part of an image.
    ///
    /// - Parameter package: Its name; `--reinstall` before it installs it again.
    package static func install(_ package: String) -> Remedy {
        Remedy(
            "sudo apt install \(package)",
            order: { ("build the image of \($0.english) anew", "\($0.japanese)のイメージを再作成") })
    }

    /// Returns the editing of a file that the program may not write.
    package static func edit(_ file: String) -> Remedy {
        Remedy("sudoedit \(file)", noun: { ("an editor outside \($0.english)", "\($0.japanese)の外のエディター") })
    }
}

// MARK: Rights

extension Remedy {
    /// The order to a user that may not use the socket or the state of the service.
    package static var admission: Texts {
        (
            Installation.words(
                "join its group with `sudo usermod -aG okaeri $USER` and log in again, or run the command with sudo",
                or: "run the command as the user of the daemon"),
            Installation.words(
                "`sudo usermod -aG okaeri $USER` でグループに加わってからログインし直すか、sudo を付けて実行してください", or: "デーモンと同じユーザーで実行してください")
        )
    }

    /// The order to the user of a container that may not scan.
    package static var scanRights: Texts {
        let name = Installation.name
        return (
            "give \(name.english) the rights NET_RAW and NET_ADMIN", "\(name.japanese)に NET_RAW と NET_ADMIN の権限を与えてください"
        )
    }

    /// The order to the user of a container that may not use bluetoothd.
    package static var busUser: String {
        "add the user of \(Installation.name.english) to the machine, as docs/containers.md shows"
    }
}
