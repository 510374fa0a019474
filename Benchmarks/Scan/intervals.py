#!/usr/bin/env python3
"""Compares scan intervals by the runs of advertisements that a receiver misses in a row.

    intervals.py [--share 0.5] [--least 40] [--most 200] [INTERVAL ...]

A receiver listens for a share of each scan interval. If an advertising interval is a multiple of the scan interval, or close to one, the
advertisements stay in the same part of it for a long time: then many in a row are received, and many in a row are missed. Only advDelay, 0
to 10 ms (Core Specification 5.4, Vol 6, Part B, Section 4.4.2.2.1), and the crystals move them.

For each scan interval and each usual advertising interval the script computes the number of missed advertisements in a row that is
exceeded once in 1000 advertisements. It is exact up to the grid of the controller's units: the phase is a Markov chain. The scan interval
with the best worst case is the first of the list; named scan intervals (in ms) are printed beside the best ones.
"""
import argparse

UNIT = 0.625
# Common defaults, and the intervals of Apple's Accessory Design Guidelines.
ADVERTISING = (100, 152.5, 200, 211.25, 250, 318.75, 417.5, 500, 546.25, 760, 852.5, 1000, 1022.5, 1285, 2000, 3000, 5000, 10000)
DELAY = 10.0
CRYSTALS = (-30e-6, 0.0, 30e-6)
RARE = 1e-3
LONGEST = 200


def step(phases, shift):
    """The distribution of the phase at the next advertisement: shifted, and spread over advDelay."""
    count = len(phases)
    width = round(DELAY / UNIT)
    whole = int(shift // 1)
    rest = shift - whole
    # The sums of `width` neighbours, in the ring.
    total = sum(phases[-width + 1:]) + phases[0] if width > 1 else phases[0]
    sums = []
    for index in range(count):
        sums.append(total)
        total += phases[(index + 1) % count] - phases[(index + 1 - width) % count]
    moved = [0.0] * count
    for index, value in enumerate(sums):
        place = (index + whole) % count
        moved[place] += value * (1 - rest) / width
        moved[(place + 1) % count] += value * rest / width
    return moved


def run(interval, window, advertising):
    """The number of missed advertisements in a row that is exceeded once in 1000 advertisements. Interval and window in units."""
    shift = advertising / UNIT
    # An advertisement that is received, at any phase in the window: the chain's stationary distribution is even.
    phases = [1 / interval if index < window else 0.0 for index in range(interval)]
    for missed in range(LONGEST):
        phases = step(phases, shift)
        phases[:window] = [0.0] * window
        if sum(phases) < RARE:
            return missed
    return LONGEST


def row(interval, share):
    window = max(1, int(interval * share))
    return [max(run(interval, window, advertising * (1 + crystal)) for crystal in CRYSTALS) for advertising in ADVERTISING]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('named', nargs='*', type=float, help='scan intervals in ms')
    parser.add_argument('--share', type=float, default=0.5)
    parser.add_argument('--least', type=float, default=40)
    parser.add_argument('--most', type=float, default=200)
    parser.add_argument('--best', type=int, default=4, help='how many of the best are printed')
    arguments = parser.parse_args()
    found = []
    for interval in range(round(arguments.least / UNIT), round(arguments.most / UNIT) + 1):
        # A window of whole units.
        if interval * arguments.share % 1: continue
        missed = row(interval, arguments.share)
        found.append((max(missed), sum(missed) / len(missed), interval, missed))
    found.sort()
    named = [round(interval / UNIT) for interval in arguments.named]
    shown = [(interval, row(interval, arguments.share)) for interval in named] + [(f[2], f[3]) for f in found[:arguments.best]]
    print('| advertising interval | ' + ' | '.join(f'{i * UNIT:g}/{i * arguments.share * UNIT:g} ms' for i, _ in shown) + ' |')
    print('|--' * (len(shown) + 1) + '|')
    for position, advertising in enumerate(ADVERTISING):
        cells = [f'{missed[position]} ({(missed[position] + 1) * advertising / 1000:.1f} s)' for _, missed in shown]
        print(f'| {advertising:g} ms | ' + ' | '.join(cells) + ' |')
    print('| worst | ' + ' | '.join(str(max(missed)) for _, missed in shown) + ' |')
    print('| mean | ' + ' | '.join(f'{sum(missed) / len(missed):.1f}' for _, missed in shown) + ' |')


if __name__ == '__main__':
    main()
