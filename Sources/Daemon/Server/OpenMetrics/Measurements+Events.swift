import OkaeriEvents
import OkaeriWiFi

/// The numbers of events and of their results.
extension Measurements {
    /// The agreements of a house's nodes: the events of ``Events/Event/House``.
    private static let ofHouse: [Event.Kind.Name] = [
        .didDetermineState, .didEnterRegion, .didExitRegion, .didDetermineRoom,
    ]

    var arrivalJoin: [MetricFamily] { [events] + prompts + hooks }

    private var events: MetricFamily {
        var events = MetricFamily(
            "okaeri_events", .counter, "Events that were published, by name and by whose word they are.")
        for name in Event.Kind.Name.allCases where name != .didDetermineRoom {
            events.add(counts.events.events(name), ("event", name.rawValue), ("scope", "node"))
        }
        guard status.mqtt != nil else { return events }
        for name in Self.ofHouse {
            events.add(counts.events.events(name, isOfHouse: true), ("event", name.rawValue), ("scope", "house"))
        }
        return events
    }

    var notifications: [MetricFamily] {
        var results = MetricFamily("okaeri_notifications", .counter, "Notifications, by server and by the result.")
        var waiting = MetricFamily("okaeri_notifications_waiting", .gauge, "Notifications that wait for the server.")
        for report in status.notifications ?? [] {
            for (result, count) in [("sent", report.sent), ("failed", report.failed), ("dropped", report.dropped)] {
                results.add(count, ("target", report.target), ("result", result))
            }
            waiting.add(report.waiting, ("target", report.target))
        }
        return [results, waiting]
    }

    private var prompts: [MetricFamily] {
        var asked = MetricFamily("okaeri_prompts", .counter, "Questions whether to join a network.")
        asked.add(counts.events.events(.wifiPrompt))
        var waiting = MetricFamily("okaeri_prompts_waiting", .gauge, "Those that wait for an answer.")
        waiting.add(status.prompts.count)
        var answers = MetricFamily("okaeri_prompt_answers", .counter, "Those that were answered, by the answer.")
        for answer in PromptAnswer.allCases {
            answers.add(counts.events.answers(answer), ("answer", answer.rawValue))
        }
        var joins = MetricFamily("okaeri_wifi_joins", .counter, "Networks that were joined.")
        joins.add(counts.events.events(.wifiJoined))
        var failures = MetricFamily(
            "okaeri_wifi_join_failures", .counter, "Joins that failed, by the code of wifiJoinFailed.")
        for code in JoinFailure.Code.allCases {
            failures.add(counts.events.joinFailures(code.rawValue), ("code", code.rawValue))
        }
        var connected = MetricFamily("okaeri_wifi_connected", .gauge, "Whether a network is joined.")
        connected.add(status.wifi.connectedSSID != nil)
        return [asked, waiting, answers, joins, failures, connected]
    }

    private var hooks: [MetricFamily] {
        var runs = MetricFamily("okaeri_hook_runs", .counter, "Commands that were run, by the key that names them.")
        for (key, count) in counts.hooks.runs.sorted(by: { $0.key < $1.key }) { runs.add(count, ("hook", key)) }
        var failures = MetricFamily("okaeri_hook_failures", .counter, "Those that did not do their work, by the cause.")
        for (cause, count) in counts.hooks.failures.sorted(by: { $0.key < $1.key }) {
            failures.add(count, ("cause", cause))
        }
        var dropped = MetricFamily("okaeri_hook_drops", .counter, "Commands that were never run: others took too long.")
        dropped.add(counts.hooks.dropped)
        var queue = MetricFamily("okaeri_hook_queue_length", .gauge, "Commands that wait until another has ended.")
        queue.add(counts.hooks.waiting)
        var running = MetricFamily("okaeri_hooks_running", .gauge, "Commands that run.")
        running.add(counts.hooks.running)
        return [runs, failures, dropped, queue, running]
    }
}
