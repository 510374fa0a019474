/// The file formats a capture may have. The first bytes tell which.
public enum CaptureFormat: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// What `btmon -w`, Android and Okaeri itself write.
    case btsnoop

    /// What tcpdump writes.
    case pcap

    /// What Wireshark and dumpcap write.
    case pcapng

    public var description: String { rawValue }
}
