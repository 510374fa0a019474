import ArgumentParser
import OkaeriClient
import OkaeriEvents

struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain a region's state, and when it will change.",
        discussion: """
            Prints for each beacon of the region: the exit time and its basis, the advertising interval and the share \
            that is lost, the signal, and the current silence.
            """)

    @OptionGroup var socket: SocketOptions

    @Flag(help: "Print JSON.")
    var json = false

    @Argument(help: "The region's identifier.", completion: .regions)
    var region: String

    func run() async throws {
        let status: StatusReport
        do throws(APIClient.Failure) {
            status = try await socket.client.get(Route.status)
        } catch {
            throw CommandFailure(error)
        }
        guard let explanation = RegionExplanation(status, region: region, language: Terminal.language) else {
            throw status.unknownRegion(region)
        }
        print(json ? explanation.json : explanation.text)
    }
}
