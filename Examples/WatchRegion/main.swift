import BeaconLocation

let constraint = CommandLine.arguments.dropFirst().first.flatMap { BeaconConstraint($0) }
guard let constraint else { fatalError("usage: WatchRegion UUID[/MAJOR[/MINOR]]") }
let manager = LocationManager()
manager.startMonitoring(for: BeaconRegion(identifier: "home", constraint: constraint))

for await event in manager.events {
    switch event.kind {
    case .didEnterRegion(let region, let beacon): print("entered \(region.identifier), \(beacon.accuracy) m away")
    case .didExitRegion(let region): print("left \(region.identifier)")
    case .bluetoothStateDidUpdate(let bluetooth): print(bluetooth.reason)
    default: break
    }
}
