import DBus

/// The object that bluetoothd calls while a device pairs (`org.bluez.Agent1`). Only root may call it, by the policy of the bus.
struct PairingAgent: Sendable {
    static let path = "/okaeri/agent"

    /// Decides on a request, by the object of the device and the number to compare, if there is one.
    let decide: @Sendable (_ device: String, _ number: UInt32?) async -> Bool

    var interface: BusInterface {
        BusInterface(
            Interface.agent,
            methods: [
                .init("Release") { _ in .success([]) },
                .init("Cancel") { _ in .success([]) },
                .init("RequestConfirmation", takes: ["o", "u"]) { call in await answer(call) },
                .init("RequestAuthorization", takes: ["o"]) { call in await answer(call) },
                // Of other means of pairing, which a capability without a keyboard excludes, and of BR/EDR's profiles.
                .init("RequestPinCode", takes: ["o"], returns: ["s"]) { _ in Self.rejected },
                .init("RequestPasskey", takes: ["o"], returns: ["u"]) { _ in Self.rejected },
                .init("DisplayPinCode", takes: ["o", "s"]) { _ in Self.rejected },
                .init("DisplayPasskey", takes: ["o", "u", "q"]) { _ in Self.rejected },
                .init("AuthorizeService", takes: ["o", "s"]) { _ in Self.rejected },
            ])
    }

    private static let rejected = Result<[DBusValue], BusInterface.Refusal>.failure(
        .init("org.bluez.Error.Rejected", "it was rejected"))

    private func answer(_ call: BusInterface.Call) async -> Result<[DBusValue], BusInterface.Refusal> {
        guard let device = call.arguments.first?.string else { return Self.rejected }
        let number = call.arguments.dropFirst().first?.integer.flatMap { UInt32(exactly: $0) }
        return await decide(device, number) ? .success([]) : Self.rejected
    }
}
