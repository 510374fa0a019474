import Events
import ArgumentParser
import Client

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Why a region is inside or outside, and when that will change.",
        discussion: """
            Asks the daemon how it judges the region's beacons: the exit time in force and what it rests on, how often \
            the beacon advertises and how much of that is lost, its signal and its silence. Exit status 3 if there is \
            no daemon.
            """)

    @OptionGroup var socket: SocketOptions

    @Flag(help: "As JSON.")
    var json = false

    @Argument(help: "The region's identifier.")
    var region: String

    func run() async throws {
        let status: StatusReport
        do throws(APIClient.Failure) {
            status = try await socket.client.get(Route.status)
        } catch {
            Terminal.complain(error.description)
            throw ExitCode(StatusSummary.noAnswer)
        }
        guard let explanation = RegionExplanation(status, region: region) else {
            Terminal.complain(status.unknownRegion(region))
            throw Exit.usage
        }
        print(json ? explanation.json : explanation.text)
    }
}
