import Automation
import OkaeriConfiguration
import Server
import Synchronization

/// The address of the page for other devices, in the configuration that is in force.
final class ReachablePage: Configured {
    private let web: Mutex<Configuration.Web?>

    init(_ configuration: Configuration) {
        web = Mutex(configuration.web)
    }

    func configured(_ configuration: Configuration) { web.withLock { $0 = configuration.web } }

    /// Makes the links that answer a prompt; `nil` if other devices do not reach the page.
    func addresses(answering prompt: String, _ links: AnswerLinks) -> AnswerAddresses? {
        guard let web = web.withLock(\.self), let page = PageAddresses.reachable(web.listen, hosts: web.hosts) else {
            return nil
        }
        let paths = links.paths(answering: prompt)
        return AnswerAddresses(join: page + paths.join, notNow: page + paths.later)
    }
}
