import ArgumentParser
import COkaeriLibraries
import OkaeriEvents
import OkaeriPlumbing

/// The libraries that the program loads when a function of them is first called: most commands need none of them.
enum Libraries {
    /// Makes a missing library end the program with a sentence and the status 69, wherever a function of it is called.
    static func reportMissing() {
        okaeri_libraries_on_missing { missing in
            guard let failure = Libraries.failure(missing) else { return }
            CommandFailure.end(failure, arguments: Array(CommandLine.arguments.dropFirst()))
        }
    }

    /// Loads all of them. A daemon does so at its start, because an upgrade may replace a part of them while it runs.
    static func load() throws(CommandFailure) {
        if let failure = failure(okaeri_libraries_load()) { throw failure }
    }

    private static func failure(_ missing: okaeri_missing_library) -> CommandFailure? {
        guard let file = missing.file, let package = missing.package, let reason = missing.reason else { return nil }
        return CommandFailure(
            .noLibrary, String(cString: file), String(cString: reason).plain(), String(cString: package),
            status: Exit.unavailable)
    }
}
