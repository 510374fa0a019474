import ArgumentParser
import FoundationEssentials
import Glibc
import IBeacon
import OkaeriConfiguration
import OkaeriEvents
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriSetup
import OkaeriWiFi
import SystemPackage

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Set up a beacon, the Wi-Fi, the page and the broker by questions.",
        discussion: """
            While the file has no region, it asks whether this is the first Pi of the house: a further one continues with \
            `okaeri join`. At a Pi that has joined, it names the ways to change that, and ends. At the first Pi it lists the \
            beacons in range, and asks for yours, its owner, the Wi-Fi to offer on arrival, whether to measure \
            the signal, and whether the region is inside only while the beacon is near: then it measures for a minute and \
            proposes enterRSSI and exitRSSI. It writes the configuration and keeps the earlier file as .bak; Ctrl-C before \
            that changes nothing. As root it then offers to reload or start the service, to add you to its group, to create \
            the profile of the Wi-Fi, to open the page to the network, to set the room and the MQTT broker, and to use \
            receivers of other makes that publish there; without root it names the commands. With --beacon and --identifier it asks nothing, and needs no terminal. Exit status: 1 if \
            you ended it, 64 without a terminal and these options.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var source: SourceOptions
    @OptionGroup var socket: SocketOptions
    @OptionGroup var log: LogOptions

    @Option(help: "Your beacon: UUID/MAJOR/MINOR; UUID/MAJOR or UUID for all of them.", transform: Self.constraint)
    var beacon: BeaconConstraint?

    @Option(help: "The name of the region, such as home. An existing region of that name is changed.")
    var identifier: String?

    @Option(help: "The Wi-Fi to offer on arrival.")
    var ssid: String?

    @Option(
        help: "A file with its passphrase, if NetworkManager has no profile of it.", completion: .file())
    var passphraseFile: String?

    @Flag(help: "Print JSON. Requires --beacon and --identifier.")
    var json = false

    private static func constraint(_ text: String) throws -> BeaconConstraint {
        guard let constraint = BeaconConstraint(text) else {
            throw ValidationError("--beacon takes UUID/MAJOR/MINOR, UUID/MAJOR or UUID, as `okaeri scan` shows them")
        }
        return constraint
    }

    func validate() throws {
        if let identifier, !Configuration.Region.isIdentifier(identifier) {
            throw ValidationError("--identifier takes \(Configuration.Region.expectedIdentifier), such as home")
        }
        if let passphraseFile, !SecretFile.isPath(passphraseFile) {
            throw ValidationError("--passphrase-file takes \(SecretFile.expected)")
        }
        if passphraseFile != nil, ssid == nil { throw ValidationError("--passphrase-file requires --ssid") }
    }

    func run() async throws {
        guard let broker = try await ask() else { return }
        // The set-up has ignored it.
        signal(SIGPIPE, SIG_DFL)
        let isEncrypted = ServerAddress(broker)?.port == MQTTSettings.Broker.encryptedPort
        let options = (config.file.map { ["--config", $0] } ?? []) + (isEncrypted ? ["--tls"] : [])
        try await JoinCommand.parse(options + ["--", broker]).run()
    }

    /// Asks, and writes the answers.
    ///
    /// - Returns: The broker of the house that this machine joins instead; `nil` if there is nothing left to do.
    private func ask() async throws -> String? {
        let answers = RegionSetup.Answers(beacons: beacon, identifier: identifier, network: try network())
        guard answers.areComplete || Terminal.canAsk && !json else {
            throw CommandFailure(json ? .jsonAsksNothing : .noTerminal, status: Exit.usage)
        }
        let file = try ConfigurationFile(config, command: "setup")
        let path = FilePath(SocketPath.absolute(file.path)).lexicallyNormalized().string
        let session = SetupSession(
            answers: answers, file: file, path: path, content: try content(of: file), source: source,
            client: socket.client, logger: log.logger,
            report: json ? ChangeReport(file: path, identifier: identifier) : nil)
        return try await session.run()
    }

    private func network() throws -> HomeNetwork? {
        guard let ssid else { return nil }
        do throws(SSIDLengthError) {
            return try HomeNetwork(ssid: ssid, passphraseFile: passphraseFile)
        } catch {
            throw ValidationError("--ssid: \(error)")
        }
    }

    /// Returns the content of the file and the configuration in it; `nil` without a file.
    private func content(of file: ConfigurationFile) throws -> (text: String, configuration: Configuration)? {
        do throws(ConfigurationError) {
            guard let text = try file.text() else { return nil }
            return (text, try ConfigurationText(text, file: file.path).configuration())
        } catch {
            throw CommandFailure(error)
        }
    }
}
