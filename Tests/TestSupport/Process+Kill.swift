import Foundation
import Glibc

extension Process {
    /// Kills the process and waits until it has ended. SIGTERM would not do: the test runner's children may ignore it.
    ///
    /// `waitUntilExit` returns only after the end of all children that were started at the same moment, because they inherit the
    /// socket by which Foundation detects the end. While tests wait for each other's children, none of them ends.
    package func killAndWait() {
        guard isRunning else { return }
        kill(processIdentifier, SIGKILL)
        // Foundation still collects the exit status.
        var information = siginfo_t()
        while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    }
}
