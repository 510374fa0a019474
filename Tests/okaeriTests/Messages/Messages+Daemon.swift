import Glibc
import OkaeriDaemonTestSupport
import OkaeriEvents
import OkaeriPlumbing
import RegionMonitoring
import SystemPackage

@testable import OkaeriAutomation
@testable import OkaeriClient
@testable import OkaeriDaemon
@testable import OkaeriHistory
@testable import OkaeriServer

extension Messages {
    static var history: [Section] {
        [
            Section("HistoryError", historyErrors),
            Section("Restoration", restorations.map { "the persisted state /var/lib/okaeri/state.json \($0)" }),
            Section("StateFileError", stateFileErrors),
        ]
    }

    static var hooks: [Section] {
        [
            Section("HookFailure", hookFailures),
            Section("DeliveryProblem", deliveryProblems),
            Section("NotificationTestFailure", [NotificationTestFailure.noTarget, .running]),
            Section("BlockingThread.StartError", [BlockingThread.StartError(code: EAGAIN)]),
        ]
    }

    static var client: [Section] {
        [
            Section("APIClient.Failure", clientFailures),
            Section("StateWait.Failure", waitFailures),
            Section("WebRefusal", refusals.map(\.text.english)),
            Section("RefusalPhrase", RefusalPhrase.allCases.map(\.texts.english)),
            Section("RequestPhrase", RequestPhrase.allCases.map(\.texts.english)),
            Section("HealthReport", health),
        ]
    }

    private static let deliveryProblems = samples(DeliveryProblem.noLibrary) { problem in
        switch problem {
        case .noLibrary: .token("the token file contains spaces or control characters; write only the token into it")
        case .token: .unresolved
        case .unresolved: .unreachable
        case .unreachable: .timedOut
        case .timedOut: .untrusted
        case .untrusted: .failed(code: 56)
        case .failed: .noThread(code: EAGAIN)
        case .noThread: .status(302)
        case .status(302): .status(401)
        case .status(401): .status(404)
        case .status(404): .status(503)
        case .status: nil
        }
    }

    private static let database = "/var/lib/okaeri/history.sqlite"

    private static let historyErrors = samples(HistoryError.damaged(file: database, reason: "file is not a database")) {
        error in
        switch error {
        case .damaged: .foreign(file: database)
        case .foreign: .newer(file: database, migration: "v9")
        case .newer: .missing(file: database)
        case .missing: .full(file: database)
        case .full: .denied(file: database, reason: "unable to open database file")
        case .denied: .notPermitted(file: database)
        case .notPermitted: .notAFile(file: database)
        case .notAFile: .locked(file: database)
        case .locked: .failed(file: database, reason: "disk I/O error (SQLite result 10)")
        case .failed: nil
        }
    }

    private static let stateFileErrors = samples(StateFileError.unreadable(.ioError)) { error in
        switch error {
        case .unreadable: .noFile
        case .noFile: .foreign
        case .foreign: .damaged("no valid JSON")
        case .damaged: .newer(layout: 9)
        case .newer: nil
        }
    }

    private static let moved = "/var/lib/okaeri/state.json.layout-9"

    private static let restorations = samples(Restoration.nothing) { restoration in
        switch restoration {
        case .nothing: .restored(age: .seconds(30))
        case .restored(_?): .restored(age: nil)
        case .restored(nil): .stale(age: .seconds(7200))
        case .stale: .refused(.newer(layout: 9), setAside: moved)
        case .refused(.newer, setAside: _?): .refused(.newer(layout: 9), setAside: nil)
        case .refused(.newer, setAside: nil): .refused(.damaged("no valid JSON"), setAside: moved)
        case .refused(_, setAside: _?): .refused(.noFile, setAside: nil)
        case .refused: nil
        }
    }

    private static var hookFailures: [HookFailure] {
        HookFailure.Cause.allCases.flatMap { cause in
            let program = "/usr/local/bin/welcome"
            let failures: [HookFailure] =
                switch cause {
                case .notFound: [.notFound(program: program), .notFound(program: "welcome")]
                case .noPermission: [.noPermission(program: program)]
                case .directory: [.directory(program: program)]
                case .noInterpreter: [.noInterpreter(program: program)]
                case .noProgram: [.noProgram(program: program)]
                case .notStarted: [.notStarted(reason: "cannot allocate memory")]
                case .exited: [.exited(status: 1)]
                case .killed: [.killed(signal: SIGKILL), .killed(signal: SIGSEGV)]
                case .timedOut: [.timedOut(after: .seconds(10))]
                case .stopped: [.stopped]
                }
            return failures
        }
    }

    private static let socket = "/run/okaeri/okaeri.sock"

    private static let clientFailures = samples(APIClient.Failure.noDaemon(socket: socket)) { failure in
        switch failure {
        case .noDaemon: .notPermitted(socket: socket)
        case .notPermitted:
            .noAnswer(socket: socket, reason: "it closed the connection, or sent nothing for 10 seconds")
        case .noAnswer: .refused(status: 404, sentence: statusReport().unknownRegion("garage", in: .english))
        case .refused: nil
        }
    }

    private static let waitFailures = samples(
        StateWait.Failure.noSuchRegion(
            sentence: statusReport(regionReport("home", .inside)).unknownRegion("garage", in: .english))
    ) { failure in
        switch failure {
        case .noSuchRegion: .noHouse
        case .noHouse: .barred(clientFailures[1])
        case .barred: nil
        }
    }

    private static let refusals = samples(WebRefusal.foreignHost) { refusal in
        switch refusal {
        case .foreignHost: .foreignOrigin
        case .foreignOrigin: .noLogin
        case .noLogin: .noToken
        case .noToken: .notListed("anna")
        case .notListed: nil
        }
    }

    private static var health: [String] {
        var status = statusReport(stale: true)
        status.bluetooth.listening = false
        status.bluetooth.pausedFor = 90
        status.kept = .init(
            file: "/var/lib/okaeri/state.json", start: "nothing", reason: "", problem: "\(Errno.ioError)")
        status.listeners = [.init(name: "metrics", address: "127.0.0.1:9464", problem: "no such address")]
        status.simulated = ["capture"]
        let report = HealthReport(status)
        return (report.problems + report.warnings).map { "\($0.part): \($0.reason)" }
    }
}
