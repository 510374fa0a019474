import BeaconLocation
import Glibc

// Determines once whether a beacon is in range. Exit status: 0 inside, 1 outside, 2 unknown.

/// Prints a line on standard error.
func printError(_ text: String) {
    let line = "\(text)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

guard let constraint = CommandLine.arguments.dropFirst().first.flatMap(BeaconConstraint.init) else {
    printError("usage: LocateBeacon UUID[/MAJOR[/MINOR]]")
    exit(EX_USAGE)
}

let manager = LocationManager()
let answer = await manager.locate(constraint)
// Without stop() the adapter would go on scanning after the end.
await manager.stop()

switch answer.result {
case .inside(let beacon):
    print(
        "\(beacon.identity) is in range: \(beacon.proximity), \(beacon.rssi) dBm, at \(answer.secondsSince1970) s since 1970"
    )
case .outside:
    print("no such beacon is in range: the adapter scanned for \(answer.listened)")
    exit(1)
case .unknown(let obstacle):
    printError("unknown: \(obstacle)")
    exit(answer.bluetooth.authorization == .denied ? EX_NOPERM : 2)
}
