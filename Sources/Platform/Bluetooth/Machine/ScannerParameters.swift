public import HCI

/// The parameters of the scan and its time limits.
public struct ScannerParameters: Hashable, Sendable {
    /// The configured choice of the scan interval and window.
    public var scan = ScanSetting.automatic()

    /// The time limit of a command. Linux itself gives up after two seconds.
    public var commandTimeout = Duration.seconds(2)

    /// The number of attempts of a command before the adapter counts as lost.
    public var commandAttempts = 2

    /// The pause before the scan is switched on again after another program switched it off. Others switch it off to
    /// connect, or to scan themselves: they need a moment.
    public var rearmDelay = Duration.milliseconds(500)

    /// The longest that delay becomes when the scan is switched off again and again.
    public var rearmDelayLimit = Duration.seconds(8)

    /// The time after which the scan of a discovery that began before the session is replaced. Linux ends a discovery after 10.24 s,
    /// unless a program has taken its scan from it (`DISCOV_LE_TIMEOUT` in include/net/bluetooth/hci_core.h).
    public var discoveryLimit = Duration.seconds(12)

    /// A scan that lasted so long was not switched off again and again.
    public var calmPeriod = Duration.seconds(5)

    /// After how long without any advert the scan is started anew, to see whether the controller is alive.
    public var quietPeriod = Duration.seconds(10)

    /// The longest that period becomes while it stays quiet. A scan that was lost without any event is noticed by the next
    /// probe only, so this is the time for which an arrival can be missed.
    public var quietPeriodLimit = Duration.seconds(120)

    /// The silence after which a controller that received reports before is switched off and on where silence is normal. Where it
    /// is not, see ``ScannerStateMachine/silenceLimit``.
    public var normalSilence = Duration.seconds(120)

    /// The shortest time between two power cycles of a controller that answers commands and receives nothing; `nil` for no power
    /// cycle. A power cycle takes the adapter away from other programs for a moment.
    public var powerCyclePeriod: Duration?

    /// The pause after a fault before the adapter is tried again.
    public var faultDelay = Duration.seconds(1)

    /// The longest that delay becomes while the fault lasts.
    public var faultDelayLimit = Duration.seconds(60)

    /// The delay where only a change outside can help: no permission, no Bluetooth in the kernel.
    public var hopelessDelay = Duration.seconds(60)

    /// The longest that delay becomes.
    public var hopelessDelayLimit = Duration.seconds(3600)

    /// Creates parameters for a home with a Raspberry Pi.
    public init() {}
}
