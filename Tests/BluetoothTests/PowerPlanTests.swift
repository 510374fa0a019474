import Glibc
import OkaeriBluetooth
import Testing

@Suite struct PowerPlanTests {
    private static func adapter(isUp: Bool = false, _ block: Adapter.RadioBlock = .none) -> Adapter {
        Adapter(index: 0, name: "hci0", isUp: isUp, radioBlock: block)
    }

    @Test(
        arguments: [
            (adapter(isUp: true), []), (adapter(), [.switchOn]), (adapter(.soft), [.unblock, .switchOn]),
        ] as [(Adapter, [PowerStep])])
    func `the plan carries out the missing steps`(_ adapter: Adapter, _ steps: [PowerStep]) async throws {
        let kernel = FakeKernel([adapter])
        let plan = try PowerPlan(adapter: "hci0", kernel: kernel)
        #expect(plan.steps == steps)
        #expect(kernel.stepsTaken == [], "nothing before it is wanted")
        try await plan.carryOut()
        #expect(kernel.stepsTaken == steps)
        #expect(try kernel.adapters() == [Self.adapter(isUp: true)])
    }

    @Test(arguments: [adapter(isUp: true), adapter(), adapter(.soft)])
    func `the plan is undone to the state before`(_ adapter: Adapter) async throws {
        let kernel = FakeKernel([adapter])
        let plan = try PowerPlan(adapter: "hci0", kernel: kernel)
        try await plan.carryOut()
        try await plan.takeBack()
        #expect(try kernel.adapters() == [adapter])
    }

    @Test func `the intention describes what will be done`() throws {
        let soft = try PowerPlan(adapter: "hci0", kernel: FakeKernel([Self.adapter(.soft)]))
        #expect(soft.intention == "lift rfkill's block of hci0 and switch it on")
        #expect(try PowerPlan(adapter: "hci0", kernel: FakeKernel([Self.adapter()])).intention == "switch hci0 on")
    }

    @Test func `a switch of the machine is named and left alone`() {
        let kernel = FakeKernel([Self.adapter(.hard)])
        let failure = #expect(throws: PowerFailure.self) { try PowerPlan(adapter: "hci0", kernel: kernel) }
        #expect(failure?.cause == .hardBlock)
        #expect(failure?.reason.contains("switch or key") == true)
        #expect(kernel.stepsTaken == [])
    }

    @Test func `an adapter that is gone is reported`() {
        let failure = #expect(throws: PowerFailure.self) { try PowerPlan(adapter: "hci0", kernel: FakeKernel([])) }
        #expect(failure?.cause == .refused)
        #expect(failure?.reason.contains("unplugged") == true)
    }

    @Test(arguments: [
        (PowerStep.unblock, KernelError(.unblock, code: EACCES), "rfkill unblock bluetooth"),
        (.switchOn, KernelError(.switchOn, code: EPERM), "AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN"),
    ])
    func `a right that is missing is named before anything is done`(
        _ step: PowerStep, _ error: KernelError, _ mend: String
    ) {
        let kernel = FakeKernel([Self.adapter(.soft)])
        kernel.set(lackedRight: error, to: step)
        let failure = #expect(throws: PowerFailure.self) { try PowerPlan(adapter: "hci0", kernel: kernel) }
        #expect(failure?.cause == .notPermitted)
        #expect(failure?.reason.contains(mend) == true)
        #expect(kernel.stepsTaken == [])
    }

    @Test(arguments: [(EPERM, PowerFailure.Cause.notPermitted), (132, .refused), (ETIMEDOUT, .refused)])
    func `a refusal of Linux is reported`(_ code: Int32, _ cause: PowerFailure.Cause) async throws {
        let kernel = FakeKernel([Self.adapter(.soft)])
        kernel.set(powerError: KernelError(.switchOn, code: code), of: .switchOn)
        let plan = try PowerPlan(adapter: "hci0", kernel: kernel)
        let failure = await #expect(throws: PowerFailure.self) { try await plan.carryOut() }
        #expect(failure?.cause == cause)
        #expect(kernel.stepsTaken == [.unblock])
    }
}
