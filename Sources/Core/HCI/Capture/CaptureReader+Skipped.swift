extension CaptureReader {
    /// The number of a capture's records that were skipped, by reason.
    public struct Skipped: Hashable, Sendable {
        /// Packets of interfaces that are not Bluetooth's.
        public internal(set) var otherLinkTypes = 0

        /// Records without an HCI packet: the monitor's notes, unknown packet types, empty ones.
        public internal(set) var otherRecords = 0

        /// pcapng's simple packets: they bear no time, and without it nothing can be replayed.
        public internal(set) var withoutTime = 0
    }
}
