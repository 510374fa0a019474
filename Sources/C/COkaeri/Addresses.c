// The addresses of the interfaces. getifaddrs(3) needs an AF_NETLINK socket, which the service's unit does not allow.

#include "COkaeri.h"

#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { limit = 256 };

static int is_up(int socket, const char *name) {
    struct ifreq request = {0};
    strncpy(request.ifr_name, name, IFNAMSIZ - 1);
    return ioctl(socket, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP) != 0;
}

int okaeri_is_up(const char *interface) {
    int channel = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (channel < 0) return 0;
    int result = is_up(channel, interface);
    close(channel);
    return result;
}

size_t okaeri_ipv4_addresses(unsigned char *addresses, size_t count) {
    int channel = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (channel < 0) return 0;
    struct ifreq entries[limit];
    struct ifconf list = {.ifc_len = sizeof entries, .ifc_req = entries};
    size_t found = 0;
    if (ioctl(channel, SIOCGIFCONF, &list) == 0) {
        size_t all = (size_t)list.ifc_len / sizeof entries[0];
        for (size_t i = 0; i < all && found < count; i++) {
            struct sockaddr_in address;
            memcpy(&address, &entries[i].ifr_addr, sizeof address);
            if (address.sin_family != AF_INET || !is_up(channel, entries[i].ifr_name)) continue;
            memcpy(addresses + 4 * found++, &address.sin_addr, 4);
        }
    }
    close(channel);
    return found;
}
