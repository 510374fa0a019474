import FoundationEssentials
import Glibc
import OkaeriClient
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriSetup

extension NextSteps {
    static let group = ServiceAccount.name

    /// Creates the steps that are left on this machine.
    init(writing file: ConfigurationFile, client: APIClient, unsavedNetwork: String?) async {
        var daemon = Daemon.runs
        do throws(APIClient.Failure) {
            let _: StatusReport = try await client.get(Route.briefStatus)
        } catch {
            if case .noDaemon = error { daemon = .absent }
        }
        self.init(
            file: file.path, daemon: daemon, isService: ServiceControl.isInstalled, outsider: Self.outsider,
            unsavedNetwork: unsavedNetwork)
    }

    /// The name of the user of this terminal: the one of `sudo`, or that of the process.
    private static var user: String? {
        ProcessInfo.processInfo.environment["SUDO_USER"]
            ?? getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) }
    }

    /// The first name of the user, or else the login; `nil` for root and for the login of an image, which is not a person's.
    static var owner: String? {
        guard let user, let account = getpwnam(user), account.pointee.pw_uid != 0, user != "pi" else { return nil }
        let comment = account.pointee.pw_gecos.map { String(cString: $0) } ?? ""
        let name = comment.prefix { $0 != "," }.split(separator: " ").first.map(String.init)
        return name ?? user
    }

    /// The user outside the daemon's group; `nil` if the user is in the group, or there is no such group.
    private static var outsider: String? {
        guard let user, let account = getpwnam(user), account.pointee.pw_uid != 0, !user.hasPrefix("-") else {
            return nil
        }
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
