// AmbientCapabilities= gives the service the right to scan, and ambient capabilities survive execve(2): every hook, such as
// a user's shell script, would have CAP_NET_RAW and CAP_NET_ADMIN (capabilities(7)).
//
// Each thread has its own set, and a new thread inherits the set of its creator. So this function clears the set before
// main, while there is one thread. The process keeps its permitted and effective sets; its child processes get neither.

#include <sys/prctl.h>

__attribute__((constructor)) static void drop_ambient_capabilities(void) {
    // It fails if the kernel does not support ambient capabilities: then there are none.
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}
