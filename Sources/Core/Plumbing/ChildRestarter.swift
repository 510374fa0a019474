/// Runs one child at a time, and replaces it when its settings change.
///
///     no child → running    there are settings
///     running → running     the settings are other ones; the former child has ended
///     running → no child    there are no settings any more; the former child has ended
package struct ChildRestarter<Settings: Equatable & Sendable>: Sendable {
    /// Coalesces pending changes.
    private let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    package init() {}

    /// Handles that the settings may have changed.
    package func settingsDidChange() { changes.continuation.yield() }

    /// Ends ``run(wanted:replacing:child:)``.
    package func finish() { changes.continuation.finish() }

    /// Runs the child of the wanted settings, until the task is cancelled. Once.
    ///
    /// - Parameters:
    ///   - wanted: Returns the present settings; `nil` for no child.
    ///   - replacing: Is called before a child is cancelled because of other settings.
    ///   - child: Runs until its task is cancelled. A child that ends before is not started again with the same settings.
    package func run(
        wanted: () async -> Settings?, replacing: (_ new: Settings?) async -> Void = { _ in },
        child: @escaping @Sendable (Settings) async -> Void
    ) async {
        var present: (settings: Settings, task: Task<Void, Never>)?
        func end() async {
            present?.task.cancel()
            await present?.task.value
        }
        settingsDidChange()
        for await _ in changes.stream {
            let wanted = await wanted()
            guard wanted != present?.settings else { continue }
            if present != nil { await replacing(wanted) }
            await end()
            guard !Task.isCancelled else { return }
            present = wanted.map { settings in (settings, Task { await child(settings) }) }
        }
        await end()
    }
}
