import Glibc
import HCI
import OkaeriBluetooth
import Testing

@Suite struct BluetoothManagerTests {
    private let off = Adapter(index: 0, name: "hci0", isUp: false)
    private let on = Adapter(index: 0, name: "hci0", isUp: true)

    /// Longer than any test takes: where it passes, something hangs.
    private let forever = Duration.seconds(60)

    @Test func `the kernel is not used before the first request`() async throws {
        let kernel = FakeKernel()
        let bluetooth = BluetoothManager(kernel: kernel)
        #expect(kernel.questions == 0)
        #expect(await bluetooth.authorize(within: forever).state == .poweredOn)
        #expect(kernel.questions > 0)
    }

    @Test func `nothing is sent to the adapter`() async throws {
        let kernel = FakeKernel()
        kernel.set(scanError: KernelError(.openSocket, code: EIO))
        let bluetooth = BluetoothManager(kernel: kernel)
        #expect(await bluetooth.authorize(within: forever).state == .poweredOn)
    }

    @Test(arguments: [
        ([Adapter](), BluetoothState.unsupported),
        ([Adapter(index: 0, name: "hci0", isUp: false)], .poweredOff),
        ([Adapter(index: 0, name: "hci0", isUp: true)], .poweredOn),
    ])
    func `the first decided state is the answer`(_ adapters: [Adapter], _ state: BluetoothState) async {
        let bluetooth = BluetoothManager(kernel: FakeKernel(adapters))
        let answer = await bluetooth.authorize(within: forever)
        #expect(answer.state == state)
        #expect(!answer.reason.isEmpty)
        // And again, from what is known.
        #expect(await bluetooth.authorize(within: .zero).state == state)
    }

    @Test func `without permission the remedy is named`() async {
        let kernel = FakeKernel()
        kernel.set(hotPlugError: KernelError(.openSocket, code: EPERM))
        let answer = await BluetoothManager(kernel: kernel).authorize(within: forever)
        #expect(answer.state == .unauthorized)
        #expect(answer.reason.contains("AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN"))
    }

    @Test func `the wait for an adapter that does not answer has a limit`() async {
        let kernel = FakeKernel()
        kernel.set(hotPlugError: KernelError(.openSocket, code: EMFILE))
        let bluetooth = BluetoothManager(kernel: kernel)
        let answer = await bluetooth.authorize(within: .milliseconds(50))
        #expect(!answer.state.isDecided)
        #expect(!answer.reason.isEmpty)
    }

    @Test func `a cancelled question ends`() async {
        let kernel = FakeKernel()
        kernel.set(hotPlugError: KernelError(.openSocket, code: EMFILE))
        let question = Task { [forever] in await BluetoothManager(kernel: kernel).authorize(within: forever) }
        question.cancel()
        #expect(await question.value.state.isDecided == false)
    }

    @Test func `the states begin with the present one and follow`() async throws {
        let kernel = FakeKernel([off])
        let bluetooth = BluetoothManager(kernel: kernel)
        var first = bluetooth.states().makeAsyncIterator()
        #expect(await first.next()?.state == .poweredOff)
        var second = bluetooth.states().makeAsyncIterator()
        #expect(await second.next()?.state == .poweredOff)

        let hotPlug = try kernel.hotPlugSockets.next()
        kernel.set(adapters: [on])
        try hotPlug.send(.device(DeviceEvent(.up, index: 0)))
        #expect(await first.next()?.state == .poweredOn)
        #expect(await second.next()?.state == .poweredOn)

        kernel.set(adapters: [])
        try hotPlug.send(.device(DeviceEvent(.unregistered, index: 0)))
        #expect(await first.next()?.state == .unsupported)
    }

    @Test func `a reader of the states keeps the manager`() async throws {
        let kernel = FakeKernel([off])
        var states = BluetoothManager(kernel: kernel).states().makeAsyncIterator()
        #expect(await states.next()?.state == .poweredOff)
        kernel.set(adapters: [on])
        try kernel.hotPlugSockets.next().send(.device(DeviceEvent(.up, index: 0)))
        #expect(await states.next()?.state == .poweredOn)
    }

    @Test func `the thread ends with the manager`() async throws {
        let kernel = FakeKernel()
        var bluetooth: BluetoothManager? = BluetoothManager(kernel: kernel)
        _ = await bluetooth?.authorize(within: forever)
        bluetooth = nil
        try kernel.hotPlugSockets.next().expectClosed()
    }

    @Test func `the manager waits for power`() async throws {
        let kernel = FakeKernel([off])
        let bluetooth = BluetoothManager(kernel: kernel)
        #expect(await bluetooth.authorize(within: forever).state == .poweredOff)
        async let power = bluetooth.poweredOn(within: forever)
        kernel.set(adapters: [on])
        try kernel.hotPlugSockets.next().send(.device(DeviceEvent(.up, index: 0)))
        #expect(await power.state == .poweredOn)
    }
}
