import Plumbing

/// Determines the owner of each region: the node with the highest rendezvous weight (Thaler and Ravishankar, "Using
/// name-based mappings to increase hit rates", 1998). All nodes compute the same from the names alone, and when a node
/// comes or goes only its own regions move.
package enum Ownership {
    /// The region that stands for the house itself: its owner counts the nodes and announces them.
    package static let hub = "-"

    /// Returns the owner of a region among these nodes; `nil` if there are none. Of equal weights the smaller name wins.
    package static func owner(of region: String, among nodes: some Sequence<String>) -> String? {
        let region = region.utf8.fnv1a
        return nodes.map { (name: $0, weight: weight($0.utf8.fnv1a, region)) }
            .max { ($0.weight, $1.name) < ($1.weight, $0.name) }?.name
    }

    /// Both hashes, mixed until each bit of one depends on all: the finalizer of SplitMix64, twice. FNV alone leaves names that
    /// differ in the last letter nearly in order.
    static func weight(_ node: UInt64, _ region: UInt64) -> UInt64 {
        mixed(mixed(node) ^ region)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var value = value &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
