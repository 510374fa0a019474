import COkaeri

/// Which okaeri this is.
struct Version: CustomStringConvertible {
    /// As debian/changelog has it.
    var number = "0.1.0"

    /// What it was built from, `-dirty` where files had been changed; empty where nobody said.
    var commit = String(cString: okaeri_commit())

    /// `0.1.0 (abc1234)`.
    var description: String { number + (commit.isEmpty ? "" : " (\(commit))") }
}
