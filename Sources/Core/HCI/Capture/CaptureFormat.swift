/// The file formats a capture may have. The first bytes identify the format.
public enum CaptureFormat: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The format of `btmon -w`, Android and Okaeri itself.
    case btsnoop

    /// The format of tcpdump.
    case pcap

    /// The format of Wireshark and dumpcap.
    case pcapng

    public var description: String { rawValue }
}
