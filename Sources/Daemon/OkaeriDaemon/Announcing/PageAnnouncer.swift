import OkaeriConfiguration
import OkaeriDBus
import OkaeriEvents
import OkaeriPlumbing
import ServiceLifecycle
import Synchronization

/// Announces the page to the network while it listens at an address that other machines reach.
///
/// It has a connection to the bus only then. Without Avahi the page is served all the same.
final class PageAnnouncer: Service, Configured {
    private struct Guarded {
        var isEnabled: Bool
        var node: String
        var listener: ListenerReport?
        var report: ListenerReport.Discovery?
    }

    private let guarded: Mutex<Guarded>
    private let name: @Sendable (Configuration) -> String
    private let version: String
    private let address: String?
    private let restarter = ChildRestarter<Announcement>()

    /// - Parameters:
    ///   - name: Returns the name of this node.
    ///   - address: The bus, as in `unix:path=/run/dbus/system_bus_socket`; `nil`: the system's.
    init(
        _ configuration: Configuration, version: String, address: String? = nil,
        name: @escaping @Sendable (Configuration) -> String
    ) {
        guarded = Mutex(Guarded(isEnabled: Self.isEnabled(configuration), node: name(configuration)))
        (self.name, self.version, self.address) = (name, version, address)
    }

    func configured(_ configuration: Configuration) {
        change {
            $0.isEnabled = Self.isEnabled(configuration)
            $0.node = name(configuration)
        }
    }

    private static func isEnabled(_ configuration: Configuration) -> Bool {
        configuration.web.map { $0.mdns && $0.isDirect } ?? false
    }

    /// Handles the state of the page's listener; `nil`: there is none.
    func listened(_ listener: ListenerReport?) { change { $0.listener = listener } }

    /// Whether other machines find the page; `nil` if it is not to be found.
    var report: ListenerReport.Discovery? { wanted == nil ? nil : guarded.withLock(\.report) }

    private func change(_ body: (inout Guarded) -> Void) {
        guarded.withLock { body(&$0) }
        restarter.settingsDidChange()
    }

    private var wanted: Announcement? {
        guarded.withLock { guarded in
            guard guarded.isEnabled, let listener = guarded.listener, listener.problem == nil,
                let address = ListenAddress(listener.address), !address.address.isLoopback
            else { return nil }
            return Announcement(node: guarded.node, port: address.port, version: version)
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await restarter.run(wanted: { wanted }) { [self] in await announce($0) }
        }
        try await gracefulShutdown()
    }

    /// Announces until the task is cancelled.
    private func announce(_ announcement: Announcement) async {
        var retry = BackOff(.seconds(1), limit: .seconds(60))
        report(.waiting)
        while !Task.isCancelled {
            if let bus = try? await Bus.connect(.system, address: address) {
                if await follow(bus, announcement) { retry.reset() }
            } else {
                report(.waiting)
            }
            await retry.next().elapsed()
        }
    }

    /// Announces over a connection until it is closed. Returns whether the page was published.
    private func follow(_ bus: Bus, _ announcement: Announcement) async -> Bool {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                // The stream of signals ends with the bus while a task is in it.
                group.addTask { await bus.closed() }
                var session = AvahiSession(bus, announcement) { [self] in report($0) }
                do throws(BusError) {
                    try await session.run()
                    report(.waiting)
                } catch {
                    report(.interrupted(AvahiSession.shown(error.description)))
                }
                await bus.close()
                return session.hasPublished
            }
        } onCancel: {
            Task { await bus.close() }
        }
    }

    private func report(_ state: AnnouncerState) {
        let report: ListenerReport.Discovery =
            switch state {
            case .waiting: .init(problem: "Avahi does not run; install avahi-daemon, or start it")
            case .registering(let name, _), .renaming(let name, _): .init(problem: "Avahi examines the name \(name)")
            case .published(let name): .init(name: name)
            case .refused(let reason): .init(problem: "Avahi refuses it: \(reason)")
            case .interrupted(let reason):
                .init(problem: "the connection to Avahi failed, and is made again: \(reason)")
            }
        guarded.withLock { $0.report = report }
    }
}
