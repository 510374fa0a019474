import Client
import OkaeriConfiguration
import FoundationEssentials
import Glibc
import Events
import Setup

extension NextSteps {
    private static let unitFolders = [
        "/etc/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system",
    ]
    private static let group = "okaeri"

    /// Creates the steps that are left on this machine.
    init(writing file: ConfigurationFile, client: APIClient, unsavedNetwork: String?) async {
        var daemon = Daemon.runs
        do throws(APIClient.Failure) {
            let _: StatusReport = try await client.get(Route.briefStatus)
        } catch {
            if case .noDaemon = error { daemon = .absent }
        }
        let isService = Self.unitFolders.contains {
            FileManager.default.fileExists(atPath: "\($0)/okaeri.service")
        }
        self.init(
            file: file.path, daemon: daemon, isService: isService, outsider: Self.outsider,
            unsavedNetwork: unsavedNetwork)
    }

    /// The user outside the daemon's group; `nil` if the user is in the group, or there is no such group.
    private static var outsider: String? {
        let user =
            ProcessInfo.processInfo.environment["SUDO_USER"]
            ?? getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
        guard let user, user != "root", let account = getpwnam(user) else { return nil }
        let primary = account.pointee.pw_gid
        guard let group = getgrnam(group)?.pointee, group.gr_gid != primary, var member = group.gr_mem else {
            return nil
        }
        while let name = member.pointee {
            if String(cString: name) == user { return nil }
            member += 1
        }
        return user
    }
}
