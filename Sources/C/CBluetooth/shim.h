#pragma once

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>

#include <nettle/aes.h>

#include <linux/rfkill.h>
#include <linux/sock_diag.h>

/* The functions that Swift cannot import: requests with a flexible array, ioctl numbers made by _IOR, addresses that are cast
 * to struct sockaddr, recvmmsg, which glibc declares only for _GNU_SOURCE, and control messages, which are read by macros. Add no
 * others. */

/* struct hci_dev_list_req, with room for all adapters of the kernel. */
struct okaeri_hci_device_list {
    uint16_t count;
    struct hci_dev_req devices[HCI_MAX_DEV];
};

/* HCIGETDEVLIST: the indices of all adapters. `list->count` is set to their number. */
static inline int okaeri_hci_device_list_get(int fd, struct okaeri_hci_device_list *list) {
    list->count = HCI_MAX_DEV;
    return ioctl(fd, HCIGETDEVLIST, list);
}

static inline uint16_t okaeri_hci_device_list_index(const struct okaeri_hci_device_list *list, unsigned position) {
    return position < HCI_MAX_DEV ? list->devices[position].dev_id : HCI_DEV_NONE;
}

/* HCIGETDEVINFO: `info->dev_id` selects the adapter. */
static inline int okaeri_hci_device_info_get(int fd, struct hci_dev_info *info) {
    return ioctl(fd, HCIGETDEVINFO, info);
}

/* HCIDEVUP: switches an adapter on, and returns when its controller has answered. */
static inline int okaeri_hci_device_up(int fd, uint16_t device) {
    return ioctl(fd, HCIDEVUP, (unsigned long)device);
}

/* HCIDEVDOWN: switches an adapter off. */
static inline int okaeri_hci_device_down(int fd, uint16_t device) {
    return ioctl(fd, HCIDEVDOWN, (unsigned long)device);
}

/* struct hci_conn_list_req, with room for one connection. */
struct okaeri_hci_connection_list {
    uint16_t device;
    uint16_t count;
    struct hci_conn_info connection;
};

/* HCIGETCONNLIST: whether an adapter has a connection or is connecting, 1 or 0; -1 and errno on failure. */
static inline int okaeri_hci_has_connections(int fd, uint16_t device) {
    struct okaeri_hci_connection_list list = {.device = device, .count = 1};
    return ioctl(fd, HCIGETCONNLIST, &list) < 0 ? -1 : list.count;
}

/* Binds to an adapter, or with HCI_DEV_NONE to none. */
static inline int okaeri_hci_bind(int fd, uint16_t device, uint16_t channel) {
    struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = device, .hci_channel = channel};
    return bind(fd, (struct sockaddr *)&address, sizeof(address));
}

/* struct mmsghdr, as the kernel lays it out. */
struct okaeri_message {
    struct msghdr header;
    unsigned int length;
};

/* The size of the control message with the time of a message, in bytes. */
enum { okaeri_stamp_size = CMSG_SPACE(2 * sizeof(int64_t)) };

/* Has the kernel pass the time of reception with each message of a socket: that of raw HCI sockets has an option of its own. */
static inline int okaeri_stamp_messages(int fd, int is_hci) {
    int on = 1;
    return is_hci ? setsockopt(fd, SOL_HCI, HCI_TIME_STAMP, &on, sizeof(on))
                  : setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on));
}

/* The time at which the kernel received a message, in nanoseconds of CLOCK_REALTIME; -1 without one. The option of HCI sockets has
 * microseconds, and the kernel's own integers, which are not time_t everywhere. */
static inline int64_t okaeri_message_time(struct okaeri_message *message) {
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message->header); item; item = CMSG_NXTHDR(&message->header, item)) {
        int is_hci = item->cmsg_level == SOL_HCI && item->cmsg_type == HCI_CMSG_TSTAMP;
        if (!is_hci && !(item->cmsg_level == SOL_SOCKET && item->cmsg_type == SO_TIMESTAMPNS)) continue;
        int64_t seconds, fraction, wide[2];
        int32_t narrow[2];
        if (item->cmsg_len == CMSG_LEN(sizeof(wide))) {
            memcpy(wide, CMSG_DATA(item), sizeof(wide));
            seconds = wide[0], fraction = wide[1];
        } else if (item->cmsg_len == CMSG_LEN(sizeof(narrow))) {
            memcpy(narrow, CMSG_DATA(item), sizeof(narrow));
            seconds = narrow[0], fraction = narrow[1];
        } else {
            return -1;
        }
        if (seconds < 0 || seconds > INT64_MAX / 2000000000 || fraction < 0 || fraction >= 1000000000) return -1;
        return seconds * 1000000000 + fraction * (is_hci ? 1000 : 1);
    }
    return -1;
}

/* recvmmsg without waiting: the number of messages, or -1 and errno. */
static inline int okaeri_receive_messages(int fd, struct okaeri_message *messages, unsigned count) {
    return (int)syscall(SYS_recvmmsg, fd, messages, count, MSG_DONTWAIT, NULL);
}

/* SO_MEMINFO: the number of packets that the kernel dropped because the socket was full; -1 and errno on failure. */
static inline int64_t okaeri_socket_drops(int fd) {
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof(info);
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &length) != 0) return -1;
    if (length <= SK_MEMINFO_DROPS * sizeof(info[0])) {
        errno = ENOPROTOOPT;
        return -1;
    }
    return info[SK_MEMINFO_DROPS];
}
