import COkaeri

/// The version of okaeri.
struct Version: CustomStringConvertible {
    /// As debian/changelog has it.
    var number = "0.1.0"

    /// The commit of the build, `-dirty` if files had been changed; empty if it was not given.
    var commit = String(cString: okaeri_commit())

    /// `0.1.0 (abc1234)`.
    var description: String { number + (commit.isEmpty ? "" : " (\(commit))") }
}
