import Events
import HCI
import Listening
import Logging
import Presence
import RegionMonitoring
import ServiceLifecycle

/// Waits until an enrolled phone is received, and counts how often it is.
struct ReceptionWait {
    /// The time of counting.
    static let limit = Duration.seconds(600)

    let path: String
    let identity: DeviceIdentity
    let adapter: String?
    let logger: Logger

    /// Counts until the time is up or the user ends it, and prints the result.
    func run() async throws {
        try? Terminal.print(
            "Waiting for ten minutes for the advertisements of the phone. Ctrl-C ends the wait; the phone stays enrolled."
        )
        let session = try ListeningSession(regions: [], adapter: adapter, logger: logger)
        let count = ReceptionCount(survey: session.phoneSurvey([path: identity]), path: path, began: session.instant)
        do {
            try await session.survey(count.survey, with: [count, Verdict(events: session.events())])
        } catch let error as NoBluetooth {
            try? Terminal.print("It could not be waited for: \(error.reason)")
            return
        }
        try? Terminal.print(Reception(count.survey, path: path, from: count.began, to: session.instant).sentence)
    }
}

private struct ReceptionCount: Service {
    let survey: PhoneSurvey
    let path: String
    let began: Instant
    private let line = WaitingLine()

    init(survey: PhoneSurvey, path: String, began: Instant) {
        (self.survey, self.path, self.began) = (survey, path, began)
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            await line.begin("waiting for the phone")
            let end = ContinuousClock.now + ReceptionWait.limit
            var isReceived = false
            while ContinuousClock.now < end, (try? await Task.sleep(for: .seconds(1))) != nil {
                let first = survey.devices(since: began).first { $0.file == path }
                guard !isReceived, let first else { continue }
                isReceived = true
                await line.end()
                try? Terminal.print("The phone was received for the first time, \(Reception.strength(first.rssi)).")
                await line.begin("counting")
            }
        }
        await line.end()
    }
}

/// The receptions of a phone in some time.
struct Reception: Equatable {
    var count: Int
    var seconds: Int64

    init(count: Int, seconds: Int64) { (self.count, self.seconds) = (count, seconds) }

    fileprivate init(_ survey: PhoneSurvey, path: String, from began: Instant, to now: Instant) {
        count = survey.devices(since: began).reduce(0) { $0 + ($1.file == path ? $1.count : 0) }
        seconds = began.duration(to: now).components.seconds
    }

    /// The result, and what it means.
    var sentence: String {
        let time = seconds >= 120 ? "\(seconds / 60) minutes" : "\(seconds) s"
        guard count > 0 else {
            return
                "The phone was not received in \(time). A captured key is no proof that the phone advertises: docs/phones.md "
                + "explains when phones are silent, and `okaeri scan --phones` shows what is in range."
        }
        return "The phone was received \(count) \(count == 1 ? "time" : "times") in \(time)."
    }

    static func strength(_ rssi: Int8?) -> String { rssi.map { "with \($0) dBm" } ?? "with an unknown signal" }
}
