#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
`tcpwhy lab NAME --vary`: a row for each value, where the rate steps, what is refused. The sweep of
`collapse` finds the size above which messages overflow the queue, and a longer path moves it up.
"""

import os
import re

from lab import Tap

tap = Tap()
SIZES = ["24k", "28k", "34k", "40k", "46k"]


def rows(run):
    """The table: value -> (bit/s, cause, side, resent, drops)."""
    units = {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}
    found = {}
    for line in re.findall(r"^(\S+) +[\d.]+ m?s +([\d.]+) (\S+) +(\S+) +[\d.]+ % +(\w+) +([\d,]+) +([\d,]+)$",
                           run.stdout, re.M):
        value, rate, unit, cause, side, resent, drops = line
        found[value] = (float(rate) * units[unit], cause, side, int(resent.replace(",", "")),
                        int(drops.replace(",", "")))
    return found


def steps(run):
    """The sentences about neighbours: [(falls?, from, to)]."""
    text = " ".join(run.stdout.split())
    return [(how.startswith("falls"), a, b) for how, a, b in
            re.findall(r"The rate (falls by half or more|doubles or more) between (\S+) and (\S+),", text)]


def collapse(delay):
    """The run, and the first size after a fall; once more where the lab itself was late."""
    for _ in range(2):
        run = tap.lab("collapse", "--traffic", "count=10", "--path", "delay=" + delay, "--vary",
                      "request=" + ",".join(SIZES), timeout=120)
        fallen = [b for falls, _, b in steps(run) if falls]
        if fallen or "was late" not in run.stderr:
            break
    return run, (fallen + [None])[0]


def check_collapse(name, run, size):
    table = rows(run)
    tap.case("%s: a row for each size" % name, list(table) == SIZES, run.stdout + run.stderr)
    tap.case("%s: at a size the rate falls by half or more" % name, size in table, run.stdout + run.stderr)
    if size not in table:
        return
    before, after = table[SIZES[SIZES.index(size) - 1]], table[size]
    tap.case("%s: and the figures say so, too" % name, after[0] <= 0.55 * before[0], run.stdout)
    tap.case("%s: below it the queue drops nothing" % name,
             all(table[v][3:] == (0, 0) for v in SIZES[:SIZES.index(size)]), run.stdout)
    tap.case("%s: above it the queue drops, and the client waits for its timer" % name,
             after[4] > 0 and after[3] >= after[4] and
             after[1:3] in (("retransmission-timeout", "client"), ("tail-loss", "client")), run.stdout)


short, size = collapse("1ms")
check_collapse("a path of 1 ms", short, size)
long, longer = collapse("3ms")
check_collapse("a path of 3 ms", long, longer)
tap.case("a longer path holds a larger message", size and longer and
         SIZES.index(longer) > SIZES.index(size), short.stdout + long.stdout)
tap.case("status", (short.returncode, long.returncode) == (0, 0), short.stderr + long.stderr)

# A step up; a word of the path; a cure is not run.
run = tap.lab("chatty", "--traffic", "count=10", "--vary", "delay=2ms..32ms")
tap.case("a range doubles", list(rows(run)) == ["2ms", "4ms", "8ms", "16ms", "32ms"], run.stdout + run.stderr)
tap.case("without a cure", run.returncode == 0 and "cure" not in run.stdout, run.stdout + run.stderr)
run = tap.lab("receive-buffer", "--traffic", "bytes=500k", "--vary", "server.rcvbuf=8k,64k,none")
tap.case("a step up is said", steps(run)[:1] == [(False, "8k", "64k")], run.stdout + run.stderr)
tap.case("with what costs most on both sides of it",
         ": in both receive-window costs most" in " ".join(run.stdout.split()), run.stdout)
run = tap.lab("chatty", "--traffic", "count=10", "--vary", "reply=100,101")
tap.case("neighbours that are alike", "Between no two neighbours" in run.stdout and not steps(run), run.stdout)

for who, user in tap.users():
    folder = tap.make_folder("vary " + who, user)
    run = tap.lab("chatty", "--traffic", "count=3", "--vary", "rate=8mbit,10MB/s", "--keep", folder, user=user)
    tap.case(who + ": status", run.returncode == 0 and len(rows(run)) == 2, run.stdout + run.stderr)
    for name in "8mbit", "10MB-s":
        for place in "client", "path", "server":
            kept = os.path.join(folder, name, place + ".pcap")
            found = tap.explain(kept)["connections"] if os.path.exists(kept) else None
            tap.case("%s: kept: %s/%s" % (who, name, place), found and len(found) == 1, os.listdir(folder))

# A value whose traffic fails has its row, and the others are run all the same.
run = tap.lab("chatty", "--traffic", "count=3", "--vary", "client.cc=nosuch,reno")
tap.case("a value that fails", run.returncode == 1 and list(rows(run)) == ["reno"] and
         re.search("^nosuch +no transfer", run.stdout, re.M), run.stdout + run.stderr)

# Refused before anything runs: arguments, and what is said.
for arguments, said in (
        (["chatty", "--vary", "requset=1k"],
         r"no word 'requset'.*tcpwhy lab --help path.*tcpwhy lab traffic --help"),
        (["chatty", "--vary", "ecn=1,2"], r"there\.ecn or back\.ecn, client\.ecn or server\.ecn"),
        (["chatty", "--vary", "request=1k,x"], r"request=x is not understood"),
        (["chatty", "--vary", "reply=1..64", "--traffic", "reply-writes=4"], r"fewer bytes than reply-writes"),
        (["chatty", "--vary", "reply=1", "--vary", "delay=1ms"], r"--vary can be given once"),
        (["--vary", "reply=1", "--", "true"], r"--vary goes with the name of a fault"),
        (["chatty", "--vary", ""], r"WORD=VALUE")):
    run = tap.lab(*arguments)
    tap.case("refused: " + " ".join(arguments), run.returncode == 2 and not run.stdout and
             re.search(said, run.stderr) and run.stderr.count("\n") == 1, run.stdout + run.stderr)

# Traffic of any length goes through whole, and its last word wins.
run = tap.lab("chatty", "--traffic", "reply=100 " * 200 + "count=2", "--vary", "request=1k")
tap.case("a long --traffic is not cut", run.returncode == 0 and len(rows(run)) == 1 and
         rows(run)["1k"][0] > 0, run.stdout + run.stderr)
tap.finish()
