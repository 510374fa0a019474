package import OkaeriEvents
import Synchronization

/// Waits for an arrival or a departure.
package struct StateWait: Sendable {
    /// The state to wait for.
    package enum State: String, Sendable, CaseIterable {
        case inside, outside

        fileprivate var exitStatus: Int32 {
            switch self {
            case .inside: 0
            case .outside: 1
            }
        }
    }

    /// The reason why waiting is useless.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        /// The daemon does not watch that region.
        case noSuchRegion(sentence: String)
        /// The daemon knows of no house.
        case noHouse
        /// The daemon does not answer us, and will not later.
        case barred(APIClient.Failure)

        package var description: String {
            switch self {
            case .noSuchRegion(let sentence): sentence
            case .noHouse: StatusReport.noHouse
            case .barred(let failure): failure.description
            }
        }
    }

    private let client: APIClient
    private let region: String?
    private let state: State
    private let isHouse: Bool

    /// The delay before a daemon that is gone is looked for again.
    private static let pause = Duration.milliseconds(500)

    /// - Parameters:
    ///   - region: nil: any that is inside, or all that are outside.
    ///   - isHouse: whether by the agreement of the house, and not by what the daemon's own machine receives.
    package init(for state: State, region: String?, isHouse: Bool = false, client: APIClient) {
        self.state = state
        self.isHouse = isHouse
        self.region = region
        self.client = client
    }

    /// Waits by the event stream. A daemon that is not there yet, or restarts, is waited for as well.
    ///
    /// - Parameter timeout: nil: as long as it takes.
    /// - Returns: the state that was waited for; nil when the time was up.
    package func run(timeout: Duration?) async throws(Failure) -> StatusSummary? {
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
        let answer = Mutex<Result<StatusSummary, Failure>?>(nil)
        await DaemonFollower(first: Self.pause, longest: Self.pause, client: { [client] in client }).run { change in
            let found: Result<StatusSummary, Failure>?
            switch change {
            case .event(let event) where event.kind.name != .didDetermineState: return true
            case .event, .followed:
                do throws(APIClient.Failure) {
                    found = judge(try await client.get(Route.status))
                } catch {
                    found = Self.barred(error)
                }
            case .lost(let failure): found = failure.flatMap(Self.barred)
            }
            answer.withLock { $0 = found }
            return found == nil
        }
        guard let answer = answer.withLock(\.self) else { throw CancellationError() }
        return try answer.get()
    }

    /// Returns the failure if it is permanent; `nil` if it may pass.
    private static func barred(_ failure: APIClient.Failure) -> Result<StatusSummary, Failure>? {
        failure.isTemporary ? nil : .failure(.barred(failure))
    }

    private func judge(_ answer: StatusReport) -> Result<StatusSummary, Failure>? {
        guard let report = isHouse ? answer.ofHouse : answer else { return .failure(.noHouse) }
        guard let summary = StatusSummary(report, region: region, isHouse: isHouse) else {
            return .failure(.noSuchRegion(sentence: report.unknownRegion(region ?? "", in: .english)))
        }
        return summary.exitStatus == state.exitStatus ? .success(summary) : nil
    }
}
