@testable import BeaconLocation
import Glibc
import IBeacon
import OkaeriBluetooth
import OkaeriPlumbing
import OkaeriPresence
import RegionMonitoring
import Synchronization
import Testing

/// The manager with its thread, on a kernel of socket pairs.
@Suite(.timeLimit(.minutes(5))) struct LocationManagerTests {
    private let home = BeaconRegion(identifier: "home", constraint: .uuid(BeaconUUID(high: 1, low: 2)))

    @Test func `the kernel is not used before the first request`() async {
        let kernel = PairKernel()
        let manager = LocationManager(kernel: kernel)
        _ = manager.events
        #expect(manager.monitoredRegions.isEmpty)
        #expect(kernel.opened == [])
        #expect(await manager.authorize().state == .poweredOn)
        #expect(kernel.opened == ["hot plug"], "it looks, and does not scan")
    }

    @Test func `a region that is watched begins the scan`() async {
        let kernel = PairKernel()
        let manager = LocationManager(kernel: kernel)
        manager.startMonitoring(for: MonitoredRegion(home))
        var events = manager.events.makeAsyncIterator()
        #expect(await events.next()?.kind == .didStartMonitoring(home))
        #expect(await events.next()?.kind == .didDetermineState(.unknown, home))
        await kernel.scanSocket()
        #expect(manager.monitoredRegions.map(\.region) == [home])
    }

    @Test func `a region that is watched answers and ends by its settings`() async throws {
        let manager = LocationManager(kernel: PairKernel())
        manager.startMonitoring(for: MonitoredRegion(home))
        let region = try #require(manager.monitoredRegions.first)
        manager.requestState(for: region)
        var determined = 0
        for await event in manager.events where event.kind == .didDetermineState(.unknown, home) {
            determined += 1
            if determined == 2 { break }
        }
        manager.stopMonitoring(for: region)
        #expect(manager.monitoredRegions.isEmpty)
    }

    @Test func `ranging begins the scan`() async {
        let kernel = PairKernel()
        let manager = LocationManager(kernel: kernel)
        manager.startRangingBeacons(satisfying: home.constraint)
        await kernel.scanSocket()
        #expect(manager.rangedBeaconConstraints == [home.constraint])
    }

    @Test func `the events end with the manager`() async {
        let manager = LocationManager(kernel: PairKernel())
        let events = manager.events
        manager.startMonitoring(for: MonitoredRegion(home))
        await manager.stop()
        var kinds: [LocationEvent.Kind] = []
        for await event in events { kinds.append(event.kind) }
        #expect(kinds.first == .didStartMonitoring(home))
    }

    @Test func `a manager that was never asked stops`() async {
        let manager = LocationManager(kernel: PairKernel())
        let events = manager.events
        await manager.stop()
        #expect(await events.first { _ in true } == nil)
    }

    @Test func `the manager goes on after the last iteration, and ends when it is released`() async throws {
        let kernel = PairKernel()
        var manager: LocationManager? = LocationManager(kernel: kernel)
        manager?.startMonitoring(for: MonitoredRegion(home))
        await kernel.scanSocket()
        await read(try #require(manager))
        #expect(kernel.isOpen, "the scanner goes on without a reader")
        manager = nil
        try await kernel.closed()
    }

    /// Reads the first event, and begins a second iteration, which is cancelled.
    private func read(_ manager: LocationManager) async {
        #expect(await manager.events.first { _ in true }?.kind == .didStartMonitoring(home))
        let listener = Task { [home] in await manager.events.first { $0.kind == .didDetermineState(.inside, home) } }
        listener.cancel()
        #expect(await listener.value == nil)
        manager.requestState(for: home)
        #expect(
            await manager.events.first { $0.kind == .didDetermineState(.unknown, home) } != nil, "a third one works")
    }

    @Test func `an iteration receives what the one before it has not received`() async throws {
        let manager = LocationManager(kernel: PairKernel())
        manager.startMonitoring(for: MonitoredRegion(home))
        #expect(await manager.events.first { _ in true }?.kind == .didStartMonitoring(home))
        manager.requestState(for: home)
        var kinds: [LocationEvent.Kind] = []
        for await event in manager.events {
            kinds.append(event.kind)
            if kinds.count(where: { $0 == .didDetermineState(.unknown, home) }) == 2 { break }
        }
        #expect(kinds.filter { $0 == .didDetermineState(.unknown, home) }.count == 2)
    }

    @Test func `the state is unknown before a request and present after it`() async {
        let kernel = PairKernel()
        let manager = LocationManager(kernel: kernel)
        var states = manager.states.makeAsyncIterator()
        #expect(await states.next()?.cause == .notAnswered)
        #expect(manager.state == .unknown)
        #expect(manager.authorizationStatus == .notDetermined)
        #expect(kernel.opened == [], "reading the state requests nothing")
        #expect(await manager.authorize().authorization == .authorized)
        #expect(manager.state == .poweredOn)
        #expect(manager.authorizationStatus == .authorized)
        #expect(await states.next()?.state == .poweredOn)
        var later = manager.states.makeAsyncIterator()
        #expect(await later.next()?.state == .poweredOn, "the present one comes first")
    }

    @Test func `without a right the status is denied, with the cause`() async {
        let manager = LocationManager(kernel: PairKernel(error: KernelError(.openSocket, code: EPERM)))
        let update = await manager.authorize()
        #expect(update.authorization == .denied)
        #expect(update.cause == .notPermitted)
        #expect(manager.authorizationStatus == .denied)
    }

    @Test func `without an adapter the place of a beacon is unknown at once`() async {
        let manager = LocationManager(kernel: PairKernel([]))
        let answer = await manager.locate(home.constraint, within: .seconds(3600))
        #expect(answer.state == .unknown)
        #expect(answer.bluetooth.cause == .noAdapter)
        #expect(answer.listened == .zero)
        #expect(abs(answer.secondsSince1970 - Double(SystemClock().now) / 1e9) < 60)
    }

    @Test func `an adapter that does not scan proves nothing`() async {
        let kernel = PairKernel()
        let manager = LocationManager(kernel: kernel)
        let answer = await manager.locate(home.constraint, within: .zero)
        guard case .unknown(let obstacle) = answer.result else {
            Issue.record("\(answer)")
            return
        }
        #expect(!obstacle.description.isEmpty)
        #expect(kernel.opened.contains("scan"))
        #expect(manager.monitoredRegions.isEmpty, "a request is not a watched region")
    }

    @Test func `a cancelled request ends`() async {
        let manager = LocationManager(kernel: PairKernel())
        let request = Task { [home] in await manager.locate(home.constraint, within: .seconds(3600)) }
        request.cancel()
        #expect(await request.value.state == .unknown)
    }

    @Test func `every reader gets every event`() async {
        let manager = LocationManager(kernel: PairKernel())
        manager.startMonitoring(for: MonitoredRegion(home))
        var first = manager.events.makeAsyncIterator()
        var second = manager.events.makeAsyncIterator()
        // What no reader has received goes to both.
        #expect(await first.next()?.kind == .didStartMonitoring(home))
        var third = manager.events.makeAsyncIterator()
        #expect(await second.next()?.kind == .didStartMonitoring(home))
        let office = BeaconRegion(identifier: "office", constraint: home.constraint)
        manager.startMonitoring(for: MonitoredRegion(office))
        func regions(_ events: inout LocationEvents.Iterator) async -> [BeaconRegion] {
            var regions: [BeaconRegion] = []
            while regions.last != office, let event = await events.next() {
                if case .didDetermineState(.unknown, let region) = event.kind { regions.append(region) }
            }
            return regions
        }
        #expect(await regions(&first) == [home, office])
        #expect(await regions(&second) == [home, office])
        #expect(await regions(&third) == [home, office], "the first had not received the state of home")
    }

    @Test func `an iteration that is never released keeps no event from the next one`() async {
        let manager = LocationManager(kernel: PairKernel())
        manager.startMonitoring(for: MonitoredRegion(home))
        var abandoned = manager.events.makeAsyncIterator()
        #expect(await abandoned.next()?.kind == .didStartMonitoring(home))
        #expect(await manager.events.first { _ in true }?.kind == .didDetermineState(.unknown, home))
        #expect(await abandoned.next()?.kind == .didDetermineState(.unknown, home), "it can go on")
    }

    @Test func `a slow reader misses the oldest`() async {
        let manager = LocationManager(kernel: PairKernel())
        for count in 0..<LocationManager.backlog {
            let identifier = String(count)
            manager.startMonitoring(
                for: MonitoredRegion(BeaconRegion(identifier: identifier, constraint: home.constraint)))
            manager.stopMonitoring(for: BeaconRegion(identifier: identifier, constraint: home.constraint))
        }
        await manager.stop()
        var events: [LocationEvent] = []
        for await event in manager.events { events.append(event) }
        #expect(events.count == LocationManager.backlog)
        let last = BeaconRegion(identifier: "1023", constraint: home.constraint)
        #expect(events.contains { $0.kind == .didStartMonitoring(last) })
    }

    @Test func `without an adapter its watcher gets the reason`() async {
        let manager = LocationManager(kernel: PairKernel([]))
        manager.startMonitoring(for: MonitoredRegion(home))
        for await event in manager.events {
            guard case .monitoringDidFail(home, let bluetooth) = event.kind else { continue }
            #expect(bluetooth.cause == .noAdapter)
            #expect(bluetooth.reason.contains("no Bluetooth adapter"))
            return
        }
        Issue.record("the events ended")
    }
}

/// A kernel of socket pairs whose other ends never answer.
private final class PairKernel: BluetoothKernel {
    private struct State {
        var opened: [String] = []
        var ends: [Int32] = []
    }

    private let list: [Adapter]
    private let error: KernelError?
    private let state = Mutex(State())
    private let scans: AsyncStream<Void>
    private let scan: AsyncStream<Void>.Continuation

    init(_ adapters: [Adapter] = [Adapter(index: 0, name: "hci0", isUp: true)], error: KernelError? = nil) {
        list = adapters
        self.error = error
        (scans, scan) = AsyncStream.makeStream()
    }

    deinit {
        for end in state.withLock(\.ends) { close(end) }
    }

    var opened: [String] { state.withLock(\.opened) }

    /// Whether the scanner holds its first socket.
    var isOpen: Bool {
        guard let end = state.withLock(\.ends.first) else { return false }
        var byte: UInt8 = 0
        return recv(end, &byte, 1, Int32(MSG_DONTWAIT | MSG_PEEK)) != 0
    }

    /// Waits until the scanner has closed its first socket.
    func closed() async throws {
        guard let end = state.withLock(\.ends.first) else { return }
        try await BlockingThread.run({ KernelError(.startThread, code: $0) }) { () throws(KernelError) in
            var byte: UInt8 = 0
            while recv(end, &byte, 1, 0) > 0 {}
        }
    }

    /// Waits until the scan socket is opened.
    func scanSocket() async {
        for await _ in scans { return }
    }

    func adapters() throws(KernelError) -> [Adapter] { list }

    func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
        defer { scan.yield() }
        return try pair("scan")
    }

    func openHotPlugSocket() throws(KernelError) -> HCISocket {
        if let error { throw error }
        return try pair("hot plug")
    }

    func now() -> Int64 { LinuxKernel().now() }

    private func pair(_ name: String) throws(KernelError) -> HCISocket {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
            throw KernelError(.openSocket, code: errno)
        }
        state.withLock { state in
            state.opened.append(name)
            state.ends.append(ends[1])
        }
        return HCISocket(owning: OwnedDescriptor(owning: ends[0]))
    }
}
