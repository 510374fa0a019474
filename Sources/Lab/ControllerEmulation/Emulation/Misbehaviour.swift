import HCI

/// The present faults of the controller.
struct Misbehaviour: Sendable {
    struct Refusal: Sendable {
        let status: HCIStatus

        /// The number of further times; `nil`: always.
        var left: Int?
    }

    /// The fate of a command.
    enum Verdict: Hashable, Sendable {
        case obey
        case ignore
        case refuse(HCIStatus)
    }

    private var ignoresAll = false
    private var ignored: Set<HCIOpcode> = []
    private var refusals: [HCIOpcode: Refusal] = [:]

    var stall: Instruction.StallEnd?

    /// The number of further report events that are cut.
    var cuts = 0

    mutating func ignore(_ commands: Instruction.Commands) {
        switch commands {
        case .all: ignoresAll = true
        case .some(let opcodes): ignored.formUnion(opcodes)
        }
    }

    mutating func refuse(_ opcode: HCIOpcode, _ status: HCIStatus, times: Int?) {
        refusals[opcode] = Refusal(status: status, left: times)
    }

    mutating func answer(_ commands: Instruction.Commands) {
        switch commands {
        case .all:
            ignoresAll = false
            ignored = []
            refusals = [:]
        case .some(let opcodes):
            ignored.subtract(opcodes)
            for opcode in opcodes { refusals[opcode] = nil }
        }
    }

    /// A command has come in; a refusal that is not for ever is used up.
    mutating func received(_ opcode: HCIOpcode) -> Verdict {
        if ignoresAll || ignored.contains(opcode) { return .ignore }
        guard let refusal = refusals[opcode] else { return .obey }
        if let left = refusal.left {
            refusals[opcode] = left == 1 ? nil : Refusal(status: refusal.status, left: left - 1)
        }
        return .refuse(refusal.status)
    }
}
