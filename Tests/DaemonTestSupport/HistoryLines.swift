import OkaeriHistory
package import OkaeriTestSupport

extension TemporaryFolder {
    /// Returns the output of `okaeri history --json` for the history in this folder.
    package func historyLines() throws -> [String] {
        var lines: [String] = []
        try HistoryReport(directory: path, region: nil, since: nil, form: .json).forEachLine { lines.append($0) }
        return lines
    }
}
