import BeaconLocation
import Dispatch
import Glibc

// Prints when the beacons of a region come and go.

/// Prints a line on standard error.
func printError(_ text: String) {
    let line = "\(text)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

guard let constraint = CommandLine.arguments.dropFirst().first.flatMap(BeaconConstraint.init) else {
    printError("usage: WatchRegion UUID[/MAJOR[/MINOR]]")
    exit(EX_USAGE)
}

let manager = LocationManager()
let bluetooth = await manager.authorize()
guard bluetooth.authorization != .denied else {
    printError("cannot scan: \(bluetooth.reason)")
    exit(EX_NOPERM)
}

let home = BeaconRegion(identifier: "home", constraint: constraint)
manager.startMonitoring(for: MonitoredRegion(home, ranging: .whileInside))

// Without stop() the adapter would go on scanning after the end.
signal(SIGINT, SIG_IGN)
let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
interrupt.setEventHandler { Task { await manager.stop() } }
interrupt.resume()

for await event in manager.events {
    switch event.kind {
    case .didEnterRegion(let region, let beacon): print("entered \(region.identifier), \(beacon.accuracy) m away")
    case .didExitRegion(let region): print("left \(region.identifier)")
    case .didRangeBeacons(let beacons, _):
        for beacon in beacons { print("\(beacon.identity) is \(beacon.proximity), \(beacon.rssi) dBm") }
    case .bluetoothStateDidUpdate(let bluetooth): printError(bluetooth.reason)
    default: break
    }
}
