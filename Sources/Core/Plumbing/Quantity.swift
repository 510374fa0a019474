/// Returns a number and its noun: `1 device`, `2 devices`.
///
/// - Parameter plural: The plural of the noun; by default with an s.
package func quantity(_ number: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}
