import Glibc
package import OkaeriPlumbing

extension ServiceAccount {
    /// Returns the account of the daemon that reads a file: that of the service for the service's file, otherwise that of this
    /// process.
    package static func ofDaemon(reading file: String) -> ServiceAccount {
        guard file == Configuration.serviceFile, let service, service.user != geteuid() else { return own }
        return service
    }

    /// Returns the account of the daemon for which this process writes a secret: for root in the folder of the service, that of
    /// the service; otherwise that of this process.
    static func ofDaemon(forSecret path: String) -> ServiceAccount {
        guard geteuid() == 0, path.hasPrefix("/etc/okaeri/"), let service else { return own }
        return service
    }
}
