// The memory of the daemon and of the commands contains keys of phones, passwords and passphrases. After a crash the kernel would
// write it to a file or pass it to a program (core(5)), and other programs of the user could read it (ptrace(2)).
//
// So the process is not dumpable, from before main on, whatever its limits are. A hook is dumpable again: execve(2).

#include "COkaeri.h"

#include <sys/prctl.h>

__attribute__((constructor)) void okaeri_forbid_memory_dumps(void) {
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}
