import BeaconLocation
import Glibc

// Requests Bluetooth when the user presses Enter, as a graphical program does on a click, and prints the remedy.

/// Prints a line on standard error.
func printError(_ text: String) {
    let line = "\(text)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}

let manager = LocationManager()
print("Bluetooth is \(manager.authorizationStatus.rawValue). Press Enter to request it.")
guard readLine() != nil else {
    printError("the input ended before a line")
    exit(EX_NOINPUT)
}

let bluetooth = await manager.authorize(within: .seconds(5))
await manager.stop()
switch bluetooth.authorization {
case .authorized:
    print("authorized: \(bluetooth.reason)")
case .denied:
    printError("denied: \(bluetooth.reason)")
    exit(EX_NOPERM)
case .restricted:
    printError("restricted: \(bluetooth.reason)")
    exit(EX_UNAVAILABLE)
case .notDetermined:
    printError("not determined: \(bluetooth.reason)")
    exit(EX_TEMPFAIL)
}
