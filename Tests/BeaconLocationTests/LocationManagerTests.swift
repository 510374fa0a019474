@testable import BeaconLocation
import Bluetooth
import Glibc
import IBeacon
import Plumbing
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
        manager.startMonitoring(for: home)
        var events = manager.events.makeAsyncIterator()
        #expect(await events.next()?.kind == .didStartMonitoring(home))
        #expect(await events.next()?.kind == .didDetermineState(.unknown, home))
        await kernel.scanSocket()
        #expect(manager.monitoredRegions.map(\.region) == [home])
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
        manager.startMonitoring(for: home)
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

    @Test func `a cancelled task ends the scan`() async {
        let kernel = PairKernel()
        let manager = LocationManager(kernel: kernel)
        manager.startMonitoring(for: home)
        let listener = Task { for await _ in manager.events {} }
        await kernel.scanSocket()
        listener.cancel()
        await listener.value
        await confirmation("the reports end with the scanner's thread") { ended in
            for await _ in manager.bluetoothStates() {}
            ended()
        }
    }

    @Test func `every reader gets every event`() async {
        let manager = LocationManager(kernel: PairKernel())
        manager.startMonitoring(for: home)
        var first = manager.events.makeAsyncIterator()
        var second = manager.events.makeAsyncIterator()
        // What was before goes to the first alone, what comes to both.
        #expect(await first.next()?.kind == .didStartMonitoring(home))
        let office = BeaconRegion(identifier: "office", constraint: home.constraint)
        manager.startMonitoring(for: office)
        func regions(_ events: inout LocationEvents.Iterator) async -> [BeaconRegion] {
            var regions: [BeaconRegion] = []
            while regions.last != office, let event = await events.next() {
                if case .didDetermineState(.unknown, let region) = event.kind { regions.append(region) }
            }
            return regions
        }
        #expect(await regions(&first) == [home, office])
        #expect(await regions(&second) == [office])
    }

    @Test func `the scan goes on until the last iteration ends`() async {
        let kernel = PairKernel()
        let manager = LocationManager(kernel: kernel)
        manager.startMonitoring(for: home)
        let listeners = [Task { for await _ in manager.events {} }, Task { for await _ in manager.events {} }]
        var states = manager.bluetoothStates().makeAsyncIterator()
        await kernel.scanSocket()
        var witness: LocationEvents.Iterator? = manager.events.makeAsyncIterator()
        for listener in listeners {
            listener.cancel()
            await listener.value
        }
        manager.requestState(for: home)
        while let event = await witness?.next() {
            if case .didDetermineState = event.kind { break }
        }
        witness = nil
        while await states.next() != nil {}
        var late = manager.events.makeAsyncIterator()
        #expect(await late.next() == nil, "nothing more is to be had")
    }

    @Test func `a slow reader misses the oldest`() async {
        let manager = LocationManager(kernel: PairKernel())
        for count in 0..<LocationManager.backlog {
            let identifier = String(count)
            manager.startMonitoring(for: BeaconRegion(identifier: identifier, constraint: home.constraint))
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
        manager.startMonitoring(for: home)
        for await event in manager.events {
            guard case .monitoringDidFail(home, let reason) = event.kind else { continue }
            #expect(reason.contains("no Bluetooth adapter"))
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
    private let state = Mutex(State())
    private let scans: AsyncStream<Void>
    private let scan: AsyncStream<Void>.Continuation

    init(_ adapters: [Adapter] = [Adapter(index: 0, name: "hci0", isUp: true)]) {
        list = adapters
        (scans, scan) = AsyncStream.makeStream()
    }

    deinit {
        for end in state.withLock(\.ends) { close(end) }
    }

    var opened: [String] { state.withLock(\.opened) }

    /// Waits until the scan socket is opened.
    func scanSocket() async {
        for await _ in scans { return }
    }

    func adapters() throws(KernelError) -> [Adapter] { list }

    func openScanSocket(adapter index: UInt16) throws(KernelError) -> HCISocket {
        defer { scan.yield() }
        return try pair("scan")
    }

    func openHotPlugSocket() throws(KernelError) -> HCISocket { try pair("hot plug") }

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
