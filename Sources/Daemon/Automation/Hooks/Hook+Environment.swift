import Events
import IBeacon
import OkaeriConfiguration
import RegionMonitoring

extension Hook {
    /// The variables whose names differ from the field's name.
    private static let names = ["event": "EVENT", "id": "PROMPT"]

    /// The event's fields as environment variables: `OKAERI_REGION`, `OKAERI_STATE` … A shell script needs no more;
    /// what has no value is not set.
    ///
    /// - Parameter socket: The daemon's socket, so that the command can use it.
    package func environment(socket: String) -> [String: String] {
        var variables = ["OKAERI_SOCKET": socket]
        if case .region(let region) = subject, let constraint = region.monitored.constraint {
            variables["OKAERI_UUID"] = constraint.uuid.description
            variables["OKAERI_MAJOR"] = constraint.major.map { "\($0)" }
            variables["OKAERI_MINOR"] = constraint.minor.map { "\($0)" }
        }
        for field in event.fields.flat {
            variables["OKAERI_" + (Self.names[field.name] ?? field.name.uppercased())] = field.plain
        }
        // The command is this region's, though it may be another that was entered where they share a network.
        if case .region(let region) = subject { variables["OKAERI_REGION"] = region.identifier }
        // An environment cannot hold a NUL, which an SSID may; the object on standard input has it.
        return variables.filter { !$0.value.utf8.contains(0) }
    }
}
