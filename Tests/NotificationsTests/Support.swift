import OkaeriDaemonTestSupport
import OkaeriTestSupport
import RegionMonitoring

@testable import OkaeriAutomation
@testable import OkaeriConfiguration
@testable import OkaeriEvents

let enter = Event.Kind.didEnterRegion(region: "home", RangedBeacon(identity: home, rssi: -78, accuracy: 2.104))

func region(_ identifier: String = "home", scope: Configuration.Scope = .node) -> Configuration.Region {
    Configuration.Region(monitored: monitored(identifier: identifier), scope: scope)
}

func target(
    _ kind: Configuration.NotificationTarget.Kind, _ url: String, regions: Set<String>? = nil
) throws -> Configuration.NotificationTarget {
    guard let url = WebURL(url) else { throw CancellationError() }
    var target = Configuration.NotificationTarget(kind: kind, url: url)
    target.regions = regions
    return target
}
