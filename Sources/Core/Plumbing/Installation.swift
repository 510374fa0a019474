import Glibc

/// The way in which the program is installed: it decides the words of each ``Remedy``.
package enum Installation: Sendable, CaseIterable {
    /// The package and its service, or a build.
    case machine
    /// The container image.
    case container
    /// The app for Home Assistant OS.
    case homeAssistant

    /// The installation of this process. Tests set another for a part of their code.
    package static let local = TaskLocal(
        wrappedValue: Installation(container: unsafe getenv("container").map { unsafe String(cString: $0) } ?? ""))

    /// The installation of this process, or of this part of a test.
    package static var current: Installation { local.get() }

    /// - Parameter container: The variable `container`. The image and the app set it, as systemd's container interface has it. The containers
    ///   that are whole systems have the package.
    package init(container: String) {
        switch container {
        case "", "lxc", "lxc-libvirt", "systemd-nspawn": self = .machine
        case "homeassistant": self = .homeAssistant
        default: self = .container
        }
    }

    /// Returns the words of a machine with the package, or those of a container.
    package static func words(_ machine: @autoclosure () -> String, or other: @autoclosure () -> String) -> String {
        current == .machine ? machine() : other()
    }

    /// The beginning of a command that root runs: `sudo `, or nothing in a container.
    package static var sudo: String { words("sudo ", or: "") }

    /// The name of what runs the daemon.
    package static var name: Remedy.Texts {
        switch current {
        case .machine: ("the service", "サービス")
        case .container: ("the container", "コンテナー")
        case .homeAssistant: ("the app in Home Assistant", "Home Assistant のアプリ")
        }
    }
}
