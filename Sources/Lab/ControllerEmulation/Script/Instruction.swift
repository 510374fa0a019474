import HCI

enum Instruction: Hashable, Sendable {
    case wait(Wait)
    case describe(AdvertiserDescription)
    case start([String])
    case stop([String])
    case send(String, count: Int)
    case signal(String, first: Int8?, others: [Int8?], step: Int64)
    case address(String, BluetoothAddress)
    case flood(Flood.Plan)
    case batch(Int)
    /// Whether advertisements between the scan windows are lost.
    case windows(Switch)
    case fault(Fault)
    case log(String)
    case quit(status: Int32)
}

extension Instruction {
    enum Switch: String, Hashable, Sendable, CaseIterable {
        case on
        case off
    }

    enum Fault: Hashable, Sendable {
        case ignore(Commands)
        case refuse(HCIOpcode, HCIStatus, times: Int?)
        case answer(Commands)
        case stall(StallEnd)
        case resume
        case hardwareError(UInt8)
        case vanish
        case plugIn
        case cut(times: Int)
        case packet([UInt8])
    }

    enum Wait: Hashable, Sendable {
        /// In nanoseconds.
        case time(Int64)
        case scan
        case noScan
    }

    enum Commands: Hashable, Sendable {
        case all
        case some([HCIOpcode])
    }

    /// The event that ends a stall, besides `resume`.
    enum StallEnd: String, Hashable, Sendable, CaseIterable {
        case enable
        case reset
        case resume
    }
}
