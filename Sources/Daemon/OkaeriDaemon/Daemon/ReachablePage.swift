import OkaeriAutomation
import OkaeriConfiguration
import OkaeriEvents
import OkaeriPlumbing
import OkaeriServer
import Synchronization

/// The address of the page for other devices, in the configuration that is in force.
final class ReachablePage: Configured {
    private struct Guarded {
        var web: Configuration.Web?
        /// The last report of the page's listener; `nil` before the first one, and without a page.
        var listener: ListenerReport?
    }

    private let guarded: Mutex<Guarded>

    init(_ configuration: Configuration) {
        guarded = Mutex(Guarded(web: configuration.web))
    }

    func configured(_ configuration: Configuration) { guarded.withLock { $0.web = configuration.web } }

    /// Handles the state of the page's listener; `nil`: there is none.
    func listened(_ listener: ListenerReport?) { guarded.withLock { $0.listener = listener } }

    /// The address of the page for a browser, the likeliest of several; `nil` if the page is not served.
    var url: String? {
        let (web, listener) = guarded.withLock { ($0.web, $0.listener) }
        guard let web, web.isDirect, let listener, let listen = Self.address(of: listener, web) else { return nil }
        return PageAddresses.list(listen, hosts: web.hosts).first
    }

    /// Makes the links that answer a prompt; `nil` if other devices do not reach the page.
    func addresses(answering prompt: String, _ links: AnswerLinks) -> AnswerAddresses? {
        let (web, listener) = guarded.withLock { ($0.web, $0.listener) }
        guard let web, web.isDirect, let listen = Self.address(of: listener, web),
            let page = PageAddresses.reachable(listen, hosts: web.hosts)
        else { return nil }
        let paths = links.paths(answering: prompt)
        return AnswerAddresses(join: page + paths.join, notNow: page + paths.later)
    }

    /// Returns the address at which the page is served, or will be when the daemon has started; `nil` if it is not served.
    private static func address(of listener: ListenerReport?, _ web: Configuration.Web) -> ListenAddress? {
        guard let listener else { return web.listen }
        return listener.problem == nil ? ListenAddress(listener.address) : nil
    }
}
