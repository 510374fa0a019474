/// 2026-11-20 18:42:00 UTC, in nanoseconds since the Unix epoch.
package let evening: Int64 = 1_795_200_120_000_000_000

package func nanoseconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }
