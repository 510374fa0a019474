import ArgumentParser
import OkaeriConfiguration
import FoundationEssentials
import Glibc
import IBeacon
import Setup
import SystemPackage
import WiFi

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Find your beacon, name it, and write beacons.json, by questions.",
        discussion: """
            It looks for Bluetooth, shows the beacons in the air, asks for yours, whose it is, the Wi-Fi to be offered on \
            arrival, whether to measure the signal, and whether it is inside only while it is near, for which it measures \
            the signal for a minute and proposes enterRSSI and exitRSSI; then it writes the configuration, and keeps the one \
            before as .bak. Ctrl-C at any question before that leaves everything as it was. As root it then offers to reload or start \
            the service, to add you to its group, to create the profile of the Wi-Fi, to open the page to the network, and to set the \
            room and the MQTT broker; others see the commands. With --beacon and --identifier nothing is asked: that is how it goes \
            without a terminal. Exit status 1 if it was ended, 64 without a terminal and \
            these options.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var source: SourceOptions
    @OptionGroup var socket: SocketOptions
    @OptionGroup var log: LogOptions

    @Option(help: "Your beacon: UUID/MAJOR/MINOR; UUID/MAJOR or UUID for all of them.", transform: Self.constraint)
    var beacon: BeaconConstraint?

    @Option(help: "What it shall be called, such as home; a region of that name is changed.")
    var identifier: String?

    @Option(help: "The Wi-Fi that is to be offered on arrival.")
    var ssid: String?

    @Option(
        help: "The file that holds its passphrase, if NetworkManager has no profile of it.", completion: .file())
    var passphraseFile: String?

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
        if passphraseFile != nil, ssid == nil { throw ValidationError("--passphrase-file requires --ssid") }
    }

    func run() async throws {
        let answers = SetupDialogue.Answers(beacons: beacon, identifier: identifier, network: try network())
        guard answers.areComplete || Terminal.canAsk else {
            throw CommandFailure(
                "there is no terminal to ask on; use `--beacon UUID/MAJOR/MINOR --identifier home`, and `--ssid HomeNet` if there "
                    + "is a Wi-Fi to join: `okaeri scan` lists the beacons", status: Exit.usage)
        }
        let file = ConfigurationFile(
            Configuration.fileToWrite(
                named: config.file, isRoot: geteuid() == 0, isService: ServiceControl.isInstalled))
        let text = try text(of: file)
        let path = FilePath(SocketPath.absolute(file.path)).lexicallyNormalized().string
        let dialogue = SetupDialogue(
            answers, text: text?.text, regions: text?.regions ?? [], file: path, owner: NextSteps.owner)
        let session = SetupSession(
            dialogue, file: file, text: text?.text, source: source, client: socket.client, logger: log.logger,
            isSilent: answers.areComplete)
        try await session.run()
    }

    private func network() throws -> HomeNetwork? {
        guard let ssid else { return nil }
        do throws(SSIDLengthError) {
            return try HomeNetwork(ssid: ssid, passphraseFile: passphraseFile)
        } catch {
            throw ValidationError("--ssid: \(error)")
        }
    }

    /// Returns the content of the file and its regions; an obstacle to writing it is reported before any question.
    private func text(of file: ConfigurationFile) throws -> (text: String, regions: [Configuration.Region])? {
        if let obstacle = file.obstacle {
            let isRight = obstacle.isPermission && geteuid() != 0
            throw CommandFailure(
                obstacle.description + (isRight ? "; or `sudo okaeri setup`" : ""),
                status: obstacle.isPermission ? Exit.noPermission : Exit.ioError)
        }
        do throws(ConfigurationError) {
            guard let text = try file.text() else { return nil }
            return (text, try ConfigurationText(text, file: file.path).regions())
        } catch {
            throw CommandFailure(error.description, status: Exit.configuration)
        }
    }
}
