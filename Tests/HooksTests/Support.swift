import OkaeriDaemonTestSupport
import OkaeriTestSupport
import OkaeriWiFi
import RegionMonitoring

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents

let enter = Event.Kind.didEnterRegion(region: "home", RangedBeacon(identity: home, rssi: -78, accuracy: 2.104))

func hook(
    _ command: [String], _ kind: Event.Kind = enter, identifier: String = "home", at time: Int64 = evening
) throws -> Hook {
    var region = Configuration.Region(
        monitored: monitored(identifier: identifier), network: try HomeNetwork(ssid: "HomeNet"), onEnter: command,
        onExit: command,
        onPrompt: command)
    if case .house = kind { region.scope = .house }
    guard let hook = Hook(for: Event(time: time, kind: kind), regions: [region]) else { throw CancellationError() }
    return hook
}
