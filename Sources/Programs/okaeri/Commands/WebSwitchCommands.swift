import ArgumentParser
import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing

struct WebOnCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "on", abstract: "Switch the page on, and print a link that logs one browser in.",
        discussion: """
            Writes "web" in beacons.json and reloads the service. Without --lan the page listens on 127.0.0.1, for the \
            browsers of this machine and for a tunnel; with --lan also for those of the local network, without encryption. \
            Exit status: 0; 1 if the page is not served; 69 if the service does not answer; 77 without the right to write \
            the file; 78 if the file has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions
    @OptionGroup var socket: SocketOptions

    @Flag(help: "Listen for the local network, such as for a phone. The connection is not encrypted.")
    var lan = false

    @Option(help: "The port; default: the one in beacons.json, or 8080.")
    var port: UInt16?

    @Flag(help: "Print no QR code.")
    var plain = false

    @Flag(help: "Print JSON.")
    var json = false

    /// The port without one in the file.
    private static let defaultPort: UInt16 = 8080

    func validate() throws {
        if port == 0 { throw ValidationError("--port takes a number from 1 to 65535") }
    }

    func run() async throws {
        var change = try ConfigurationChange(config, command: "web on" + (lan ? " --lan" : ""), json: json)
        let before = try change.configuration().web?.listen
        let address = try Self.address(lan: lan, port: port, before: before)
        // Another machine never reads without a login.
        var members: JSONNode.Value = ["listen": .string(address.description)]
        if lan { members["open"] = .null }
        let web: JSONNode.Value = ["web": members]
        try change.write(try change.changed { text throws(ConfigurationError) in try text.merging(web) })
        change.report.address = address.description
        guard try await change.apply() else {
            change.say("Then run `okaeri web link`.")
            return change.printReport()
        }
        let client = socket.client
        var problem: String?
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            problem = try await PageState.problem(client, at: address.description)
            guard problem == nil else { return }
            let link = try await client.webLink()
            change.report.links = WebLink.links(link)
            if !json { WebLink.show(link, listener: address.description, plain: plain) }
        }
        if let problem {
            throw CommandFailure("the page is not served on \(address): \(problem)", status: .failure)
        }
        change.printReport()
        if lan {
            Terminal.printNotice(
                "the connection is not encrypted: a host that records this network can take over a session; see "
                    + "/usr/share/doc/okaeri/page.md")
        }
    }

    /// Returns the address to listen at.
    ///
    /// - Parameter before: The address in the file. With `lan` one that other machines reach stays, but for its port.
    static func address(lan: Bool, port: UInt16?, before: ListenAddress?) throws -> ListenAddress {
        let port = port ?? before?.port ?? defaultPort
        if lan, var before, !before.address.isLoopback {
            before.port = port
            return before
        }
        let isLoopbackKept = !lan && before?.address.isLoopback == true
        let host = isLoopbackKept ? before?.address.description ?? "" : lan ? "0.0.0.0" : "127.0.0.1"
        guard let address = ListenAddress(host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)") else {
            throw ValidationError("--port takes a number from 1 to 65535")
        }
        return address
    }
}

struct WebOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off", abstract: "Switch the page off, and close its port.",
        discussion: """
            Removes "web" from beacons.json and reloads the service. Sessions stay valid for the time when the page is on \
            again; `okaeri web revoke all` ends them. Exit status: 0; 69 if the service does not answer; 77 without the \
            right to write the file; 78 if the file has mistakes.
            """)

    @OptionGroup var config: ConfigurationOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        var change = try ConfigurationChange(config, command: "web off", json: json)
        guard try change.configuration().web != nil else {
            change.say("The page is off already: \(change.file.path) has no \"web\".")
            return change.printReport()
        }
        try change.write(try change.changed { text throws(ConfigurationError) in try text.merging(["web": .null]) })
        _ = try await change.apply()
        change.printReport()
    }
}

/// The page of a daemon that has just read its configuration.
enum PageState {
    private static let interval = Duration.milliseconds(500)
    private static let attempts = 10

    /// Returns the reason why the page is not served at an address; `nil` if it is. The daemon answers before it has opened the
    /// page's port.
    static func problem(_ client: APIClient, at address: String) async throws(APIClient.Failure) -> String? {
        try await WaitingLine.during("waiting for the page") { () async throws(APIClient.Failure) in
            try await awaited(client, at: address)
        }
    }

    /// Returns the listener of the page; `nil` without one.
    static func listener(_ client: APIClient) async throws(APIClient.Failure) -> ListenerReport? {
        let status: StatusReport = try await client.get(Route.briefStatus)
        return status.listeners?.first { $0.name == "web" }
    }

    private static func awaited(_ client: APIClient, at address: String) async throws(APIClient.Failure) -> String? {
        for attempt in 1...attempts {
            if let page = try await listener(client) {
                if page.address == address { return page.problem }
                if let refused = page.refused, refused.hasPrefix("\(address) ") { return refused }
            }
            if attempt < attempts { try? await Task.sleep(for: interval) }
        }
        return "the daemon has not opened the port; look at \(Remedy.log())"
    }
}

/// The addresses that let a browser in, on the terminal.
enum WebLink {
    /// Prints the addresses of the link, with a QR code on a terminal.
    ///
    /// - Parameters:
    ///   - address: The page's address for that browser; `nil`: those that the daemon knows.
    ///   - listener: The address that the page listens at.
    static func show(_ link: WebLinkReport, at address: String? = nil, listener: String, plain: Bool) {
        let addresses = address.map { [$0.hasSuffix("/") ? $0 : $0 + "/"] } ?? link.addresses
        let links = links(link, at: addresses)
        if !plain, Terminal.isInteractive, let first = links.first { show(code: first) }
        print(links.joined(separator: "\n"))
        Terminal.printNotice(
            "open \(links.count == 1 ? "it" : "one of them") within \(link.seconds / 60) minutes; it logs one browser in"
        )
        guard address == nil, addresses.allSatisfy(isOfThisMachine) else { return }
        let listener = ListenAddress(listener)
        guard listener?.address.isLoopback != false else {
            return Terminal.printNotice(
                "a phone cannot open it, because this machine has no address in a network now: connect it, and run `okaeri web "
                    + "link` again")
        }
        let port = listener?.port ?? 8080
        Terminal.printNotice(
            "a phone cannot open it, because the page listens on this machine alone: run \(Remedy.okaeri("web on --lan")); or, on a "
                + "computer, open the link after `ssh -L \(port):127.0.0.1:\(port) USER@THIS-MACHINE`")
    }

    /// Returns the links that log one browser in.
    ///
    /// - Parameter addresses: The page's addresses for that browser; `nil`: those that the daemon knows.
    static func links(_ link: WebLinkReport, at addresses: [String]? = nil) -> [String] {
        (addresses ?? link.addresses).map { "\($0)#login=\(link.token)" }
    }

    private static func show(code text: String) {
        do throws(QRCode.Failure) {
            print(try QRCode(text).lines.joined(separator: "\n"))
        } catch {
            Terminal.printNotice(error.description)
        }
    }

    /// Whether only browsers of this machine reach the address, such as `http://127.0.0.1:8080/`.
    static func isOfThisMachine(_ address: String) -> Bool {
        guard address.hasPrefix("http://") else { return false }
        let server = ServerAddress(String(address.dropFirst("http://".count).prefix { $0 != "/" }))
        return server.map { ServerAddress.isLoopback(host: $0.host) } ?? false
    }
}
