import API
import Events
import FoundationEssentials
import FuzzSupport
import Glibc
import History
import Logging
import NIOCore
import NIOPosix
import OpenMetrics
import PageData
import Server
import WiFi

/// The server, as the daemon runs it, on a socket of this process's own.
final class RunningServer: Sendable {
    static let shared = RunningServer()

    private let socket: String

    /// How long an answer may take, in milliseconds: far longer than any does, and far less than nobody would notice.
    private static let limit: CInt = 5_000

    private init() {
        let folder = "/tmp/okaeri-fuzz-\(getpid())"
        socket = "\(folder).socket"
        let server = APIServer(
            backend: Household(), page: Self.page(folder), socket: socket,
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton,
            logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
        Task.detached { try await server.run() }
        // It listens when it can be connected to.
        while true {
            if let descriptor = connected() {
                close(descriptor)
                return
            }
            sched_yield()
        }
    }

    /// The routes of the page, with a short history.
    private static func page(_ folder: String) -> PageData {
        let noon: Int64 = 1_795_176_000_000_000_000
        mkdir(folder, 0o700)
        do {
            let store = try HistoryStore(directory: folder, durability: .process)
            let exit = Event(time: noon, node: "pi", sequence: 1, kind: .didExitRegion(region: "home"))
            let minute = SignalMinute(
                time: noon, region: "home", heard: 3,
                signal: .init(count: 3, mean: -61, lowest: -70, highest: -55, accuracy: 2))
            try store.record([HistoryEvent(exit)].compactMap(\.self), [minute])
        } catch {
            require(false, "no history can be written: \(error)")
        }
        return PageData(
            directory: folder, file: "\(folder)/beacons.json", wifi: SimulatedWiFi(inSight: ["HomeNet"]),
            now: { noon + 60_000_000_000 }, reload: {})
    }

    /// What comes back until the server closes.
    ///
    /// - Parameter hangsUp: whether the client sends no more after the request: then nobody has to answer.
    func answer(to request: [UInt8], hangsUp: Bool) -> [UInt8] {
        guard let descriptor = connected() else {
            require(false, "the server takes no connection any more")
            return []
        }
        defer { close(descriptor) }
        var rest = request[...]
        func hangUp() { if hangsUp, rest.isEmpty { shutdown(descriptor, CInt(SHUT_WR)) } }
        hangUp()
        var answer: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let wanted = CInt(POLLIN) | (rest.isEmpty ? 0 : CInt(POLLOUT))
            var poll = pollfd(fd: descriptor, events: Int16(wanted), revents: 0)
            let ready = Glibc.poll(&poll, 1, Self.limit)
            // libFuzzer looks at its clock by a signal.
            if ready < 0, errno == EINTR { continue }
            require(ready > 0, "the server neither answers nor closes")
            if CInt(poll.revents) & CInt(POLLOUT) != 0 {
                let sent = rest.withUnsafeBytes {
                    send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
                }
                guard sent > 0 else { return answer }
                rest = rest.dropFirst(sent)
                hangUp()
            } else {
                let count = recv(descriptor, &chunk, chunk.count, 0)
                guard count > 0 else { return answer }
                answer += chunk[..<count]
            }
        }
    }

    private func connected() -> CInt? {
        let descriptor = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socket.utf8) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }
}

/// A house that is always the same.
private struct Household: APIBackend {
    private static let report = """
        {"time":"2026-11-20T18:42:00Z","source":"hci0","simulated":[],"stale":false,"bluetooth":{"state":"poweredOn",
        "reason":"","listening":true},"wifi":{"managerRunning":true,"radioEnabled":true,"hardwareEnabled":true,
        "activating":false},"regions":[],"prompts":[],"counters":{"reports":1,"iBeacons":1,"malformed":0,"dropped":0}}
        """

    var status: StatusReport {
        get async {
            guard let report = try? JSONDecoder().decode(StatusReport.self, from: Data(Self.report.utf8)) else {
                fatalError("the report is none")
            }
            return report
        }
    }
    var regions: [RegionReport] { get async { [] } }
    var beacons: [BeaconReport] { get async { [] } }
    var prompts: PromptsReport { get async { PromptsReport(waiting: [], never: ["home"]) } }

    var counts: DaemonCounts { get async { DaemonCounts(started: 0, version: "1", commit: "") } }

    /// It is closed: whoever listens is told the last three events at most, and that is the end.
    let hub: EventHub = {
        let hub = EventHub(node: "pi")
        hub.resume(after: 4)
        for time: Int64 in 5...7 { hub.happened(.didExitRegion(region: "home"), at: time) }
        hub.close()
        return hub
    }()

    func answer(prompt id: String, _ answer: String) async throws(AnswerFailure) {
        guard answer == "join" else { throw .noAnswer(words: ["join"]) }
        if id == "2" { throw .closed(sentence: "it was answered before") }
        if id != "1" { throw .noSuchPrompt(sentence: "nobody asked that") }
    }

    var nodes: NodesReport? {
        get async {
            NodesReport(
                node: "pi", site: "home", connected: true, reason: "",
                nodes: [NodeReport(name: "attic", online: false)],
                regions: [])
        }
    }

    func forget(node: String) async throws(ForgetFailure) {
        if node == "pi" { throw .online(node) }
        if node != "attic" { throw .unknown(node) }
    }

    func clearNever(ssid: String) async -> Bool { ssid == "home" }
}
