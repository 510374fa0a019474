package import OkaeriPlumbing
import Synchronization

/// The logins of a running daemon: asked from any thread, kept over a restart.
package final class LoginStore: Persistable, Sendable {
    private let logins: Mutex<Logins>
    private let now: @Sendable () -> Moment

    /// Something is to be kept.
    package let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// A device is let in no more: what it has open is to be closed.
    package let revocations = Broadcast<Void>()

    /// - Parameters:
    ///   - digest: see ``Logins``.
    ///   - now: the time, whenever something happens.
    package init(
        digest: @escaping Logins.Digest, now: @escaping @Sendable () -> Moment = { .now }
    ) {
        logins = Mutex(Logins(digest: digest))
        self.now = now
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package var devices: [BrowserSession] { logins.withLock(\.devices) }

    package func link() -> String { logins.withLock { $0.link(at: now()) } }

    package func redeem(_ token: String, name: String) -> Logins.Session? {
        guard let pass = logins.withLock({ $0.redeem(token, name: name, at: now()) }) else { return nil }
        changed.yield()
        return pass
    }

    package func pass(for cookie: String) -> Logins.Session? {
        var isNews = false
        let pass = logins.withLock { $0.pass(for: cookie, at: now(), isNews: &isNews) }
        if isNews { changed.yield() }
        return pass
    }

    package func session(of user: ProxyUser, rights: SessionRights) -> Logins.Session {
        logins.withLock { $0.session(of: user, rights: rights) }
    }

    package func revoke(_ id: String) -> Bool {
        let isRevoked = logins.withLock { $0.revoke(id) }
        if isRevoked {
            changed.yield()
            revocations.send(())
        }
        return isRevoked
    }

    package func rename(_ id: String, to name: String) -> String? {
        let stored = logins.withLock { $0.rename(id, to: name) }
        if stored != nil { changed.yield() }
        return stored
    }

    package var memory: LoginsMemory { logins.withLock(\.memory) }

    package func restore(_ memory: LoginsMemory, from past: PersistedPast) { logins.withLock { $0.restore(memory) } }
}
