import FoundationEssentials
import OkaeriBluetooth
import OkaeriClient
import OkaeriConfiguration
package import OkaeriEvents
import OkaeriNetworkManager
import OkaeriPlumbing
import OkaeriWiFi

extension Doctor {
    /// Returns the steps of a new installation: adapter, service and group, configuration, broker and page, beacon, Wi-Fi.
    package func firstSteps() async -> [Finding] {
        let adapters = Self.adapterFindings(AdapterDiagnosis().adapters, named: configured?.adapter)
        let answer = await answer
        let daemon: [Finding]
        switch answer {
        case .success(let status): daemon = Self.findings(status, besides: adapters)
        case .failure(let failure): daemon = [Self.access(failure)]
        }
        return adapters + daemon + setUp + [Self.beacon(try? answer.get())]
            + (await networkFindings(NetworkManagerService()))
    }

    /// Returns the finding of a daemon that does not answer.
    static func access(_ failure: APIClient.Failure) -> Finding {
        switch failure {
        case .notPermitted:
            .wrong(
                "group", "the service runs, and you are not in its group",
                remedy: ServiceAccount.admission)
        case .noDaemon:
            .wrong(
                "service", "it does not run",
                remedy:
                    "run `sudo systemctl enable --now okaeri`, or `okaeri monitor` if it is not installed as a service")
        case .noAnswer, .refused:
            .wrong("service", failure.description, remedy: "run `sudo systemctl restart okaeri`")
        }
    }

    /// The configuration; an unchanged example watches a beacon that no user has.
    var setUp: [Finding] {
        guard case .success(let (_, file)) = configuration,
            (try? Configuration.contents(of: file)).map({ $0.elementsEqual(Configuration.example.utf8) }) == true
        else { return configurationFindings }
        return [
            .wrong(
                "configuration", "\(file) is still the example, whose beacon does not exist",
                remedy: "hold your beacon near, and `sudo okaeri setup` asks for the rest")
        ]
    }

    /// - Parameter status: `nil` if the daemon does not answer.
    static func beacon(_ status: StatusReport?) -> Finding {
        guard let status, !status.regions.isEmpty else {
            return .note("beacon", "the service shows whether it is received")
        }
        let heard = status.regions.filter { $0.beacon != nil || !$0.beacons.isEmpty }.map { "\"\($0.identifier)\"" }
        guard heard.isEmpty else { return .ok("beacon", "that of \(heard.joined(separator: ", ")) is received") }
        return .note(
            "beacon", "none that is configured is received",
            remedy: "hold yours near, and compare what `sudo okaeri scan` shows with the configuration; "
                + "`sudo okaeri setup` changes it")
    }
}
