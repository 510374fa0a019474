import OkaeriTestSupport

@testable import OkaeriEvents
@testable import OkaeriHistory

/// 2026-11-20 00:00:00 UTC, in nanoseconds since the Unix epoch.
let midnight: Int64 = 1_795_132_800_000_000_000

/// So many hours after ``midnight``.
func hour(_ hours: Double) -> Int64 { midnight + Int64(hours * 3600) * 1_000_000_000 }

/// The folder as a state directory.
extension TemporaryFolder {
    var history: String { "\(path)/\(HistoryStore.fileName)" }

    func store(_ durability: HistoryStore.Durability = .process) throws -> HistoryStore {
        try HistoryStore(directory: path, durability: durability)
    }

    func reader() throws -> HistoryReader { try HistoryReader(directory: path) }

    func events(region: String? = nil, since: Int64? = nil) throws -> [HistoryEvent] {
        var events: [HistoryEvent] = []
        try reader().forEachEvent(region: region, since: since) { event in
            events.append(event)
            return true
        }
        return events
    }

    /// A history of an event and a minute every minute, closed.
    func fill(_ count: Int = 200) throws {
        let store = try store()
        for index in 0..<count {
            let time = hour(Double(index) / 60)
            try store.record([exit("home", at: time)], [minute("home", at: time, rssi: -60)])
        }
        try store.runEnded(at: hour(Double(count) / 60))
    }
}

func exit(_ region: String, at time: Int64) -> HistoryEvent {
    HistoryEvent(
        time: time, name: "didExitRegion", region: region,
        json: #"{"time":"\#(time)","event":"didExitRegion","region":"\#(region)","state":"outside"}"#)
}

func determined(_ region: String, _ state: String, at time: Int64) -> HistoryEvent {
    HistoryEvent(
        time: time, name: "didDetermineState", region: region,
        json: #"{"event":"didDetermineState","region":"\#(region)","state":"\#(state)"}"#)
}

func bluetooth(_ state: String, at time: Int64) -> HistoryEvent {
    HistoryEvent(
        time: time, name: "bluetoothStateDidUpdate", region: nil,
        json: #"{"event":"bluetoothStateDidUpdate","state":"\#(state)","adapter":"hci0","reason":"it is \#(state)"}"#)
}

func wifi(_ name: String, _ members: String, at time: Int64) -> HistoryEvent {
    HistoryEvent(
        time: time, name: name, region: "home",
        json: #"{"event":"\#(name)","id":"1","ssid":"HomeNet","region":"home"\#(members)}"#)
}

/// The signal of a column.
func signal(_ column: Int, _ rssi: Int, beginsStretch: Bool = true) -> DayRecord.Signal {
    DayRecord.Signal(
        column: UInt16(column), beginsStretch: beginsStretch, lowest: Int8(clamping: rssi - 3),
        highest: Int8(clamping: rssi + 3), mean: Float(rssi))
}

func minute(_ region: String, at time: Int64, rssi: Int) -> SignalMinute {
    SignalMinute(
        time: time, region: region, heard: 10,
        signal: .init(count: 10, mean: Double(rssi), lowest: rssi - 3, highest: rssi + 3, accuracy: 2))
}
