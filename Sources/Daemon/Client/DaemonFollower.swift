package import OkaeriEvents
import OkaeriPlumbing

/// Follows a daemon's events over its restarts.
package struct DaemonFollower: Sendable {
    /// A change of the connection, or an event.
    package enum Change: Sendable {
        /// The daemon answers, and from now on nothing is missed: time to ask it how things stand. Comes again after each
        /// restart, and when events were lost.
        case followed
        case event(Event)
        /// The daemon has gone, or does not answer; it is looked for again. Nil: it ended as it should.
        case lost(APIClient.Failure?)
    }

    private let client: @Sendable () -> APIClient
    private let backOff: BackOff

    /// - Parameters:
    ///   - client: looks for the daemon; asked anew each time, for its socket may come later.
    ///   - first: The delay before the daemon is looked for again, doubled each time up to `longest`.
    package init(
        first: Duration = .seconds(1), longest: Duration = .seconds(30), client: @escaping @Sendable () -> APIClient
    ) {
        self.client = client
        backOff = BackOff(first, limit: longest)
    }

    /// Follows until the task is cancelled, or `changed` returns false.
    ///
    /// - Parameter changed: returns whether to go on.
    package func run(_ changed: @Sendable (Change) async -> Bool) async {
        var backOff = backOff
        while !Task.isCancelled {
            var failure: APIClient.Failure?
            var isDone = false
            do throws(APIClient.Failure) {
                try await client().events { feed throws(APIClient.Failure) in
                    switch feed {
                    case .opened:
                        backOff.reset()
                        isDone = await !changed(.followed)
                    case .lost: isDone = await !changed(.followed)
                    case .event(let event): isDone = await !changed(.event(event))
                    }
                    return !isDone
                }
            } catch {
                failure = error
            }
            if isDone || Task.isCancelled { return }
            guard await changed(.lost(failure)) else { return }
            await backOff.next().elapsed()
        }
    }
}
