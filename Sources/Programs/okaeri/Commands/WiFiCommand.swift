import ArgumentParser
import OkaeriConfiguration
import OkaeriNetworkManager
import OkaeriPlumbing
import OkaeriWiFi

struct WiFiCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wifi", abstract: "Show a network to guests.", subcommands: [WiFiQRCommand.self])
}

struct WiFiQRCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "qr", abstract: "Print a QR code that joins a network with a phone's camera.",
        discussion: """
            It reads the passphrase file of the region, or the saved profile of NetworkManager, so run it \(Installation.words("with sudo", or: "as root")). \
            Every device that scans the code can join the network. Exit status: 0; 1 if the passphrase or libqrencode4 is missing; \
            78 for a configuration that does not load.
            """)

    @OptionGroup var config: ConfigurationOptions

    @Argument(help: "The network (SSID); default: the network of the first region that has one.")
    var ssid: String?

    @Flag(help: "Print the text of the code instead.")
    var text = false

    func run() async throws {
        let network = try network()
        let code = if let file = network.passphraseFile { try read(file, network) } else { try await saved(network) }
        if text { return print(code.text) }
        do throws(QRCode.Failure) {
            print(try QRCode(code.text).lines.joined(separator: "\n"))
        } catch {
            throw CommandFailure("\(error)", status: .failure)
        }
    }

    private func network() throws -> HomeNetwork {
        let networks = try config.merged(isQuiet: true).merged.configuration.regions.compactMap(\.network)
        if let ssid {
            if let known = networks.first(where: { $0.name == SSID(ssid) }) { return known }
            do throws(SSIDLengthError) {
                return try HomeNetwork(ssid: ssid)
            } catch {
                throw ValidationError("\(error)")
            }
        }
        guard let first = networks.first else {
            throw CommandFailure(
                "no region has a network; name one, as in \(Remedy.okaeri("wifi qr HomeNet"))", status: .failure)
        }
        return first
    }

    private func read(_ file: String, _ network: HomeNetwork) throws -> GuestCode {
        do throws(PassphraseFileError) {
            return try PassphraseFile.load(file).withCString { GuestCode(network, passphrase: $0) }
        } catch {
            throw CommandFailure("\(error)", status: .failure)
        }
    }

    private func saved(_ network: HomeNetwork) async throws -> GuestCode {
        let service = NetworkManagerService()
        try BlockingThread.start { service.run() }
        defer { service.stop() }
        switch await service.passphrase(of: network) {
        case .success(let passphrase): return passphrase.withCString { GuestCode(network, passphrase: $0) }
        case .failure(let failure): throw CommandFailure("\(failure)", status: .failure)
        }
    }
}
