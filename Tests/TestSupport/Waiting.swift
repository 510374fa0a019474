import Synchronization

/// A condition that did not come true in time.
package struct ConditionTimeout: Error, CustomStringConvertible {
    package let description: String

    fileprivate init(_ condition: String, _ file: String, _ line: Int) {
        description = "waited in vain until \(condition), at \(file):\(line)"
    }
}

/// The limit of a wait. It is counted in pauses, which grow on a machine that is slow or stops for a while.
private enum Patience {
    static let pauses = 50
    static let pause = Duration.seconds(1)
    static let looksAPause = 100

    static func wait(_ duration: Duration) async throws { try await ContinuousClock().sleep(for: duration) }
}

/// Waits until a condition holds that can only be asked for: of another process, over a socket, on the disk. What the test's
/// own process changes is a ``Watched`` value.
///
/// - Parameter condition: the end of the sentence "waited in vain until …".
package func eventually(
    _ condition: String, isolation: isolated (any Actor)? = #isolation, file: String = #fileID, line: Int = #line,
    _ isSo: () async throws -> Bool
) async throws {
    for _ in 0..<Patience.pauses * Patience.looksAPause {
        if try await isSo() { return }
        try await Patience.wait(Patience.pause / Patience.looksAPause)
    }
    throw ConditionTimeout(condition, file, line)
}

/// A value that tests wait for: each change wakes those whose condition may hold now.
package final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters: [Int: AsyncStream<Void>.Continuation] = [:]
        var count = 0
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value { state.withLock(\.value) }

    /// Changes the value, and returns the result of the change.
    @discardableResult
    package func change<Result: Sendable>(_ change: (inout Value) -> Result) -> Result {
        let (result, waiters) = state.withLock { (change(&$0.value), Array($0.waiters.values)) }
        for waiter in waiters { waiter.yield() }
        return result
    }

    /// Waits until the value fulfils a condition.
    ///
    /// - Parameter condition: the end of the sentence "waited in vain until …".
    package func wait(
        until condition: String, file: String = #fileID, line: Int = #line, _ isSo: (Value) -> Bool
    ) async throws {
        let (changes, waiter) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.count += 1
            state.waiters[state.count] = waiter
            return state.count
        }
        defer { state.withLock { _ = $0.waiters.removeValue(forKey: number) } }
        if isSo(value) { return }
        let limit = Task {
            for _ in 0..<Patience.pauses { try await Patience.wait(Patience.pause) }
            waiter.finish()
        }
        defer { limit.cancel() }
        for await _ in changes where isSo(value) { return }
        try Task.checkCancellation()
        throw ConditionTimeout(condition, file, line)
    }
}
