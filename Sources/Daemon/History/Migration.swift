/// A change of the tables, known by its name. What has been released is never changed; new ones are added at the end.
struct Migration {
    let name: String
    let statements: [String]

    /// All there are, in order.
    static let all = [
        Migration(
            name: "events, minutes and runs",
            statements: [
                // From a start of the daemon to its end; an end that is missing was a power cut or a kill.
                "CREATE TABLE runs (id INTEGER PRIMARY KEY, began INTEGER NOT NULL, ended INTEGER) STRICT",
                // In the order they happened; clocks may be set, so that `time` need not grow.
                """
                CREATE TABLE events (
                    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs, time INTEGER NOT NULL,
                    name TEXT NOT NULL, region TEXT, json TEXT NOT NULL) STRICT
                """,
                "CREATE INDEX events_by_time ON events (time)",
                """
                CREATE TABLE minutes (
                    time INTEGER NOT NULL, region TEXT NOT NULL, heard INTEGER NOT NULL, measured INTEGER NOT NULL,
                    mean REAL, lowest INTEGER, highest INTEGER, accuracy REAL,
                    PRIMARY KEY (time, region)) STRICT, WITHOUT ROWID
                """,
                // Views of the events: they take no space and cannot contradict the events.
                """
                CREATE VIEW presence AS
                SELECT id, run, time, region, json_extract(json, '$.state') AS state
                FROM events WHERE name = 'didDetermineState'
                """,
                """
                CREATE VIEW prompts AS
                SELECT id, run, time, region, name = 'wifiPromptAnswered' AS is_answered,
                    json_extract(json, '$.id') AS prompt, json_extract(json, '$.ssid') AS ssid,
                    json_extract(json, '$.answer') AS answer
                FROM events WHERE name IN ('wifiPrompt', 'wifiPromptAnswered')
                """,
                """
                CREATE VIEW joins AS
                SELECT id, run, time, region, name = 'wifiJoined' AS succeeded, json_extract(json, '$.ssid') AS ssid,
                    json_extract(json, '$.device') AS device, json_extract(json, '$.code') AS code,
                    json_extract(json, '$.reason') AS reason
                FROM events WHERE name IN ('wifiJoined', 'wifiJoinFailed')
                """,
                """
                CREATE VIEW outages AS
                SELECT id, run, began, ended, state, adapter, reason FROM (
                    SELECT id, run, time AS began, lead(time) OVER (PARTITION BY run ORDER BY id) AS ended,
                        json_extract(json, '$.state') AS state, json_extract(json, '$.adapter') AS adapter,
                        json_extract(json, '$.reason') AS reason
                    FROM events WHERE name = 'bluetoothStateDidUpdate')
                WHERE state <> 'poweredOn'
                """,
            ]),
        Migration(
            name: "silences",
            statements: [
                """
                CREATE TABLE silences (
                    time INTEGER NOT NULL, region TEXT NOT NULL, length REAL NOT NULL, left_for REAL,
                    quick REAL NOT NULL, balanced REAL NOT NULL, patient REAL NOT NULL,
                    signal_before REAL, signal_after INTEGER) STRICT
                """,
                "CREATE INDEX silences_by_time ON silences (time)",
                // For earlier runs it is unknown.
                "ALTER TABLE runs ADD COLUMN has_silences INTEGER NOT NULL DEFAULT 0",
            ]),
        Migration(
            name: "what is known of a run",
            statements: [
                // The last sign of life, by the run's own clock: where a run ended that has no `ended`.
                "ALTER TABLE runs ADD COLUMN seen INTEGER",
                // The limit up to which older rows were removed; NULL while the run is complete.
                "ALTER TABLE runs ADD COLUMN kept_from INTEGER",
            ]),
        Migration(
            name: "states",
            statements: [
                // A state of a region, or of the adapter, from one change to the next of its run: a day is found by its
                // times, without a look at the others. The triggers alone write it, so that it cannot contradict the events.
                """
                CREATE TABLE states (
                    event INTEGER PRIMARY KEY, run INTEGER NOT NULL, region TEXT, time INTEGER NOT NULL,
                    until INTEGER, value TEXT) STRICT
                """,
                "INSERT INTO states \(StatesOfEvents.all)",
                "CREATE INDEX states_by_time ON states (time)",
                "CREATE INDEX states_by_region ON states (region, time)",
                "CREATE INDEX states_that_last ON states (until, time) WHERE \(StatesOfEvents.lasts)",
                "CREATE INDEX states_without_end ON states (run, region, time) WHERE until IS NULL",
                """
                CREATE TRIGGER state_of_new_event AFTER INSERT ON events
                WHEN \(StatesOfEvents.isState(of: "NEW.")) BEGIN
                    UPDATE states SET until = NEW.time
                    WHERE run = NEW.run AND region IS \(StatesOfEvents.region(of: "NEW.")) AND until IS NULL;
                    INSERT INTO states VALUES (
                        NEW.id, NEW.run, \(StatesOfEvents.region(of: "NEW.")), NEW.time, NULL,
                        \(StatesOfEvents.value(of: "NEW.")));
                END
                """,
                """
                CREATE TRIGGER state_of_removed_event AFTER DELETE ON events BEGIN
                    DELETE FROM states WHERE event = OLD.id;
                END
                """,
                // Finds the last event of a run without a recorded end.
                "CREATE INDEX events_by_run ON events (run)",
            ]),
    ]
}

/// The table `states` as a query of the events.
enum StatesOfEvents {
    /// A day, in nanoseconds.
    static let day: Int64 = 86_400_000_000_000

    /// The condition for a state that lasts for a day or longer.
    static let lasts = "until - time >= \(day)"

    /// The rows that the events have.
    static let all = """
        SELECT id AS event, run, \(region(of: "")) AS region, time,
            lead(time) OVER (PARTITION BY run, \(region(of: "")) ORDER BY id) AS until, \(value(of: "")) AS value
        FROM events WHERE \(isState(of: ""))
        """

    /// - Parameter event: The prefix of the columns.
    static func isState(of event: String) -> String {
        "(\(event)name = 'didDetermineState' AND \(event)region IS NOT NULL OR \(event)name = 'bluetoothStateDidUpdate')"
    }

    /// The region; NULL for the adapter.
    static func region(of event: String) -> String {
        "iif(\(event)name = 'didDetermineState', \(event)region, NULL)"
    }

    /// The state of the region, or the reason for which the adapter cannot be used; NULL if it can. A file may be damaged.
    static func value(of event: String) -> String {
        """
        CASE WHEN NOT json_valid(\(event)json) THEN NULL
            WHEN \(event)name = 'didDetermineState' THEN json_extract(\(event)json, '$.state')
            WHEN json_extract(\(event)json, '$.state') <> 'poweredOn' THEN
                coalesce(json_extract(\(event)json, '$.reason'), '') END
        """
    }
}

/// Makes a file's tables what this version expects, or finds that it must not.
struct Schema {
    /// "Okae", big endian: marks our database (sqlite.org/pragma.html#pragma_application_id).
    static let applicationID: Int64 = 0x4F6B_6165

    let connection: SQLiteConnection

    /// Refuses another program's file, and a newer okaeri's, without changing anything.
    func refuseStrangers(_ migrations: [Migration] = Migration.all) throws(HistoryError) {
        guard try !isEmpty else { return }
        guard try number("PRAGMA application_id") == Self.applicationID else { throw .foreign(file: connection.file) }
        if let unknown = try applied.first(where: { name in !migrations.contains { $0.name == name } }) {
            throw .newer(file: connection.file, migration: unknown)
        }
    }

    /// Applies the migrations that the file has not seen: all or none.
    func migrate(_ migrations: [Migration] = Migration.all) throws(HistoryError) {
        let applied = try self.applied
        let missing = migrations.filter { !applied.contains($0.name) }
        guard !missing.isEmpty else { return }
        try connection.transaction { () throws(HistoryError) in
            try connection.execute("PRAGMA application_id = \(Self.applicationID)")
            try connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) STRICT")
            for migration in missing {
                for statement in migration.statements { try connection.execute(statement) }
                try connection.execute("INSERT INTO migrations VALUES (?1)", [.text(migration.name)])
            }
        }
    }

    /// Whether there is no table yet.
    var isEmpty: Bool {
        get throws(HistoryError) { try number("SELECT count(*) FROM sqlite_schema") == 0 }
    }

    private var applied: [String] {
        get throws(HistoryError) {
            guard try number("SELECT count(*) FROM sqlite_schema WHERE name = 'migrations'") == 1 else { return [] }
            return try connection.rows("SELECT name FROM migrations ORDER BY rowid") { $0.text(0) }
        }
    }

    private func number(_ sql: String) throws(HistoryError) -> Int64 {
        try connection.rows(sql) { $0.integer(0) }.first ?? 0
    }
}
