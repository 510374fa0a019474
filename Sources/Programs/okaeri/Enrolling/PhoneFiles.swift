import ArgumentParser
import Glibc
import HCI
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup

/// The place of a phone: a file with its key beside `beacons.json`, and a region of the same name.
struct PhoneFiles {
    /// The configuration before the change.
    let before: Configuration
    /// The path of the key file.
    let path: String
    private let name: String
    private let change: ConfigurationChange

    /// Reports what prevents the change before anything else happens.
    ///
    /// - Parameters:
    ///   - name: The name of the key file and of the region: see `Configuration.isNodeName(_:)`.
    ///   - command: The words of the command, for the remedy.
    init(_ options: ConfigurationOptions, name: String, command: String) throws {
        change = try ConfigurationChange(options, command: command, json: false)
        before = try change.configuration()
        path = change.path(of: "\(name).irk")
        self.name = name
        guard access(path, F_OK) != 0 else {
            throw CommandFailure(
                "\(path) is there already; remove it first, or choose another name", status: Exit.ioError)
        }
        // After a pairing a refusal would come too late.
        _ = try changedText()
    }

    /// Throws if the user does not want the files to be written. Without a terminal there is no question.
    ///
    /// - Parameter isConfirmed: Whether no question is necessary.
    func consent(isConfirmed: Bool) async throws {
        let files = [path] + (isTaken ? [] : [change.file.path])
        if !isConfirmed, Terminal.canAsk,
            try await !TerminalConsole().confirm("Write \(files.joined(separator: " and "))?", default: true)
        {
            throw CommandFailure(.nothingWritten, status: .failure)
        }
    }

    /// Writes the files, then reloads the service. If `beacons.json` cannot be changed, no key file is left.
    ///
    /// - Returns: Whether a service uses the region from now on.
    func store(_ identity: DeviceIdentity) async throws -> Bool {
        var change = change
        let text = try changedText()
        if let file = before.readPhoneFile(of: identity.key) {
            throw CommandFailure(
                "the phone is enrolled already: \(file) has its key; to have it in another region, add "
                    + "{\"phone\": \(JSON.text(file))} to its \"anyOf\"", status: Exit.ioError)
        }
        try write(identity, text, &change)
        guard !isTaken else {
            change.say(
                "The region \"\(name)\" is there already. Add the phone to its \"anyOf\": {\"phone\": \(JSON.text(path))}"
            )
            return false
        }
        return try await change.apply()
    }

    /// Prints what an imported key does not prove.
    func sayUnproven() {
        change.say(
            "A key does not prove that the phone advertises: `okaeri explain \(name)` shows within ten minutes whether it is received."
        )
    }

    /// The configuration with the new region; `nil` if there is a region of that name.
    private func changedText() throws -> String? {
        isTaken
            ? nil : try change.changed { text throws(ConfigurationError) in try text.adding(phone: path, as: name) }
    }

    private var isTaken: Bool { before.regions.contains { $0.identifier == name } }

    private func write(_ identity: DeviceIdentity, _ text: String?, _ change: inout ConfigurationChange) throws {
        let address = identity.address.map { " \($0)" } ?? ""
        try CommandFailure.reporting { () throws(WriteObstacle) in
            try SecretFile.writeForDaemon(identity.key.secretText + address, to: path)
        }
        do {
            if let text { try change.write(text) }
        } catch {
            SecretFile.remove(path)
            throw error
        }
        change.say("\(path) is written.")
    }
}
