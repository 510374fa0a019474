/* A controller at full speed: passes one end of a SOCK_SEQPACKET pair as an HCI socket to a program, answers its commands, and
 * sends so many advertising reports once it scans, in turn those of the events in a file. Prints the processor time of the
 * program, user and system, in seconds.
 *
 *     flood EVENTS COUNT now|scan PROGRAM ARGUMENTS...
 *
 * FD in an argument is replaced by the descriptor's number. `now`: does not wait for commands. With `scan` the program
 * gets a SIGTERM when it has read all reports. EVENTS contains packets, each behind its length in one byte.
 */

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAXIMUM = 260, READ_LOCAL_SUPPORTED_COMMANDS = 0x1002, LE_SET_SCAN_ENABLE = 0x200C };

static struct {
    unsigned char bytes[MAXIMUM];
    size_t length;
} events[4096];
static size_t kinds;

static void load(const char *path) {
    FILE *file = fopen(path, "rb");
    int length;
    if (!file) perror(path), exit(66);
    while (kinds < sizeof(events) / sizeof(events[0]) && (length = fgetc(file)) != EOF) {
        events[kinds].length = fread(events[kinds].bytes, 1, length, file);
        kinds++;
    }
    fclose(file);
}

/* Answers one command with success. Returns whether the scan is on from now on; ends when the host has closed the connection. */
static bool answer(int fd) {
    unsigned char command[MAXIMUM], reply[3 + 4 + 64] = {0x04, 0x0E, 4, 1};
    ssize_t length = recv(fd, command, sizeof(command), 0);
    if (length < 4) return false;
    int opcode = command[1] | command[2] << 8;
    memcpy(reply + 4, command + 1, 2);
    if (opcode == READ_LOCAL_SUPPORTED_COMMANDS) reply[2] += 64;
    send(fd, reply, 3 + reply[2], MSG_NOSIGNAL);
    return opcode == LE_SET_SCAN_ENABLE && command[4] == 1;
}

static bool is_empty(int fd) {
    int waiting = 0;
    return ioctl(fd, SIOCOUTQ, &waiting) != 0 || waiting == 0;
}

int main(int argc, char **argv) {
    if (argc < 5) return 64;
    load(argv[1]);
    long count = atol(argv[2]);
    bool scans = strcmp(argv[3], "scan") == 0;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) return perror("socketpair"), 1;
    char number[12];
    snprintf(number, sizeof(number), "%d", ends[1]);
    for (int i = 4; i < argc; i++)
        if (strcmp(argv[i], "FD") == 0) argv[i] = number;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        execv(argv[4], argv + 4);
        perror(argv[4]);
        _exit(127);
    }
    close(ends[1]);
    if (scans)
        while (!answer(ends[0]))
            if (waitpid(child, NULL, WNOHANG) != 0) return fprintf(stderr, "%s ended too early\n", argv[4]), 1;
    for (long i = 0; i < count; i++)
        if (send(ends[0], events[i % kinds].bytes, events[i % kinds].length, MSG_NOSIGNAL) < 0) break;
    if (scans) {
        while (!is_empty(ends[0])) usleep(1000);
        kill(child, SIGTERM);
    }
    int status;
    struct rusage usage;
    for (;;) {
        struct pollfd wait = {.fd = ends[0], .events = POLLIN};
        if (poll(&wait, 1, 5) > 0 && wait.revents & POLLIN) answer(ends[0]);
        pid_t ended = wait4(child, &status, WNOHANG, &usage);
        if (ended == child) break;
        if (ended < 0 && errno != EINTR) return perror("wait4"), 1;
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return fprintf(stderr, "%s failed\n", argv[4]), 1;
    printf("%.6f %.6f\n", usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6,
           usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6);
    return 0;
}
