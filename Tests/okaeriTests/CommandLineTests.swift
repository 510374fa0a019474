import ArgumentParser
import Testing

@testable import okaeri

/// Errors of a command line are reported before anything is done.
@Suite struct CommandLineTests {
    @Test(arguments: [
        "status", "status --region home --json", "status --house --wait inside --timeout 5", "status --help",
        "status -h", "status --version", "status --nonsense", "status --timeout 5", "status --wait nowhere",
        "status extra", "status --generate-completion-script bash", "help status", "--region home status",
    ])
    func `status is parsed alone as it is among all commands`(line: String) {
        let arguments = line.split(separator: " ").map(String.init)
        func outcome(_ parse: ([String]) throws -> any ParsableCommand) -> String {
            do {
                return "\(try parse(arguments))"
            } catch {
                return Okaeri.fullMessage(for: error)
            }
        }
        #expect(outcome(Okaeri.parsed) == outcome { try Okaeri.parseAsRoot($0) })
        #expect(!outcome(Okaeri.parsed).contains("Usage: okaeri okaeri"))
    }

    @Test func `the version names the commit where that is known`() {
        #expect("\(Version(number: "1.2.3", commit: "abc1234-dirty"))" == "1.2.3 (abc1234-dirty)")
        #expect("\(Version(number: "1.2.3", commit: ""))" == "1.2.3")
    }

    @Test(
        arguments: [
            ("nonsense", "Unexpected argument 'nonsense'"),
            ("decode", "Missing expected argument '<hex> ...'"),
            ("answer 1 perhaps", "'join', 'later' or 'never'"),
            ("scan --adapter foo", "--adapter takes a name such as hci0"),
            ("scan --adapter hci", "--adapter takes a name such as hci0"),
            ("devices --adapter hci99999", "--adapter takes a name such as hci0"),
            ("scan --adapter hci+1", "--adapter takes a name such as hci0"),
            ("bluetooth --adapter hci01", "--adapter takes a name such as hci0"),
            ("bluetooth --adapter foo", "--adapter takes a name such as hci0"),
            ("bluetooth --timeout 0", "--timeout takes a number of seconds above zero and at most 3600"),
            ("bluetooth on --timeout nan", "--timeout takes a number of seconds above zero and at most 3600"),
            ("scan --duration 0", "--duration takes a number of seconds above zero"),
            ("range --duration inf home", "--duration takes a number of seconds above zero"),
            ("scan --duration nan", "--duration takes a number of seconds above zero"),
            ("replay --speed 0 x", "--speed takes a number above zero"),
            ("replay --speed inf x", "--speed takes a number above zero"),
            ("replay --score --speed 2 x", "--score replays at full speed"),
            ("replay --score --state-dir d x", "--score writes no history"),
            ("history --since yesterdayish", "--since yesterdayish is not a time; it takes today, yesterday, 2h"),
            ("history --mistakes --csv", "--mistakes is printed as text or with --json"),
            ("history --since +2h", "--since +2h is not a time"),
            ("plot --day never", "--day never is not a day; it takes today"),
            ("status --timeout 5", "--timeout requires --wait"),
            ("status --wait inside --timeout=-1", "--timeout takes a number of seconds above zero"),
            ("status --wait nowhere", "--wait takes inside or outside"),
            ("status --wait inside --nagios", "a plugin must answer at once"),
            ("calibrate --distance 1 home", "--distance takes metres from 2 to 1000"),
            ("calibrate --measured-power -59 home", "--measured-power takes dBm from -127 to -1"),
            ("calibrate --distance 5 --measured-power 3 home", "--measured-power takes dBm from -127 to -1"),
            ("advertise", "name the beacon with --uuid, --major and --minor, or with --region"),
            ("advertise --region home --major 1", "--region includes major and minor"),
            ("advertise --uuid 5 --major 1 --minor 1", "--uuid takes 32 hexadecimal digits"),
            (
                "advertise --uuid E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 --major 1",
                "the beacon is incomplete; add --major and --minor"
            ),
            ("advertise --region home --measured-power 0", "--measured-power takes the signal at one metre"),
        ])
    func `what is wrong is a sentence, and exit status 64`(line: String, sentence: String) throws {
        let arguments = line.split(separator: " ").map(String.init)
        let error = #expect(throws: (any Error).self) { try Okaeri.parseAsRoot(arguments) }
        let wrong = try #require(error)
        #expect(Okaeri.exitCode(for: wrong) == Exit.usage)
        let message = Okaeri.fullMessage(for: wrong)
        #expect(message.contains(sentence), "\(message)")
        #expect(message.contains("Usage: okaeri"))
    }

    @Test(
        arguments: [
            "monitor", "scan --duration 0.5", "replay --speed 0.1 x", "history --since 2h --csv", "plot --day today",
            "status --wait inside --timeout 1e9", "calibrate --distance 2 --measured-power -127 home",
            "advertise --region home --measured-power -127", "bluetooth", "bluetooth on --timeout 3600",
            "range --adapter hci65535 home", "decode 02 01 06",
        ])
    func `what is right is taken, to its bounds`(line: String) {
        #expect(throws: Never.self) { try Okaeri.parseAsRoot(line.split(separator: " ").map(String.init)) }
    }

    /// Every command with those under it.
    private func commands(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
        [command] + command.configuration.subcommands.flatMap(commands)
    }

    @Test func `every command explains itself and all that it takes`() {
        let all = commands(Okaeri.self).dropFirst()
        #expect(all.count > 25)
        for command in all {
            let help = Okaeri.helpMessage(for: command, includeHidden: false, columns: 80)
            #expect(!command.configuration.abstract.isEmpty && help.contains("USAGE: okaeri "), "\(command)")
            #expect(command.configuration.abstract.hasSuffix("."), "\(command)")
            #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 || $0.hasPrefix("USAGE") }, "\(help)")
            // The explanations begin in column 27, on the line below where the option is long.
            let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
            for (line, next) in zip(lines, lines.dropFirst()) where line.hasPrefix("  --") || line.hasPrefix("  <") {
                let isExplained = line.count > 26 || next.hasPrefix("      ")
                #expect(isExplained, "\(command): \(line)")
            }
        }
    }
}
