import Glibc
import Logging
import NIOCore
import OkaeriEvents
import OkaeriPlumbing
import ServiceLifecycle

/// A port of the configuration: served as long as the daemon runs, and tried again where that fails. An address may be there
/// later: the network comes up after the daemon, and another program may end.
struct TCPAddress: Sendable {
    /// The key of the configuration, and what is served, for messages.
    let name: String
    let what: String
    let address: ListenAddress
    /// The access that other machines' users have there: logged once if it is more than loopback; `nil`: they have none.
    let warning: String?
    /// Receives the state of the listener.
    let listeners: Listeners
    let retry: BackOff
    let listener: HTTPListener
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var retry = retry
            var problem: String?
            while !Task.isCancelled {
                do {
                    try await listen(wasAway: problem != nil)
                } catch {
                    let news = Self.sentence(error)
                    if news != problem { logger.error("\(what) not served on \(address): \(news)") }
                    problem = news
                    listeners.report(.init(name: name, address: "\(address)", problem: news))
                }
                await retry.next().elapsed()
            }
        }
        try await gracefulShutdown()
    }

    private func listen(wasAway: Bool) async throws {
        let place = try SocketAddress(ipAddress: "\(address.address)", port: Int(address.port))
        try await listener.run(at: place) { [self] in
            listeners.report(.init(name: name, address: "\(address)"))
            logger.log(level: wasAway ? .notice : .info, "\(what) served on \(address)")
            guard let warning, !address.address.isLoopback else { return }
            logger.warning("\(warning)")
        } closing: {
        }
    }

    private static func sentence(_ error: any Error) -> String {
        guard let error = error as? IOError else { return "\(error)" }
        return switch error.errnoCode {
        case EADDRINUSE:
            "another program has that port; name another one in beacons.json, or stop that program (`ss -ltnp`)"
        case EADDRNOTAVAIL: "this machine does not have that address now; name one that `ip address` shows"
        case EACCES: "the daemon may not use that port; name one from 1024 on"
        default: "\(error)"
        }
    }
}
