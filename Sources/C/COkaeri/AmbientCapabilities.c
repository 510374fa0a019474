// The service is given the right to scan by AmbientCapabilities=, and ambient capabilities outlive execve(2): every hook,
// somebody's shell script, would have raw sockets and the network's administration (capabilities(7)).
//
// They belong to each thread, and a new thread inherits its maker's. So they go before main, while there is one. The
// process keeps what it is permitted and what is in effect; what it starts gets none of it.

#include <sys/prctl.h>

__attribute__((constructor)) static void drop_ambient_capabilities(void) {
    // It fails where the kernel knows of none: then there are none.
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}
