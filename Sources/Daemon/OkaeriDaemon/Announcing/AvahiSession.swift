import OkaeriDBus
import OkaeriPlumbing

/// One announcement at Avahi over one connection to the bus. Avahi withdraws it when the connection closes.
struct AvahiSession {
    private static let name = "org.freedesktop.Avahi"
    private static let server = "org.freedesktop.Avahi.Server"
    private static let group = "org.freedesktop.Avahi.EntryGroup"
    private static let busName = "org.freedesktop.DBus"
    /// The limit of a call.
    private static let limit = Duration.seconds(5)
    /// The longest reason that is shown, in characters.
    private static let longestReason = 200

    private let bus: Bus
    private let announcement: Announcement
    private let report: @Sendable (AnnouncerState) -> Void
    private var state = AnnouncerState.waiting
    /// The path of the entry group with the services.
    private var entries: String?
    /// Whether other machines have found the service since the session began.
    private(set) var hasPublished = false

    /// - Parameter report: Receives each state.
    init(_ bus: Bus, _ announcement: Announcement, report: @escaping @Sendable (AnnouncerState) -> Void) {
        (self.bus, self.announcement, self.report) = (bus, announcement, report)
    }

    /// Publishes, and follows Avahi, until the bus closes.
    ///
    /// - Throws: An error of a call that may succeed over another connection.
    mutating func run() async throws(BusError) {
        let signals = try await bus.signals([
            SignalMatch(
                sender: Self.busName, interface: Self.busName, member: "NameOwnerChanged", argument0: Self.name),
            SignalMatch(sender: Self.name, interface: Self.server, member: "StateChanged"),
            SignalMatch(sender: Self.name, interface: Self.group, member: "StateChanged"),
        ])
        if try await isAvahiPresent() { try await lookAtServer() } else { report(state) }
        for await signal in signals { try await received(signal) }
    }

    /// Not by a call of Avahi, by which the bus would start an Avahi that the user has stopped.
    private func isAvahiPresent() async throws(BusError) -> Bool {
        do throws(BusError) {
            _ = try await bus.call(
                Self.busName, "/org/freedesktop/DBus", Self.busName, "GetNameOwner", [.string(Self.name)],
                within: Self.limit)
            return true
        } catch {
            switch error {
            case .refused, .noOwner: return false
            case .timedOut, .disconnected, .cancelled, .unreadable: throw error
            }
        }
    }

    private mutating func received(_ signal: BusSignal) async throws(BusError) {
        switch (signal.interface, signal.arguments.first, signal.arguments.last) {
        case (Self.busName, _, .string(let owner)?):
            entries = nil
            if owner.isEmpty { try await handle(.gone) } else { try await lookAtServer() }
        case (Self.server, .int32(let number)?, _): try await serverChanged(to: number)
        case (Self.group, .int32(let number)?, let reason) where signal.path == entries:
            try await entriesChanged(to: number, reason?.string ?? "")
        default: break
        }
    }

    private mutating func lookAtServer() async throws(BusError) {
        do throws(BusError) {
            guard case .int32(let number)? = try await call("/", Self.server, "GetState").first else {
                throw .unreadable
            }
            try await serverChanged(to: number)
        } catch .noOwner {
            try await handle(.gone)
        }
    }

    /// AVAHI_SERVER_RUNNING of avahi-common/defs.h. In the other states Avahi looks for a host name, and withdraws services.
    private mutating func serverChanged(to number: Int32) async throws(BusError) {
        try await handle(number == 2 ? .ready : .gone)
    }

    /// AvahiEntryGroupState of avahi-common/defs.h.
    private mutating func entriesChanged(to number: Int32, _ reason: String) async throws(BusError) {
        switch number {
        case 2: try await handle(.established)
        case 3: try await handle(.collided)
        case 4: try await handle(.failed(Self.shown(reason)))
        default: break
        }
    }

    private mutating func handle(_ event: AnnouncerState.Event) async throws(BusError) {
        var next: AnnouncerState.Event? = event
        while let event = next {
            let action = state.handle(event, wanted: announcement.name)
            report(state)
            if case .published = state { hasPublished = true }
            switch action {
            case .publish(let name): next = try await publish(name)
            case .proposeName(let name): next = try await proposedName(instead: name)
            case nil: next = nil
            }
        }
    }

    /// Returns the result, unless a signal will bring it.
    private mutating func publish(_ name: String) async throws(BusError) -> AnnouncerState.Event? {
        do throws(BusError) {
            if let entries { _ = try? await call(entries, Self.group, "Free") }
            entries = nil
            guard let path = try await call("/", Self.server, "EntryGroupNew").first?.string else { throw .unreadable }
            entries = path
            for type in Announcement.types {
                // All interfaces and protocols, no flags, Avahi's own domain and host.
                _ = try await call(
                    path, Self.group, "AddService",
                    [
                        .int32(-1), .int32(-1), .uint32(0), .string(name), .string(type), .string(""), .string(""),
                        .uint16(announcement.port),
                        .array(element: "ay", announcement.texts.map { .bytes(Array($0.utf8)) }),
                    ])
            }
            _ = try await call(path, Self.group, "Commit")
            return nil
        } catch {
            return try Self.event(error)
        }
    }

    private func proposedName(instead name: String) async throws(BusError) -> AnnouncerState.Event {
        do throws(BusError) {
            let answer = try await call("/", Self.server, "GetAlternativeServiceName", [.string(name)])
            guard let new = answer.first?.string else { throw .unreadable }
            return .proposed(new)
        } catch {
            return try Self.event(error)
        }
    }

    /// Returns the event of a failed call.
    ///
    /// - Throws: The error if it is not an answer of Avahi.
    private static func event(_ error: BusError) throws(BusError) -> AnnouncerState.Event {
        switch error {
        case .refused("org.freedesktop.Avahi.CollisionError", _): return .collided
        case .noOwner: return .gone
        case .refused: return .failed(shown(error.description))
        case .timedOut, .disconnected, .cancelled, .unreadable: throw error
        }
    }

    static func shown(_ reason: String) -> String {
        String(reason.prefix(longestReason)).plain(replacesFormat: true)
    }

    private func call(
        _ path: String, _ interface: String, _ method: String, _ arguments: [DBusValue] = []
    ) async throws(BusError) -> [DBusValue] {
        try await bus.call(Self.name, path, interface, method, arguments, within: Self.limit)
    }
}
