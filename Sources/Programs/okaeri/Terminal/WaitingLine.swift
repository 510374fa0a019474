/// The step that the program waits for, with its duration, on one line of standard error. A step of less than a second is not
/// shown.
actor WaitingLine {
    private let interval: Duration
    private let write: @Sendable (String) -> Void
    private let isEnabled: Bool
    /// Draws the line until the step ends; `nil` without a step.
    private var clock: Task<Void, Never>?
    private var isShown = false

    /// - Parameters:
    ///   - interval: The time between two drawings, and before the first.
    ///   - isEnabled: Whether standard error is a terminal.
    ///   - write: Writes the line.
    init(
        interval: Duration = .seconds(1), isEnabled: Bool = Terminal.showsProgress,
        write: @escaping @Sendable (String) -> Void = { try? Terminal.write($0, to: .errors) }
    ) {
        self.interval = interval
        self.isEnabled = isEnabled
        self.write = write
    }

    /// Begins a step, and ends the one before.
    func begin(_ step: String) {
        end()
        guard isEnabled else { return }
        clock = Task {
            let began = ContinuousClock.now
            while (try? await Task.sleep(for: interval)) != nil { draw(step, after: .now - began) }
        }
    }

    /// Ends the step, and clears its line.
    func end() {
        clock?.cancel()
        clock = nil
        if isShown { write("\r\u{1B}[K") }
        isShown = false
    }

    /// A drawing that waited for the actor while the step ended is left out.
    private func draw(_ step: String, after time: Duration) {
        guard !Task.isCancelled else { return }
        isShown = true
        write("\r\u{1B}[K\(step) … \(time.components.seconds) s")
    }
}

extension WaitingLine {
    /// Shows a step while an operation runs.
    static func during<Value, Failure: Error>(
        _ step: String, isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let line = WaitingLine()
        await line.begin(step)
        do throws(Failure) {
            let value = try await operation()
            await line.end()
            return value
        } catch {
            await line.end()
            throw error
        }
    }
}
