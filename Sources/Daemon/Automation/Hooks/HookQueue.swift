/// The order of hooks: one at a time for each region or service, and a bounded number that wait.
///
/// A value without a clock or a process: what happens goes in, what is to be done comes out.
struct HookQueue: Sendable {
    /// The maximum number of waiting hooks of an owner. Ten seconds each, that is almost three minutes of coming and
    /// going; what is older than that is not news.
    static let bound = 16

    /// The actions to take.
    enum Action: Sendable, Equatable {
        /// Run it, and call ``HookQueue/finished(_:)`` when it is done.
        case run(Hook)
        /// The oldest that waited made room. `total` counts those of its owner since the start.
        case dropped(Hook, total: Int)
    }

    private struct Line: Sendable {
        /// A line is there while a hook runs, or when hooks were dropped.
        var isRunning = false
        var waiting: [Hook] = []
        var dropped = 0
    }

    private var lines: [Hook.Owner: Line] = [:]

    /// A hook is due.
    mutating func arrived(_ hook: Hook) -> [Action] {
        var line = lines[hook.owner] ?? Line()
        defer { lines[hook.owner] = line }
        guard line.isRunning else {
            line.isRunning = true
            return [.run(hook)]
        }
        line.waiting.append(hook)
        guard line.waiting.count > Self.bound else { return [] }
        line.dropped += 1
        return [.dropped(line.waiting.removeFirst(), total: line.dropped)]
    }

    /// The owner's running hook is done.
    mutating func finished(_ owner: Hook.Owner) -> [Action] {
        guard var line = lines[owner] else { return [] }
        defer { lines[owner] = line }
        guard !line.waiting.isEmpty else {
            line.isRunning = false
            return []
        }
        return [.run(line.waiting.removeFirst())]
    }

    /// The numbers of hooks that run, wait, and were dropped since the start.
    var counts: (running: Int, waiting: Int, dropped: Int) {
        lines.values.reduce(into: (0, 0, 0)) { counts, line in
            counts.0 += line.isRunning ? 1 : 0
            counts.1 += line.waiting.count
            counts.2 += line.dropped
        }
    }

    /// Nothing is run any more. Returns what waited.
    mutating func stopped() -> [Hook] {
        defer { lines = [:] }
        return lines.values.flatMap(\.waiting)
    }
}
