/* Parses a btsnoop capture in straightforward C: every record's header, the HCI event, each report, its AD structures, the
 * iBeacon, and a table of beacons with the last report of each. Prints the result.
 *
 *     walk CAPTURE
 */

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 1 << 20, TABLE = 4096, BTSNOOP_HEADER = 16, RECORD_HEADER = 24 };

struct beacon {
    uint64_t high, low;
    uint32_t numbers;
    int8_t power, rssi;
    uint8_t used;
    uint64_t count;
    int64_t heard;
    double signal;
};

static struct beacon table[TABLE];
static unsigned long records, reports, beacons;

static uint32_t big32(const uint8_t *p) { return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3]; }

static uint64_t big64(const uint8_t *p) { return (uint64_t)big32(p) << 32 | big32(p + 4); }

static struct beacon *find(uint64_t high, uint64_t low, uint32_t numbers) {
    uint64_t hash = (high ^ (low * 0x9E3779B97F4A7C15) ^ numbers) * 0xC2B2AE3D27D4EB4F;
    for (unsigned slot = hash >> 52;; slot = (slot + 1) % TABLE) {
        struct beacon *beacon = &table[slot];
        if (!beacon->used) {
            *beacon = (struct beacon){.high = high, .low = low, .numbers = numbers, .used = 1};
            return beacon;
        }
        if (beacon->low == low && beacon->high == high && beacon->numbers == numbers) return beacon;
    }
}

static void sighted(const uint8_t *frame, int8_t rssi, int64_t time) {
    struct beacon *beacon = find(big64(frame + 4), big64(frame + 12), big32(frame + 20));
    if (beacon->count++ == 0) {
        beacon->signal = rssi;
    } else {
        double elapsed = time > beacon->heard ? time - beacon->heard : 0;
        beacon->signal += elapsed / (elapsed + 1e6) * (rssi - beacon->signal);
    }
    beacon->power = (int8_t)frame[24];
    beacon->rssi = rssi;
    beacon->heard = time;
    beacons++;
}

static void report(const uint8_t *data, unsigned length, int8_t rssi, int64_t time) {
    reports++;
    for (unsigned at = 0; at < length && data[at] > 0 && at + 1 + data[at] <= length; at += 1 + data[at]) {
        const uint8_t *frame = data + at + 2;
        if (data[at + 1] == 0xFF && data[at] >= 26 && big32(frame) == 0x4C000215) return sighted(frame, rssi, time);
    }
}

static void event(const uint8_t *bytes, unsigned length, int64_t time) {
    if (length < 4 || bytes[0] != 0x3E || bytes[2] != 0x02) return;
    unsigned announced = 2u + bytes[1];
    unsigned end = announced < length ? announced : length;
    unsigned at = 4;
    for (unsigned left = bytes[3]; left > 0 && at + 10 <= end; left--) {
        unsigned data = bytes[at + 8];
        if (at + 10 + data > end) return;
        report(bytes + at + 9, data, (int8_t)bytes[at + 9 + data], time);
        at += 10 + data;
    }
}

int main(int argc, char **argv) {
    static uint8_t buffer[BUFFER];
    int file = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    if (file < 0) return fprintf(stderr, "usage: walk CAPTURE\n"), 64;
    size_t filled = 0, at = 0;
    ssize_t count;
    int begun = 0;
    while ((count = read(file, buffer + filled, BUFFER - filled)) > 0) {
        filled += count;
        if (!begun && filled >= BTSNOOP_HEADER) {
            if (memcmp(buffer, "btsnoop\0\0\0\0\1\0\0\3\352", BTSNOOP_HEADER) != 0) return fprintf(stderr, "no H4\n"), 65;
            at = BTSNOOP_HEADER;
            begun = 1;
        }
        while (begun && filled - at >= RECORD_HEADER) {
            uint32_t included = big32(buffer + at + 4);
            if (included > BUFFER - RECORD_HEADER) return fprintf(stderr, "damaged\n"), 65;
            if (filled - at < RECORD_HEADER + included) break;
            const uint8_t *packet = buffer + at + RECORD_HEADER;
            int64_t time = (int64_t)big64(buffer + at + 16);
            records++;
            if (included > 0 && packet[0] == 0x04) event(packet + 1, included - 1, time);
            at += RECORD_HEADER + included;
        }
        memmove(buffer, buffer + at, filled - at);
        filled -= at;
        at = 0;
    }
    unsigned known = 0;
    for (unsigned slot = 0; slot < TABLE; slot++) known += table[slot].used;
    printf("%lu records, %lu reports, %lu iBeacons, %u in the table\n", records, reports, beacons, known);
    return 0;
}
