/* The minimum of a scanner: receives packets and counts them.
 *
 *     receive FD COUNT single     poll, then recv until the socket is empty
 *     receive FD COUNT batch      poll, then recvmmsg of 64 until the socket is empty
 */

#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum { BATCH = 64, SLOT = 264 };

static char bytes[BATCH][SLOT];
static struct iovec vectors[BATCH];
static struct mmsghdr messages[BATCH];

static int receive_batch(int fd) { return recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL); }

static int receive_one(int fd) { return recv(fd, bytes[0], SLOT, MSG_DONTWAIT) < 0 ? -1 : 1; }

int main(int argc, char **argv) {
    if (argc != 4) return 64;
    int fd = atoi(argv[1]);
    long left = atol(argv[2]);
    int (*receive)(int) = strcmp(argv[3], "single") == 0 ? receive_one : receive_batch;
    for (int i = 0; i < BATCH; i++) {
        vectors[i] = (struct iovec){.iov_base = bytes[i], .iov_len = SLOT};
        messages[i].msg_hdr.msg_iov = &vectors[i];
        messages[i].msg_hdr.msg_iovlen = 1;
    }
    while (left > 0) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, -1) < 0 && errno != EINTR) return perror("poll"), 1;
        int count;
        while (left > 0 && (count = receive(fd)) > 0) left -= count;
        if (left > 0 && errno != EAGAIN && errno != EINTR) return perror("receive"), 1;
    }
    return 0;
}
