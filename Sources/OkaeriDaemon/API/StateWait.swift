/// Waits for somebody to come or go.
public struct StateWait: Sendable {
    /// What is waited for.
    public enum State: String, Sendable, CaseIterable {
        case inside, outside

        fileprivate var exitStatus: Int32 {
            switch self {
            case .inside: 0
            case .outside: 1
            }
        }
    }

    /// Why waiting makes no sense.
    public enum Failure: Error, Sendable, CustomStringConvertible {
        /// The daemon does not watch that region.
        case noSuchRegion(sentence: String)
        /// The daemon does not answer us, and will not later.
        case barred(APIClient.Failure)

        public var description: String {
            switch self {
            case .noSuchRegion(let sentence): sentence
            case .barred(let failure): failure.description
            }
        }
    }

    private let client: APIClient
    private let region: String?
    private let state: State

    /// How long a daemon that is gone may take to come back before it is looked for again.
    private static let pause = Duration.milliseconds(500)

    /// - Parameter region: nil: any that is inside, or all that are outside.
    public init(for state: State, region: String?, client: APIClient) {
        self.state = state
        self.region = region
        self.client = client
    }

    /// Waits by the event stream. A daemon that is not there yet, or restarts, is waited for as well.
    ///
    /// - Parameter timeout: nil: as long as it takes.
    /// - Returns: the state that was waited for; nil when the time was up.
    public func run(timeout: Duration?) async throws(Failure) -> StatusSummary? {
        do {
            return try await withThrowingTaskGroup { group in
                group.addTask { try await reached() as StatusSummary? }
                if let timeout {
                    group.addTask {
                        try await Task.sleep(for: timeout)
                        return nil
                    }
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            return nil
        }
    }

    private func reached() async throws -> StatusSummary {
        while true {
            if let summary = try await followed() { return summary }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// Follows the events of one daemon. Returns nil when it is gone.
    private func followed() async throws(Failure) -> StatusSummary? {
        var answer: Result<StatusSummary, Failure>?
        do throws(APIClient.Failure) {
            try await client.follow { name throws(APIClient.Failure) in
                guard name == nil || name == "didDetermineState" else { return true }
                let report: StatusReport = try await client.get("/v1/status")
                answer = judge(report)
                return answer == nil
            }
        } catch {
            switch error {
            case .noDaemon, .noAnswer: return nil
            case .notPermitted, .refused: throw .barred(error)
            }
        }
        return try answer?.get()
    }

    private func judge(_ report: StatusReport) -> Result<StatusSummary, Failure>? {
        guard let summary = StatusSummary(report, region: region) else {
            return .failure(.noSuchRegion(sentence: report.unknownRegion(region ?? "")))
        }
        return summary.exitStatus == state.exitStatus ? .success(summary) : nil
    }
}
