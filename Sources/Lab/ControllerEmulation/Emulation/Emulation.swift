public import HCI

/// A controller, the advertisers around it, and the scripts that direct both.
///
/// It does no I/O: what happens comes in with its time, in nanoseconds of a clock that does not go back, and what is to
/// be done comes out. `started(at:)` is the first call; `advanced(to:)` is due at `nextDeadline`.
public struct Emulation: Sendable {
    public enum Action: Hashable, Sendable {
        /// Create the adapter.
        case open

        /// Remove it.
        case close

        case send([UInt8])

        case log(String)

        /// End the program.
        case quit(status: Int32)
    }

    var controller: EmulatedController
    let isVerbose: Bool

    /// Whether the adapter is there: between `vanish` and `return` it is not.
    var isPlugged = false
    var advertisers: [Advertiser] = []
    var flood: Flood?
    var batch = ReportBatch()
    var misbehaviour = Misbehaviour()

    /// One for each source of lines.
    private var players: [(source: String, player: ScriptPlayer)] = []

    /// The number of lines that each live source has sent.
    private var lineCounts: [String: Int] = [:]

    /// The actions to take, until the call returns.
    var actions: [Action] = []

    public init(kind: ControllerKind, address: BluetoothAddress, isVerbose: Bool = false) {
        controller = EmulatedController(kind: kind, address: address)
        self.isVerbose = isVerbose
    }

    /// The time at which `advanced(to:)` is due; in the past: at once. Nil: when something happens.
    public var nextDeadline: Int64? {
        let deadlines =
            players.map(\.player.nextDeadline) + advertisers.map(\.next)
            + [controller.nextDeadline, flood?.nextDeadline, batch.deadline]
        return deadlines.compactMap(\.self).min()
    }

    public mutating func started(at now: Int64) -> [Action] {
        plugIn()
        return takeActions()
    }

    public mutating func add(_ script: Script, at now: Int64) -> [Action] {
        append(script.lines, from: script.source, at: now)
        return advanced(to: now)
    }

    /// A line from a source that goes on. One that cannot be read is logged.
    public mutating func add(line: String, from source: String, at now: Int64) -> [Action] {
        let number = lineCounts[source, default: 0] + 1
        lineCounts[source] = number
        do throws(ScriptError) {
            if let line = try ScriptLine(line, source: source, number: number) {
                append([line], from: source, at: now)
            }
        } catch {
            log("error \(error)")
        }
        return advanced(to: now)
    }

    /// Time goes by.
    public mutating func advanced(to now: Int64) -> [Action] {
        playScripts(at: now)
        let outputs = controller.advanced(to: now)
        // What was heard before the scan ended comes before the event that ends it.
        if !outputs.isEmpty { flushBatch() }
        react(to: outputs)
        advertise(at: now)
        if let deadline = batch.deadline, deadline <= now { flushBatch() }
        return takeActions()
    }

    private mutating func append(_ lines: [ScriptLine], from source: String, at now: Int64) {
        if let index = players.firstIndex(where: { $0.source == source }) {
            players[index].player.append(lines, at: now)
        } else {
            var player = ScriptPlayer()
            player.append(lines, at: now)
            players.append((source, player))
        }
    }

    /// The instructions of all sources that are due, until none is: one may let another go on.
    private mutating func playScripts(at now: Int64) {
        var wasBusy = true
        while wasBusy {
            wasBusy = false
            for index in players.indices {
                let isScanning = isPlugged && controller.isScanning
                guard let line = players[index].player.next(at: now, isScanning: isScanning) else { continue }
                wasBusy = true
                carryOut(line, at: now)
            }
        }
    }

    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    mutating func log(_ line: String) {
        actions.append(.log(line))
    }

    /// Sends a packet, as long as the adapter is there.
    mutating func send(_ packet: [UInt8]) {
        if isPlugged { actions.append(.send(packet)) }
    }
}
