#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A transfer through the lab: its time, its captures at three places, its bill; by each kind of user."""

import os
import re
import subprocess
import sys
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import CLIENT, SERVER, Tap, covered, read_capture

tap = Tap()


def transfer(who, user, path, n):
    folder = tap.make_folder("keep %s %d" % (who, tap.cases), user)
    run = tap.lab("--path", path, "--keep", folder, "--server", tap.peer + " receive 5001", "--",
                  tap.peer, "send", "server", "5001", str(n), user=user)
    return run, folder


def dropped(run):
    """Packets that the path says it dropped: those of the client, those of the server."""
    parts = re.split(r"^(?:client|server) > ", run.stdout, flags=re.M)[1:]
    return [int((re.search(r"^ +dropped ([\d,]+)", part, re.M) or [0, "0"])[1].replace(",", ""))
            for part in parts[:2]]


def check_captures(who, run, folder, n):
    seen = {}
    for place in "client", "path", "server":
        seen[place] = read_capture(os.path.join(folder, place + ".pcap"))
        times = [p.time for p in seen[place]]
        tap.case("%s: the capture '%s' is in the order of time" % (who, place),
                 times and times == sorted(times))
    for place in "client", "server":
        tap.case("%s: every byte is in the capture of the %s" % (who, place),
                 covered(seen[place], CLIENT) == (n, True), covered(seen[place], CLIENT))
    keys = {place: Counter(p.key for p in packets) for place, packets in seen.items()}
    # What is sent is seen at the sender; what arrived, at the receiver and between.
    missing = []
    for source, near, far in (CLIENT, "client", "server"), (SERVER, "server", "client"):
        sent, came, between = (Counter({k: v for k, v in keys[place].items() if k[0] == source})
                               for place in (near, far, "path"))
        missing.append(sum((sent - came).values()))
        tap.case("%s: nothing arrives at the %s that was not sent" % (who, far), not came - sent,
                 came - sent)
        tap.case("%s: what the %s got is what passed the path" % (who, far), came == between)
    tap.case("%s: what is missing at the far side is what was dropped" % who,
             missing == dropped(run), "%s %s\n%s" % (missing, dropped(run), run.stdout))
    return seen


def check_bill(who, run, folder):
    tops = {}
    for place in "client", "path", "server":
        report = tap.explain(os.path.join(folder, place + ".pcap"))
        connection = report["connections"][0]
        tap.case("%s: the capture '%s' missed nothing" % (who, place), all(
            d["capture_missed_bytes"] == 0 for d in connection["directions"].values()) and
            not report["inputs"][0]["warnings"], report["inputs"])
        tops[place] = connection["bill"][0]["cause"]
    said = subprocess.run([tap.program, os.path.join(folder, "client.pcap")], capture_output=True,
                          text=True).stdout
    tap.case("%s: the bill is the one of 'tcpwhy explain'" % who, said and run.stdout.endswith(said),
             run.stdout)
    return tops


for who, user in tap.users():
    n = 5000000
    run, folder = transfer(who, user, "rate=50mbit delay=10ms", n)
    tap.case("%s: a transfer ends well" % who, run.returncode == 0, run.stdout + run.stderr)
    took = float((re.search(r"^took ([\d.]+)", run.stdout) or [0, "0"])[1])
    # Faster than the path is a fault of the path; slower may be the machine's.
    tap.case("%s: in no less time than the path needs" % who, took >= n * 8 / 50e6 + 0.02, took)
    tap.case("%s: and not in many times that" % who, took < 10, took)
    tap.note("%s: %s took %.3f s of %.3f s; %s" % (
        who, n, took, n * 8 / 50e6 + 0.02, re.search("Emulation.*", run.stdout)[0]))
    check_captures(who, run, folder, n)
    tops = check_bill(who, run, folder)
    tap.case("%s: the slowest link is found" % who, tops["client"] == tops["server"] == "link-rate", tops)

    n = 2000000
    run, folder = transfer(who, user, "rate=20mbit there.delay=8ms back.delay=2ms queue=30k there.loss=1%", n)
    tap.case("%s: a transfer with loss ends well" % who, run.returncode == 0, run.stderr)
    tap.case("%s: with loss, there is some" % who, dropped(run)[0] > 0, run.stdout)
    check_captures("%s, with loss" % who, run, folder, n)
    check_bill("%s, with loss" % who, run, folder)

# What a program leaves to its kernel when it ends still has to cross: here for half a second.
folder = tap.make_folder("leave", None)
run = tap.lab("--path", "rate=2mbit delay=20ms", "--keep", folder, "--server", tap.peer + " receive 5001",
              "--", tap.peer, "leave", "server", "5001", "120000")
n = int((re.search(r"^left (\d+)", run.stdout) or [0, "0"])[1])
for place in "client", "path", "server":
    seen = read_capture(os.path.join(folder, place + ".pcap"))
    tap.case("the capture '%s' goes on until all that was sent has crossed" % place,
             n >= 40000 and covered(seen, CLIENT) == (n, True) and
             {p.source for p in seen if p.flags & 1} == {CLIENT, SERVER},
             "%s of %s\n%s%s" % (covered(seen, CLIENT), n, run.stdout, run.stderr))
tap.finish()
