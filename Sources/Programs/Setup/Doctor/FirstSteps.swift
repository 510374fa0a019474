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
        case .notPermitted: .wrong("group", DoctorPhrase.notInGroup)
        case .noDaemon: .wrong("service", DoctorPhrase.serviceDown)
        case .noAnswer, .refused:
            .wrong("service", DoctorPhrase.serviceSilent, failure.description, failure.sentence(in: .japanese))
        }
    }

    /// The configuration; an unchanged example watches a beacon that no user has.
    var setUp: [Finding] {
        guard case .success(let (_, file)) = configuration,
            (try? Configuration.contents(of: file)).map({ $0.elementsEqual(Configuration.example.utf8) }) == true
        else { return configurationFindings }
        return [.wrong("configuration", DoctorPhrase.example, file)]
    }

    /// - Parameter status: `nil` if the daemon does not answer.
    static func beacon(_ status: StatusReport?) -> Finding {
        guard let status, !status.regions.isEmpty else {
            return .note("beacon", DoctorPhrase.beaconUnknown)
        }
        let heard = status.regions.filter { $0.beacon != nil || !$0.beacons.isEmpty }.map { "\"\($0.identifier)\"" }
        guard heard.isEmpty else { return .ok("beacon", DoctorPhrase.beaconReceived, heard.joined(separator: ", ")) }
        return .note("beacon", DoctorPhrase.beaconMissing)
    }
}
