import Events
import ArgumentParser
import Client

struct WebCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web",
        abstract: "The page: on and off, log a browser in, list the sessions, end one.",
        discussion: """
            `sudo okaeri web on` serves it where beacons.json then says: "web": {"listen": "127.0.0.1:8080"}. A \
            browser is let in by a link, which is good once and for ten minutes, and stays until it is revoked or away for ninety days.
            """,
        subcommands: [
            WebOnCommand.self, WebOffCommand.self, WebLinkCommand.self, WebDevicesCommand.self, WebRevokeCommand.self,
        ])
}

struct WebLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "Print an address that lets one browser in.",
        discussion: """
            On a terminal with a QR code, by libqrencode4. Exit status: 0; 1 if there is no page; 69 if no \
            daemon answers.
            """)

    @OptionGroup var socket: SocketOptions

    @Option(
        help: ArgumentHelp(
            "The page's address for that browser, where the daemon cannot know it, such as http://pi.lan:8080/.",
            valueName: "address"))
    var address: String?

    @Flag(help: "No QR code.")
    var plain = false

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            let link = try await socket.client.webLink()
            WebLink.show(link, at: address, plain: plain)
        }
    }
}

struct WebDevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the browsers that are let in.")

    @OptionGroup var socket: SocketOptions

    @Flag(help: "As JSON.")
    var json = false

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            let client = socket.client
            if json { return print(try await client.text(Route.devices), terminator: "") }
            let devices = try await client.get(Route.devices, as: [WebDeviceReport].self)
            if devices.isEmpty { return print("no browser is let in; `okaeri web link` prints an address for one") }
            for device in devices {
                print("\(device.id)  since \(LocalTime.text(stamp: device.since))  \(device.name)")
            }
        }
    }
}

struct WebRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Let a browser in no more.",
        discussion: "Its next request is refused. Exit status 1 if there is none of this name.")

    @OptionGroup var socket: SocketOptions

    @Argument(help: "The six letters by which `okaeri web devices` lists it; `all` for all of them.")
    var id: String

    func run() async throws {
        try await exitingOnFailure { () async throws(APIClient.Failure) in
            let client = socket.client
            let ids =
                id == "all" ? try await client.get(Route.devices, as: [WebDeviceReport].self).map(\.id) : [id]
            for id in ids { _ = try await client.revoke(device: id) }
            print(ids.isEmpty ? "no browser was let in" : "\(ids.joined(separator: ", ")): let in no more")
        }
    }
}
