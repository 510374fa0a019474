import Events
import OkaeriConfiguration
import Plumbing

/// The page, the room and the broker: what is answered is written at the end, all at once.
extension FirstRun {
    struct BrokerAnswers {
        var host = ""
        var port = Self.usualPort
        var username: String?
        var password: String?
        var isEncrypted: Bool?

        static let usualPort = 1883

        /// The members of `mqtt`.
        func members(passwordFile: String?) -> [(key: String, value: RegionDraft.Setting)] {
            var members: [(key: String, value: RegionDraft.Setting)] = [
                ("host", .string(host)), ("port", .number(Double(port))),
            ]
            if let isEncrypted { members.append(("tls", .bool(isEncrypted))) }
            if let username { members.append(("username", .string(username))) }
            if let passwordFile { members.append(("passwordFile", .string(passwordFile))) }
            return members
        }
    }

    /// The port of MQTT over TLS (IANA: secure-mqtt).
    package static let encryptedPort: UInt16 = 8883

    /// The longest password that the daemon reads from a file, in bytes.
    private static let longestPassword = 1024

    // MARK: The room

    mutating func named(_ room: String) -> [Action] {
        guard !room.isEmpty else { return advance() }
        do throws(ConfigurationError) {
            draft = try ConfigurationText(draft, file: file).setting([("room", .string(room))], of: "node")
            return advance()
        } catch {
            return [.say("A room is a name of up to 64 bytes without control characters.")] + next()
        }
    }

    // MARK: The broker

    mutating func askHost() -> [Action] {
        broker = BrokerAnswers()
        return ask(
            .host, "Is there an MQTT broker, as of Home Assistant? Its name or address, or Enter for none: ")
    }

    mutating func chose(host: String) -> [Action] {
        guard !host.isEmpty else { return advance() }
        broker.host = host
        guard isConfiguration(broker.members(passwordFile: nil)) else {
            return [.say("A name such as mqtt.lan or an address such as 192.168.1.10, please.")] + askHost()
        }
        return askPort()
    }

    private mutating func askPort() -> [Action] {
        ask(.port, "Its port [\(BrokerAnswers.usualPort); \(Self.encryptedPort) with TLS]: ")
    }

    mutating func chose(port: String) -> [Action] {
        guard let number = port.isEmpty ? UInt16(BrokerAnswers.usualPort) : UInt16(decimal: port[...]), number > 0
        else {
            return [.say("A port is a number from 1 to 65535.")] + askPort()
        }
        broker.port = Int(number)
        broker.isEncrypted = number == Self.encryptedPort ? true : nil
        return askUsername()
    }

    private mutating func askUsername() -> [Action] {
        ask(.username, "Your name at the broker, or Enter if it asks for none: ")
    }

    mutating func chose(username: String) -> [Action] {
        guard !username.isEmpty else { return endBroker(passwordFile: nil) }
        broker.username = username
        guard isConfiguration(broker.members(passwordFile: nil)) else {
            broker.username = nil
            return [.say("A name has no control characters.")] + askUsername()
        }
        return askPassword()
    }

    private mutating func askPassword() -> [Action] {
        askSecret(.password, "The password, which is not shown, or Enter for none: ")
    }

    mutating func typedPassword(_ line: String) -> [Action] {
        guard !line.isEmpty else { return endBroker(passwordFile: nil) }
        guard line.utf8.count <= Self.longestPassword, line.plain() == line else {
            return [.say("A password has up to \(Self.longestPassword) bytes and no control characters.")]
                + askPassword()
        }
        broker.password = line
        // The configuration needs a decision for every broker but one on this machine.
        guard !isConfiguration(broker.members(passwordFile: "/")) else { return writePassword() }
        return ask(
            .encryption,
            "Does the broker encrypt at this port (TLS)? Otherwise every device in the network can read the password. [y/N] "
        )
    }

    mutating func encrypted(_ isEncrypted: Bool) -> [Action] {
        broker.isEncrypted = isEncrypted
        return writePassword()
    }

    private mutating func writePassword() -> [Action] {
        question = nil
        guard let password = broker.password else { return endBroker(passwordFile: nil) }
        broker.password = nil
        return [.writePassword(password)]
    }

    mutating func passwordWritten(_ result: Result<String, WriteObstacle>) -> [Action] {
        switch result {
        case .success(let path):
            return [.say("\(path) has the password, for the service alone.")] + endBroker(passwordFile: path)
        case .failure(let obstacle):
            return [.say("The broker is left out: \(obstacle).")] + advance()
        }
    }

    private mutating func endBroker(passwordFile: String?) -> [Action] {
        do throws(ConfigurationError) {
            draft = try ConfigurationText(draft, file: file).setting(
                broker.members(passwordFile: passwordFile), of: "mqtt")
            return advance()
        } catch {
            return [.say(error.description)] + askHost()
        }
    }

    private func isConfiguration(_ members: [(key: String, value: RegionDraft.Setting)]) -> Bool {
        (try? ConfigurationText(draft, file: file).setting(members, of: "mqtt")) != nil
    }

    // MARK: The file

    mutating func write() -> [Action] {
        question = nil
        if wantsPage {
            do throws(ConfigurationError) {
                // Another machine never reads without a login.
                draft = try ConfigurationText(draft, file: file).setting(
                    [("listen", .string(pageAddress)), ("open", .removed)], of: "web")
            } catch {
                wantsPage = false
                return [.say(error.description)] + next()
            }
        }
        guard draft != text else { return advance() }
        return [.write(draft, replacing: text)]
    }

    mutating func written(_ result: Result<Void, WriteObstacle>) -> [Action] {
        switch result {
        case .success:
            text = draft
            left.isApplied = false
            let said = Action.say("\(file) is written.")
            return isServiceDeclined ? [said] + advance() : [said, .apply]
        case .failure(let obstacle): return [.say("\(obstacle).")] + advance()
        }
    }
}
