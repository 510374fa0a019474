package import IBeacon
package import OkaeriConfiguration
package import OkaeriEvents
package import OkaeriMQTT
package import OkaeriNetworkManager
package import OkaeriReceivers
package import OkaeriWiFi

/// A reception of a set-up.
package enum SetupReception: Sendable {
    /// The beacons in range.
    case beacons([BeaconReport])
    /// The reason why beacons cannot be received; `nil`: they can.
    case trouble(String?)
    /// The time left of a measurement.
    case left(Duration)
}

/// Bluetooth, as the questions of a set-up use it.
package protocol SetupReceiver: Sendable {
    func bluetooth() async -> SetupBluetooth

    func switchOn() async -> SetupBluetooth

    /// Receives beacons from now on, if it does not yet, until ``stop()``. The stream of an earlier call ends.
    func listen() async -> AsyncStream<SetupReception>

    /// Receives beacons for the time of a measurement of the filtered signal: reports the time left once a second, and ends at zero.
    func measure() async -> AsyncStream<SetupReception>

    func stop() async

    /// Returns the RSSI at one metre in dBm.
    func calibrate(_ beacons: BeaconConstraint, identifier: String) async -> Result<Int8, Mistake>
}

/// Whether beacons can be received.
package enum SetupBluetooth: Sendable, Equatable {
    case on
    /// It can be switched on; the steps of that are the end of a sentence.
    case off(intention: String)
    case unusable(reason: String, isPermission: Bool)
}

/// NetworkManager, as the questions of a set-up use it.
package protocol SetupNetworks: Sendable {
    func networks() async -> Result<[VisibleNetwork], JoinFailure>

    func condition(of network: HomeNetwork) async -> NetworkCondition

    func save(_ network: HomeNetwork, with passphrase: TypedPassphrase) async -> Result<SavedProfile, JoinFailure>
}

/// The service and its files, as the questions of a set-up change them.
package protocol SetupService: Sendable {
    /// Has the service use its configuration.
    func apply() async -> Result<ServiceControl.Outcome, ServiceControl.Failure>

    /// Adds a user to the group of the service. Returns the reason why that failed, or `nil`.
    func add(_ user: String) async -> String?

    /// Writes the password of the broker to a file that only the service can read, and returns its path.
    func writePassword(_ password: String) throws(WriteObstacle) -> String

    /// Writes the new text of the configuration in place of the old one.
    func write(_ text: String, replacing old: String) throws(WriteObstacle)

    /// Returns the receivers of other makes that publish at a broker.
    func receivers(at broker: MQTTSettings.Broker) async -> Result<[FoundReceiver], Mistake>

    /// Shows the links of the page and logs a browser in, once the page listens at the address.
    func showPage(at address: String) async
}
