import ArgumentParser
import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents

struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "Switch the page on or off, and manage its logins.",
        discussion: """
            A link logs one browser in, once and within ten minutes. The session ends when you revoke it, or after ninety \
            days without use. The address of the page is "web" in beacons.json.
            """,
        subcommands: [
            WebOnCommand.self, WebOffCommand.self, WebLinkCommand.self, WebDevicesCommand.self, WebRevokeCommand.self,
        ])
}

struct WebLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print a link that logs one browser in.",
        discussion: """
            On a terminal it shows a QR code, too, if libqrencode4 is installed. Exit status: 0; 1 if the page is off, or is not served; 69 if no \
            daemon answers.
            """)

    @OptionGroup var socket: SocketOptions

    @Option(
        help: ArgumentHelp(
            "The page's address for that browser, if it is not one of this machine's, such as http://pi.lan:8080/.",
            valueName: "address"))
    var address: String?

    @Flag(help: "Print no QR code.")
    var plain = false

    @Flag(help: "Print JSON: the addresses of the page, the token, and the seconds for which it is valid.")
    var json = false

    func validate() throws {
        if let address, WebURL(address).map(\.hasLogin) != false || address.contains("?") {
            throw ValidationError(
                "--address takes the page's address in that browser, such as http://pi.lan:8080/ or https://okaeri.example.org/"
            )
        }
    }

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            let client = socket.client
            let listener = try await PageState.listener(client)
            if let problem = listener?.problem {
                throw .refused(
                    status: 503, sentence: "the page is not served on \(listener?.address ?? "its address"): \(problem)"
                )
            }
            let link = try await client.webLink()
            if json { return print(JSON.line(link)) }
            WebLink.show(link, at: address, listener: listener?.address ?? "", plain: plain)
        }
    }
}

struct WebDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the browsers with a login.")

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            let client = socket.client
            if json { return print(try await client.text(Route.devices), terminator: "") }
            let devices = try await client.get(Route.devices, as: [WebDeviceReport].self)
            if devices.isEmpty { return print("no browser has a login; `okaeri web link` prints an address for one") }
            for device in devices {
                print("\(device.id)  since \(LocalTime.text(stamp: device.since))  \(device.name)")
            }
        }
    }
}

struct WebRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End the login of a browser.",
        discussion: "Ends the login of a phone or browser. Exit status 1 if there is no login with this name.")

    @OptionGroup var socket: SocketOptions

    @Argument(help: "The browser's six letters in `okaeri web devices`, or `all`.")
    var id: String

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            let client = socket.client
            let ids =
                id == "all" ? try await client.get(Route.devices, as: [WebDeviceReport].self).map(\.id) : [id]
            for id in ids { _ = try await client.revoke(device: id) }
            if json { return print(JSON.line(["revoked": ids])) }
            print(ids.isEmpty ? "no browser has a login" : "\(ids.joined(separator: ", ")): the login is ended")
        }
    }
}
