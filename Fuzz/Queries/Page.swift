import OkaeriFuzzSupport
import Glibc
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import OkaeriEvents
import OkaeriHistory
@testable import OkaeriDaemon
import OkaeriPlumbing
import OkaeriWiFi
import RegionMonitoring
import Synchronization

@testable import OkaeriServer

/// The page's routes, on a short history.
final class Page: Sendable {
    static let shared = Page()

    /// The answer.
    struct Answer: Sendable {
        var request: Request
        var status = 0
        var content: [UInt8] = []
    }

    /// The present: noon of 20 November 2026.
    static let now: Int64 = 1_795_176_000_000_000_000

    private let router: EndpointRouter
    private let connections = Connections()
    private let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    /// No route of the page uses it.
    private let channel: any Channel = EmbeddedChannel()

    private init() {
        let folder = "/tmp/okaeri-fuzz-\(getpid())"
        mkdir(folder, 0o700)
        Self.write(to: folder)
        let data = PageData(
            directory: folder, file: "\(folder)/beacons.json", wifi: SimulatedWiFi(inSight: ["HomeNet"]),
            now: { Self.now }, reload: {})
        router = EndpointRouter(data.endpoints, of: .socket)
    }

    /// Exits and signals of two days.
    private static func write(to folder: String) {
        let hour: Int64 = 3_600_000_000_000
        let events = (1...48).map { index -> Event in
            let region = index % 3 == 0 ? "お帰り" : "home"
            return Event(
                time: now - Int64(index) * hour, node: "pi", sequence: UInt64(100 - index),
                kind: index % 2 == 0
                    ? .didExitRegion(region: region) : .didDetermineState(region: region, .inside))
        }
        let minutes = (1...5).map { index in
            SignalMinute(
                time: now - Int64(index) * 60_000_000_000, region: "home", heard: 3,
                signal: .init(count: 3, mean: -61, lowest: -70, highest: -55, accuracy: 2))
        }
        do {
            let store = try HistoryStore(directory: folder, durability: .process)
            try store.record(events.reversed().compactMap { HistoryEvent($0) }, minutes)
        } catch {
            require(false, "no history can be written: \(error)")
        }
    }

    func answer(to target: String) -> Answer {
        let head = HTTPRequest(method: .get, scheme: nil, authority: "x", path: target)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let collected = Collected(Answer(request: request))
        let isDone = BinarySemaphore()
        Task.detached { [router, channel, connections, logger] in
            let response = await router.response(to: request, on: channel, of: connections, logger: logger)
            collected.answer.withLock { $0.status = response.status.code }
            try? await response.body.write(Collector(collected: collected))
            isDone.signal()
        }
        _ = isDone.wait(until: nil)
        return collected.answer.withLock(\.self)
    }
}

private final class Collected: Sendable {
    let answer: Mutex<Page.Answer>

    init(_ answer: Page.Answer) { self.answer = Mutex(answer) }
}

private struct Collector: ResponseBodyWriter {
    let collected: Collected

    mutating func write(_ buffer: ByteBuffer) async throws {
        collected.answer.withLock { $0.content += buffer.readableBytesView }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
