#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""tests/cli/capture.py KIND: writes a small capture, whose truth is known, to standard output.

  window  300,000 bytes over 20 ms, six segments outstanding at most: bound by the receive window
  think   ten requests, each answered after 50 ms of thinking
  many    thirty connections of both kinds
  udp     no TCP in it
  empty   a capture without packets
"""

import signal
import struct
import sys

MSS = 1460
MS = 1000000  # ns


class Capture:
    """Raw IPv4 packets with nanosecond times, sorted when they are written."""

    def __init__(self):
        self.packets = []

    def add(self, ns, source, destination, protocol, body):
        header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 0, 0x4000, 64, protocol, 0,
                             bytes(source), bytes(destination))
        self.packets.append((ns, header + body))

    def write(self, out):
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 101))
        for ns, data in sorted(self.packets, key=lambda packet: packet[0]):
            ns += 1700000000 * 1000 * MS
            out.write(struct.pack("<IIII", ns // (1000 * MS), ns % (1000 * MS), len(data), len(data)))
            out.write(data)


class Connection:
    """One TCP connection as its client's host sees it. Times are ns since the capture began."""

    def __init__(self, capture, host, rtt, windows):
        self.capture = capture
        self.address = [(192, 0, 2, host), (192, 0, 2, 2)]
        self.port = [40000 + host, 80]
        self.next = [1000, 5000]
        self.window = windows
        self.rtt = rtt

    def segment(self, ns, side, flags, payload=0, options=b""):
        """What `side` (0 client, 1 server) sends, at the time at which it passes the client."""
        window = self.window[side]
        offset = (20 + len(options)) // 4
        body = struct.pack(">HHIIBBHHH", self.port[side], self.port[1 - side], self.next[side],
                           self.next[1 - side] if flags & 0x10 else 0, offset << 4, flags, window, 0, 0)
        self.capture.add(ns, self.address[side], self.address[1 - side], 6,
                         body + options + bytes(payload))
        self.next[side] += payload + (1 if flags & 3 else 0)

    def open(self, ns):
        mss = struct.pack(">BBH", 2, 4, MSS)
        self.segment(ns, 0, 0x02, 0, mss)
        self.segment(ns + self.rtt, 1, 0x12, 0, mss)
        self.segment(ns + self.rtt + 20000, 0, 0x10)
        return ns + self.rtt + 100000

    def close(self, ns):
        self.segment(ns, 0, 0x11)
        self.segment(ns + self.rtt, 1, 0x11)
        self.segment(ns + self.rtt + 20000, 0, 0x10)


def window(capture, host=1, start=0, size=300000):
    connection = Connection(capture, host, 20 * MS, [65535, 6 * MSS])
    now = connection.open(start)
    left = size
    while left:
        flight = []
        while left and len(flight) < 6:
            flight.append(min(MSS, left))
            left -= flight[-1]
        base = connection.next[0]
        for i, payload in enumerate(flight):
            connection.segment(now + i * 20000, 0, 0x10, payload)
        sent = connection.next[0]
        for i in range(0, len(flight), 2):  # an ACK for every second segment
            connection.next[0] = base + sum(flight[:i + 2])
            connection.segment(now + connection.rtt + i * 20000, 1, 0x10)
        connection.next[0] = sent
        now += connection.rtt + len(flight) * 20000
    connection.close(now)


def think(capture, host=1, start=0, turns=10):
    connection = Connection(capture, host, 1 * MS, [65535, 65535])
    now = connection.open(start)
    for _ in range(turns):
        connection.segment(now, 0, 0x18, 200)
        now += connection.rtt + 50 * MS
        connection.segment(now, 1, 0x18, 1000)
        now += 100000
    connection.segment(now, 0, 0x10)
    connection.close(now + 10000)


def many(capture):
    for i in range(30):
        if i % 2:
            think(capture, 10 + i, i * 30 * MS, 1 + i)
        else:
            window(capture, 10 + i, i * 30 * MS, 30000 + 5000 * i)


def udp(capture):
    for i in range(5):
        capture.add(i * MS, (192, 0, 2, 1), (192, 0, 2, 2), 17,
                    struct.pack(">HHHH", 5000, 53, 8, 0))


def main():
    kinds = {"window": window, "think": think, "many": many, "udp": udp, "empty": lambda _: None}
    if len(sys.argv) != 2 or sys.argv[1] not in kinds:
        sys.exit(__doc__)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as other commands in a pipe end
    capture = Capture()
    kinds[sys.argv[1]](capture)
    capture.write(sys.stdout.buffer)


if __name__ == "__main__":
    main()
