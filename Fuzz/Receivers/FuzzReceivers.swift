import OkaeriFuzzSupport
import IBeacon
import OkaeriMQTT
import OkaeriPlumbing
import OkaeriPresence
import OkaeriReceivers
import RegionMonitoring

@testable import OkaeriHouse

/// The input is messages of receivers, each a topic, 0xFF, a payload and 0xFF. The first byte of a topic is `!` for a retained message.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReceivers(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = [UInt8](input(start, count)).split(separator: 0xFF, omittingEmptySubsequences: false).map(Array.init)
    let all = ReceiverMake.allCases.compactMap { ReceiverTopics($0) }
    var receivers = ForeignReceivers(all.map { ReceiverSettings($0) })
    let region = MonitoredRegion(BeaconRegion(uuid: BeaconUUID(high: 1, low: 2), identifier: "keys"))
    receivers.wanted(WantedBeacons([region]))
    var now = 1000 * Nanoseconds.second
    for index in stride(from: 0, to: parts.count - 1, by: 2) {
        let isRetained = parts[index].first == UInt8(ascii: "!")
        let topic = String(decoding: isRetained ? parts[index].dropFirst() : parts[index][...], as: UTF8.self)
        for topics in all { check(topics, topic, parts[index + 1]) }
        let before = receivers.all.mapValues(\.lastSign)
        let message = MQTTMessage(topic: topic, payload: parts[index + 1], isRetained: isRetained)
        _ = receivers.received(message, at: now) { $0 == "shelly-taken" }
        if isRetained {
            let isQuiet = receivers.all.allSatisfy { $0.value.lastSign == before[$0.key] ?? nil }
            require(isQuiet, "a retained message is a sign of life")
        }
        require(receivers.all.count <= ForeignReceivers.limit, "receivers without a bound")
        now += Nanoseconds.second / 3
        let (reports, _) = receivers.advance(to: now)
        for (name, report) in reports {
            require(TopicName.isLevel(name), "a name that cannot be a level of a topic")
            require(report.from <= report.until && report.until.nanoseconds <= now, "a report of the future")
            require(report.receptions.count <= 256 && report.others <= 64, "a report without a bound")
        }
    }
    return 0
}

private func check(_ topics: ReceiverTopics, _ topic: String, _ payload: [UInt8]) {
    guard let subject = topics.subject(of: topic) else { return }
    switch subject {
    case .report(let name, let device):
        require(ReceiverName.isShown(name), "a name that cannot be shown")
        do throws(ReceiverRejection) {
            let reports = try ReceiverPayload.reports(topics.make, device: device, payload)
            require(reports.count <= 64 * 62, "receptions without a bound")
            for report in reports {
                require(report.rssi.map { -127...20 ~= $0 && $0 != 0 } ?? true, "a signal that no radio measures")
                require(0...60 ~= report.age, "an age of \(report.age) s")
                require(report.battery.map { $0 <= 100 } ?? true, "a battery of more than 100 %")
            }
        } catch {}
    case .status(let name), .version(let name), .telemetry(let name):
        require(ReceiverName.isShown(name), "a name that cannot be shown")
        _ = ReceiverPayload.telemetry(payload)
    case .settings:
        _ = ReceiverPayload.alias(payload)
    }
}
