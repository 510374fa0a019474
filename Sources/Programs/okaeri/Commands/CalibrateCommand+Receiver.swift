import ArgumentParser
import OkaeriClient
import OkaeriEvents

/// The measurement of a receiver of another make, by the daemon that receives its reports.
extension CalibrateCommand {
    /// The time for several reports of a receiver that sends one every five seconds, in seconds.
    private static let duration = 30.0

    func measure(_ receiver: String) async throws {
        let status: StatusReport = try await answer(Route.status)
        // `--node NAME REGION` reads as well as `REGION --node NAME`.
        let isRegion = status.regions.contains { $0.identifier == self.region }
        let (region, name) = isRegion ? (self.region, receiver) : (receiver, self.region)
        guard status.regions.contains(where: { $0.identifier == region }) else { throw status.unknownRegion(region) }
        let nodes: NodesReport = try await answer(Route.nodes)
        guard
            var calibration = ReceiverCalibration(name, in: nodes, region: region, measuredPower: measuredPower)
        else {
            throw CommandFailure(LocalizedText(CalibrationPhrase.unknownReceiver, name), status: .failure)
        }
        Terminal.printNotice(Terminal.language(CalibrationPhrase.leaveAtReceiver, calibration.receiver.name))
        let seconds = Int(min(max(listening.duration ?? Self.duration, 1), 3600))
        for left in (0..<seconds).reversed() {
            try await Task.sleep(for: .seconds(1))
            let next: StatusReport = try await answer(Route.status)
            calibration.received(next)
            if Terminal.showsProgress { Self.show(left: .seconds(left), readings: calibration.count) }
        }
        switch calibration.result {
        case .success(let summary): print(json ? summary.json : summary.text(in: Terminal.language))
        case .failure(let failure): throw CommandFailure(failure, status: .failure)
        }
    }

    private func answer<Report: Decodable>(_ route: String) async throws -> Report {
        do throws(APIClient.Failure) {
            return try await socket.client.get(route, as: Report.self)
        } catch {
            throw CommandFailure(error)
        }
    }
}
