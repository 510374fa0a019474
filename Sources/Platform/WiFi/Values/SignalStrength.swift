/// The strength of an access point's signal in percent, as NetworkManager computes it: 100 % at -40 dBm, 5 % for 3 dB.
package enum SignalStrength {
    /// The strength below which a handshake often fails for want of reception: -82 dBm.
    package static let reliable = 30

    /// The strength from which on a failed handshake is not for want of reception: -70 dBm.
    package static let strong = 50

    /// 10 dB.
    package static let improvement = 17
}
