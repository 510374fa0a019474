import OkaeriConfiguration
import OkaeriEvents
import OkaeriMQTT
import OkaeriNetworkManager
import OkaeriPlumbing
package import OkaeriWiFi

/// The steps after `beacons.json` is written: each is asked about, carried out, and reported. A step that is declined or fails
/// is left out, and the commands for what is left are named at the end.
package struct ServiceSetup {
    /// The rights of this process.
    package struct Rights: Sendable {
        /// Whether the file is that of the service, and this process can control the service.
        package var controlsService: Bool
        /// Whether this process can add users to groups, and profiles to NetworkManager.
        package var isRoot: Bool

        package init(controlsService: Bool, isRoot: Bool) {
            self.controlsService = controlsService
            self.isRoot = isRoot
        }
    }

    private static let pagePort: UInt16 = 8080

    /// The commands for what is left.
    package private(set) var left: NextSteps
    private let rights: Rights
    private let network: HomeNetwork?
    /// The content of the file.
    private let text: String
    private let console: any Console
    private let wifi: any SetupNetworks
    private let service: any SetupService

    /// The text with the answers that are not written yet.
    private var draft: String
    private var isServiceDeclined = false

    /// - Parameters:
    ///   - left: The steps that are left on this machine.
    ///   - network: The region's network, if NetworkManager has no profile of it.
    ///   - text: The content of the file.
    package init(
        _ left: NextSteps, with rights: Rights, network: HomeNetwork?, text: String, console: any Console,
        wifi: any SetupNetworks, service: any SetupService
    ) {
        (self.left, self.rights, self.network) = (left, rights, network)
        (self.text, draft) = (text, text)
        (self.console, self.wifi, self.service) = (console, wifi, service)
    }

    package mutating func run() async throws {
        if rights.controlsService { try await offerService() }
        if rights.isRoot, let user = left.outsider { try await offerGroup(to: user) }
        if rights.isRoot, left.unsavedNetwork != nil, let network { try await offerProfile(of: network) }
        guard rights.controlsService,
            let configuration = try? Configuration(json: Array(text.utf8), file: left.file)
        else { return }
        let page = try await offerPage(configuration.web)
        if configuration.node.room == nil { try await askRoom() }
        if configuration.mqtt == nil { try await askBroker() }
        draft = try await ReceiverOffer(draft: draft, file: left.file, console: console, service: service).run()
        try await write(page: page)
    }
}

extension ServiceSetup {
    private func say(_ phrase: ServicePhrase, _ values: String...) { console.say(console.language(phrase, values)) }

    private func text(_ phrase: ServicePhrase, _ values: String...) -> String { console.language(phrase, values) }
}

// MARK: The service, the group, the network

extension ServiceSetup {
    private mutating func offerService() async throws {
        let question: ServicePhrase =
            switch left.daemon {
            case .runs: .useConfiguration
            case .absent: .startService
            }
        isServiceDeclined = try await !console.confirm(question, default: true)
        guard !isServiceDeclined else { return }
        say(.fewSeconds)
        try await apply()
    }

    /// Has the service use the file.
    private mutating func apply() async throws {
        let result = try await console.during(text(.waiting)) { [service] in
            await service.apply()
        }
        do throws(ServiceControl.Failure) {
            say(try result.get().phrase)
            left.isApplied = true
        } catch {
            left.isApplied = false
            console.say(error)
        }
    }

    private mutating func offerGroup(to user: String) async throws {
        guard
            try await console.confirm(ServicePhrase.addToGroup, user, default: true)
        else { return }
        if let trouble = try await console.during(nil, { [service] in await service.add(user) }) {
            return say(.notInGroup, user, trouble)
        }
        left.outsider = nil
        say(.inGroup, user)
    }

    private mutating func offerProfile(of network: HomeNetwork) async throws {
        let name = network.ssid.plain(replacesFormat: true)
        let question = text(.passphrase, name)
        let isLeft = try await console.ask(question, isSecret: true) { line in
            guard !line.isEmpty else { return true }
            let passphrase: TypedPassphrase
            do throws(TypedPassphrase.Mistake) {
                passphrase = try TypedPassphrase(line)
            } catch {
                throw console.mistake(
                    ServicePhrase.notTried, console.language == .english ? "\(error)" : error.japanese)
            }
            return try await !save(network, passphrase)
        }
        if !isLeft { left.unsavedNetwork = nil }
    }

    /// Returns whether NetworkManager has a profile of the network now.
    ///
    /// - Throws: a `Mistake` if it is not the passphrase of the network.
    private func save(_ network: HomeNetwork, _ passphrase: TypedPassphrase) async throws -> Bool {
        say(.joining)
        let result = try await console.during(text(.joiningNetwork, network.ssid.plain())) { [wifi] in
            await wifi.save(network, with: passphrase)
        }
        switch result {
        case .success(.existing): say(.existingProfile)
        case .success(.joined(let device)): say(.joined, device ?? text(.thisMachine))
        case .success(.untried(let device)): say(.untried, device ?? text(.theWiFi))
        case .failure(let failure) where failure.isOfCredentials:
            throw console.mistake(ServicePhrase.notAccepted)
        case .failure(let failure):
            say(.notJoined, console.language.sentence(failure))
            return false
        }
        return true
    }
}

// MARK: The page, the room and the broker: the answers are written at the end, all at once

extension ServiceSetup {
    /// Returns the address at which the page is to be open to the network; `nil`: it stays as it is.
    private func offerPage(_ web: Configuration.Web?) async throws -> String? {
        // The page needs a service that runs.
        guard web?.listen.address.isLoopback ?? true, !isServiceDeclined else { return nil }
        let isWanted = try await console.confirm(ServicePhrase.openPage, default: false)
        return isWanted ? "0.0.0.0:\(web?.listen.port ?? Self.pagePort)" : nil
    }

    private mutating func askRoom() async throws {
        try await console.ask(text(.room)) { room in
            guard !room.isEmpty else { return }
            do throws(ConfigurationError) {
                draft = try changed(["node": ["room": .string(room)]])
            } catch {
                throw console.mistake(ServicePhrase.roomMistake)
            }
        }
    }

    private mutating func askBroker() async throws {
        while let broker = try await brokerAnswers() {
            do throws(ConfigurationError) {
                draft = try changed(broker.patch)
                return
            } catch {
                console.say(error.sentence(in: console.language))
            }
        }
    }

    /// The broker in the order of its questions.
    private struct Broker {
        var host: String
        var port = MQTTSettings.Broker.plainPort
        var isEncrypted: Bool?
        var username: String?
        var passwordFile: String?

        /// The change of the configuration.
        var patch: JSONNode.Value {
            var mqtt: JSONNode.Value = ["host": .string(host), "port": .number(Double(port))]
            mqtt["tls"] = isEncrypted.map { .bool($0) }
            mqtt["username"] = username.map { .string($0) }
            mqtt["passwordFile"] = passwordFile.map { .string($0) }
            return ["mqtt": mqtt]
        }
    }

    /// Returns the broker; `nil` if there is none, or its password cannot be written.
    private func brokerAnswers() async throws -> Broker? {
        let address: ServerAddress? = try await console.ask(text(.broker)) { line in
            if line.isEmpty { return nil }
            guard let address = ServerAddress(line) else { throw console.mistake(SetupPhrase.hostMistake) }
            return address
        }
        guard let address else { return nil }
        var broker = Broker(host: address.host)
        broker.port = try await port(address)
        if broker.port == MQTTSettings.Broker.encryptedPort { broker.isEncrypted = true }
        broker.username = try await console.ask(text(.user)) {
            name in
            guard !name.isEmpty else { return nil }
            var named = broker
            named.username = name
            guard isConfiguration(named) else { throw console.mistake(ServicePhrase.userMistake) }
            return name
        }
        guard broker.username != nil, let password = try await askPassword() else { return broker }
        broker.passwordFile = "/"
        // The configuration needs a decision for every broker but one on this machine.
        if !isConfiguration(broker) {
            let isEncrypted = try await console.confirm(ServicePhrase.tls, default: false)
            var isDecided = isEncrypted
            if !isDecided { isDecided = try await console.confirmClearPassword(to: broker.host) }
            guard isDecided else {
                say(.leftOutUnencrypted)
                return nil
            }
            broker.isEncrypted = isEncrypted
        }
        do throws(WriteObstacle) {
            let path = try service.writePassword(password)
            broker.passwordFile = path
            say(.passwordWritten, path)
            return broker
        } catch {
            say(.leftOut, error.sentence(in: console.language))
            return nil
        }
    }

    /// Returns the port, asked for unless the user has written it behind the host.
    private func port(_ address: ServerAddress) async throws -> UInt16 {
        if let port = address.port { return port }
        let (plain, encrypted) = (MQTTSettings.Broker.plainPort, MQTTSettings.Broker.encryptedPort)
        return try await console.ask(text(.port, "\(plain)", "\(encrypted)")) { line in
            guard let port = line.isEmpty ? plain : UInt16(decimal: line[...]), port > 0 else {
                throw console.mistake(ServicePhrase.portMistake)
            }
            return port
        }
    }

    private func askPassword() async throws -> String? {
        try await console.ask(text(.password), isSecret: true) { line in
            guard line.utf8.count <= TypedPassword.limit, line.plain() == line else {
                throw console.mistake(ServicePhrase.passwordMistake, "\(TypedPassword.limit)")
            }
            return line.isEmpty ? nil : line
        }
    }

    private func isConfiguration(_ broker: Broker) -> Bool { (try? changed(broker.patch)) != nil }

    private func changed(_ patch: JSONNode.Value) throws(ConfigurationError) -> String {
        try ConfigurationText(draft, file: left.file).merging(patch)
    }

    /// Writes the answers, and has the service use them.
    ///
    /// - Parameter address: The address at which the page is to be open to the network.
    private mutating func write(page address: String?) async throws {
        var address = address
        do throws(ConfigurationError) {
            // Another machine never reads without a login.
            if let address { draft = try changed(["web": ["listen": .string(address), "open": .null]]) }
        } catch {
            address = nil
            console.say(error.sentence(in: console.language))
        }
        guard draft != text else { return }
        do throws(WriteObstacle) {
            try service.write(draft, replacing: text)
        } catch {
            return console.say(error)
        }
        left.isApplied = false
        say(.fileWritten, left.file)
        guard !isServiceDeclined else { return }
        try await apply()
        guard left.isApplied, let address else { return }
        try await console.during(nil) { [service] in await service.showPage(at: address) }
    }
}
