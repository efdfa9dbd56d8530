#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`tcpwhy lab --gso`: super-packets where a host sends, segments with right checksums wherever else, and
programs that notice nothing. By each kind of user.
"""

import hashlib
import os
import re
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import CLIENT, CLIENT6, SERVER, SERVER6, Tap, covered, read_capture, read_frames

tap = Tap()
WIRE = 14 + 1500
TCP, UDP, ICMP, FRAGMENT = 6, 17, 1, 44
FIN, PSH, CWR = 1, 8, 128


def add(data):
    """The sum of RFC 1071, not complemented."""
    data += bytes(len(data) % 2)
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def sums(frame):
    """(protocol, whether all checksums of a whole frame are right)"""
    ip = frame[14:]
    if ip[0] >> 4 == 4:
        head, protocol, addresses = (ip[0] & 15) * 4, ip[9], ip[12:20]
        total, _, fragment = struct.unpack("!HHH", ip[2:8])
        ip = ip[:total]
        if add(ip[:head]) != 0xFFFF:
            return protocol, False
        if fragment & 0x3FFF:
            return FRAGMENT, True  # the sum is over all of them
    else:
        head, protocol, addresses = 40, ip[6], ip[8:40]
        if protocol == FRAGMENT:
            return FRAGMENT, True
    upper = ip[head:]
    pseudo = b"" if protocol == ICMP else addresses + struct.pack("!II", len(upper), protocol)
    if protocol == UDP and upper[6:8] == b"\0\0":
        return protocol, False
    return protocol, add(pseudo + upper) == 0xFFFF


def check_frames(who, folder, sender, protocols):
    """What the three places saw, of whole frames: super-packets at the sender alone, and right sums."""
    frames = {place: read_frames(os.path.join(folder, place + ".pcap")) for place in ("client", "path", "server")}
    receiver = "server" if sender == "client" else "client"
    for place in "path", receiver:
        tap.case("%s: none is larger than the wire's, by the capture '%s'" % (who, place),
                 frames[place] and all(len(f) <= WIRE for _, f in frames[place]),
                 max(len(f) for _, f in frames[place]))
    seen = [sums(frame) for _, frame in frames["path"]]
    wrong = [protocol for protocol, right in seen if not right]
    tap.case("%s: every checksum on the path is right" % who, seen and not wrong, wrong)
    tap.case("%s: the protocols are there" % who, {p for p, _ in seen} >= set(protocols), {p for p, _ in seen})
    return frames


def check_segments(who, folder, sender, source):
    """Each super-packet against the segments that it became: how many there were."""
    seen = read_capture(os.path.join(folder, sender + ".pcap"))
    mss = 1500 - (20 if len(source) == 4 else 40) - 20 - 12  # with timestamps
    whole = [p for p in seen if p.source == source and p.payload > mss]
    made = {}
    for p in read_capture(os.path.join(folder, "path.pcap")):
        if p.source == source and p.payload:
            made.setdefault((p.sequence, p.id), p)
    wrong, largest = [], 0
    for p in whole:
        at = number = 0
        while at < p.payload:
            identification = (p.id + number) % 65536 if len(source) == 4 else 0
            part = made.get(((p.sequence + at) % 2**32, identification))
            if not part or at + part.payload > p.payload:
                wrong.append("%d+%d is missing or too long" % (p.sequence, at))
                break
            is_first, is_last = at == 0, at + part.payload == p.payload
            expected = p.flags & ~(0 if is_last else FIN | PSH) & ~(0 if is_first else CWR)
            if part.flags != expected or part.options != p.options or part.ack != p.ack:
                wrong.append("%d+%d: flags %x, not %x; options %r of %r" % (
                    p.sequence, at, part.flags, expected, part.options, p.options))
            at += part.payload
            number += 1
        largest = max(largest, p.payload)
    tap.case("%s: super-packets become segments in order, with their flags and options" % who,
             whole and not wrong, "\n".join(wrong[:10]))
    tap.case("%s: there are some of more than two segments" % who, largest > 2 * mss, largest)
    return whole


def counters(text, name):
    """A protocol of /proc/net/snmp."""
    rows = re.findall(r"^%s: (.*)$" % name, text, re.M)
    return dict(zip(rows[0].split(), map(int, rows[1].split()))) if len(rows) == 2 else {}


DOWNLOAD = """
import hashlib, http.client, sys
connection = http.client.HTTPConnection(sys.argv[1], 8000)
connection.request("GET", "/content")
print(hashlib.sha256(connection.getresponse().read()).hexdigest())
"""
# A datagram as it is, one of several fragments, and one that the kernel is asked to cut (UDP_SEGMENT).
DATAGRAMS = """
import socket, sys
udp = socket.socket(socket.AF_INET6 if sys.argv[1].endswith("6") else socket.AF_INET, socket.SOCK_DGRAM)
udp.connect((sys.argv[1], 9000))
for n in 0, 1, 1000, 5000:
    udp.send(b"d" * n)
udp.setsockopt(17, 103, 500)
udp.send(b"s" * 1700)
udp.send(b"")
"""
LISTEN = """
import socket, sys
udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
udp.bind(("::", 9000))
sizes = []
while sizes.count(0) < 2:
    sizes.append(len(udp.recv(65536)))
print(sizes, flush=True)
"""

CONTENT = os.urandom(3000000)
with open(os.path.join(tap.folder, "content"), "wb") as file:
    file.write(CONTENT)
for name, text in ("download.py", DOWNLOAD), ("datagrams.py", DATAGRAMS), ("listen.py", LISTEN):
    with open(os.path.join(tap.folder, name), "w", encoding="utf-8") as file:
        file.write(text)
DIGEST = hashlib.sha256(CONTENT).hexdigest()

for who, user in tap.users():
    for family, host, client, server in (("IPv4", "server", CLIENT, SERVER), ("IPv6", "server6", CLIENT6, SERVER6)):
        name = "%s, %s" % (who, family)
        folder = tap.make_folder("down " + name, user)
        run = tap.lab("--gso", "--snap", "0", "--path", "rate=200mbit delay=4ms", "--keep", folder, "--server",
                      "exec python3 -m http.server 8000 --bind :: >/dev/null 2>&1", "--", "sh", "-c",
                      "python3 download.py %s && cat /proc/net/snmp" % host, user=user)
        tap.case(name + ": a download is what was offered", run.returncode == 0 and DIGEST in run.stdout,
                 run.stdout + run.stderr)
        tap.case(name + ": the receiver found no wrong checksum",
                 counters(run.stdout, "Tcp").get("InCsumErrors") == 0 and
                 counters(run.stdout, "Tcp").get("InErrs") == 0, run.stdout)
        check_frames(name, folder, "server", [TCP])
        whole = check_segments(name, folder, "server", server)
        said = re.search(r"^server > .*\n +segmented ([\d,]+) super-packets into ([\d,]+) packets$", run.stdout, re.M)
        tap.case(name + ": and the figures have them all", said and int(said[1].replace(",", "")) == len(whole),
                 "%d\n%s" % (len(whole), run.stdout))
        for place in "client", "path", "server":
            report = tap.explain(os.path.join(folder, place + ".pcap"))
            tap.case("%s: the capture '%s' missed nothing" % (name, place), all(
                d["capture_missed_bytes"] == 0 for d in report["connections"][0]["directions"].values()) and
                not report["inputs"][0]["warnings"], report["inputs"])

        folder = tap.make_folder("datagrams " + name, user)
        run = tap.lab("--gso", "--snap", "0", "--keep", folder, "--server", "exec python3 listen.py", "--", "sh", "-c",
                      "%s ping server 1000 && exec python3 datagrams.py %s" % (tap.peer, host), user=user)
        tap.case(name + ": ICMP is answered", "answered" in run.stdout, run.stdout + run.stderr)
        tap.case(name + ": datagrams arrive as they were cut",
                 "[0, 1, 1000, 5000, 500, 500, 500, 200, 0]" in run.stdout, run.stdout + run.stderr)
        check_frames(name + ", datagrams", folder, "client", [UDP, ICMP])

    # A fault by name, and its cure: both have it.
    name = who + ", short-transfer"
    folder = tap.make_folder(name, user)
    run = tap.lab("--gso", "short-transfer", "--keep", folder, user=user)
    tap.case(name + ": is found and cured", run.returncode == 0 or "was late" in run.stderr, run.stdout + run.stderr)
    for part in "", "cured":
        part = os.path.join(folder, part)
        largest = {place: max(p.payload for p in read_capture(os.path.join(part, place + ".pcap")))
                   for place in ("client", "path", "server")}
        tap.case("%s: super-packets in %s, at the sender alone" % (name, os.path.relpath(part, tap.folder)),
                 largest["client"] > 1448 == largest["path"] == largest["server"], largest)

    # A queue that marks: a super-packet that tells of it (CWR) does so once.
    name = who + ", ECN"
    folder = tap.make_folder(name, user)
    run = tap.lab("--gso", "--snap", "0", "--path", "rate=50mbit delay=4ms there.ecn=20k", "--keep", folder,
                  "--server", tap.peer + " receive 5001", "--", "sh", "-c",
                  "echo 1 >/proc/sys/net/ipv4/tcp_ecn && exec %s send server 5001 2000000" % tap.peer, user=user)
    tap.case(name + ": a transfer over a queue that marks", run.returncode == 0 and "CE marks" in run.stdout,
             run.stdout + run.stderr)
    check_frames(name, folder, "client", [TCP])
    whole = check_segments(name, folder, "client", CLIENT)
    tap.case(name + ": some super-packet has CWR", [p for p in whole if p.flags & CWR])

    # Each segment that is too large for a hop is answered, and those that follow are smaller.
    name = who + ", MTU"
    folder = tap.make_folder(name, user)
    run = tap.lab("--gso", "--snap", "0", "--path", "delay=2ms rate=100mbit there.mtu=1400 there.icmp", "--keep",
                  folder, "--server", tap.peer + " receive 5001", "--", tap.peer, "send", "server", "5001", "2000000",
                  user=user)
    replies = int((re.search(r"ICMP replies ([\d,]+)", run.stdout) or [0, "0"])[1].replace(",", ""))
    tap.case(name + ": a hop that takes 1,400 bytes tells so of each segment", run.returncode == 0 and replies >= 5,
             run.stdout + run.stderr)
    arrived = read_capture(os.path.join(folder, "server.pcap"))
    tap.case(name + ": and all data arrive in segments that fit", covered(arrived, CLIENT) == (2000000, True) and
             max(p.payload for p in arrived) == 1400 - 52, max(p.payload for p in arrived))
tap.finish()
