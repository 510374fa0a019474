import History
package import TestSupport

extension TemporaryFolder {
    /// What `okaeri history --json` prints of the history in this folder.
    package func historyLines() throws -> [String] {
        var lines: [String] = []
        try HistoryReport(directory: path, region: nil, since: nil, form: .json).forEachLine { lines.append($0) }
        return lines
    }
}
