import ArgumentParser
import OkaeriDaemon

extension EnrollmentProfile: ExpressibleByArgument {
    /// The steps on the phone, a line each.
    func instructions(name: String) -> [String] {
        let android = "Android  Settings > Connected devices > Pair new device, then choose \"\(name)\""
        switch self {
        case .heartRate:
            return [
                "iPhone   Settings > Bluetooth, keep this screen open, then choose \"\(name)\"",
                "Watch    Settings > Bluetooth, under Health Devices choose \"\(name)\"", android,
            ]
        case .keyboard:
            return [
                "iPhone   Settings > Bluetooth, then choose \"\(name)\"",
                "Watch    Settings > Accessibility or Bluetooth, then choose \"\(name)\"", android,
            ]
        }
    }
}
