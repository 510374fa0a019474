// Each thread has its own sets of capabilities (capabilities(7)), and a new thread inherits those of its creator. So these functions
// change them before main, while there is one thread.

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// AmbientCapabilities= and Podman give the service the right to scan, and ambient capabilities survive execve(2): every hook, such as
// a user's shell script, would have CAP_NET_RAW and CAP_NET_ADMIN. The process keeps its permitted and effective sets; its child
// processes get neither.
__attribute__((constructor)) static void drop_ambient_capabilities(void) {
    // It fails if the kernel does not support ambient capabilities: then there are none.
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

// The container image gives the program file capabilities that are permitted and not effective, because the kernel refuses to start a
// program with effective ones in a container that lacks one of them. So the program takes those that it may have. It does nothing for a
// process whose effective set was chosen by its parent: execve(2) makes both sets the same without file capabilities.
__attribute__((constructor)) static void use_permitted_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    if (syscall(SYS_capget, &header, sets) != 0) return;
    int is_missing = 0;
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        is_missing |= sets[i].effective != sets[i].permitted;
        sets[i].effective = sets[i].permitted;
    }
    // The service's unit does not allow the call, and does not need it.
    if (is_missing) (void)syscall(SYS_capset, &header, sets);
}
