# SPDX-License-Identifier: BSD-2-Clause
"""Which faults are run over which paths: every pair of factors at least once, or all of them.

A fault is a fault on its own path; on another one it may be none (a window of 64 kB does not bind on a
path that holds 12 kB). FIT says, by round trip, the words that keep it one, or that it cannot be
there. What a run then was is not taken from here: the kernels' samples and the cure prove it.
"""

import itertools
import random
import re

UNITS = {"bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9}

RTTS = (1, 20, 100)  # ms
FACTORS = {"rtt": RTTS, "timestamps": (0, 1), "gso": (0, 1), "cc": ("cubic", "reno", "bbr")}

# fault: {round trip: (words of the path, words of the traffic)}; None: not there. Else as it is.
FIT = {
    "nagle-delayed-ack": {100: ("", "count=20")},
    "page-server": {100: ("", "count=20")},
    "chatty": {1: None, 100: ("", "count=20")},  # the cure is a path of 1 ms
    "slow-server": {100: ("", "count=8 think=400ms")},
    "idle-client": {100: ("", "count=6 gap=500ms")},
    "receive-buffer": {1: ("rate=400mbit", "bytes=8m"), 100: ("", "bytes=1m")},
    "slow-download": {1: ("rate=400mbit", "bytes=10m"), 100: ("", "bytes=1500k")},
    "send-buffer": {1: ("rate=400mbit", "bytes=8m"), 100: ("", "bytes=1m")},
    "window-scale-stripped": {1: None, 100: ("", "bytes=4m")},
    "slow-reader": {100: ("", "bytes=1500k server.rcvbuf=256k server.read-pause=150ms")},
    "slow-processor": {100: ("", "bytes=1500k server.rcvbuf=256k server.work=40ms")},
    "sender-runs-dry": {100: ("queue=1m", "bytes=10m")},
    "slow-link": {100: ("queue=256k", "bytes=10m")},
    "short-transfer": {1: None, 20: ("rate=400mbit", "")},
    "random-loss": {1: ("rate=400mbit there.loss=2%", "bytes=6m"), 100: ("queue=1m", "bytes=1m")},
    "burst-loss": {1: ("rate=400mbit there.gemodel=1%:30%", "bytes=8m"), 100: ("queue=1m", "bytes=2m")},
    "policer": {1: None, 20: ("there.burst=30k", ""), 100: ("there.burst=60k", "bytes=5m")},
    "reader-stalls": {100: ("queue=2m", "server.rcvbuf=2m server.stall-for=2s")},
    "tail-loss": {100: ("", "count=12")},
    "outage": {100: ("queue=2m outage=400ms..2400ms", "")},
    "ecn-early": {1: ("rate=400mbit there.ecn=6k", "bytes=16m"), 20: ("there.ecn=30k", ""),
                  100: ("queue=2m there.ecn=100k", "")},
    "rmem-limit": {1: None, 100: ("", "bytes=1500k")},
    "download-send-buffer": {1: ("rate=400mbit", "bytes=8m"), 100: ("", "bytes=1m")},
    "slow-twin": {100: ("", "bytes=1500k server.rcvbuf=256k server.work=40ms")},
    "slow-cpu-sender": {100: ("", "bytes=2m client.work=150ms")},
    "download-runs-dry": {100: ("queue=1m", "bytes=10m")},
    "lossy-download": {1: ("rate=400mbit back.loss=2%", "bytes=6m"), 100: ("queue=1m", "bytes=1m")},
    "sack-stripped": {1: None, 20: ("there.gemodel=1%:20%", ""), 100: ("queue=1m there.gemodel=0.5%:20%", "bytes=1m")},
    "collapse": {20: None, 100: None},  # a longer path holds the message
    "reordering": {1: None, 20: ("there.reorder-by=5ms", ""), 100: ("there.reorder-by=40ms", "bytes=6m")},
    "random-stalls": {1: ("there.gemodel=1%:15%:50%", ""), 20: None, 100: None},  # there the losses are repaired, not timed out
    # A machine that stands still for less than two round trips hides among them.
    "frozen-server": {100: None}, "frozen-client": {100: None},
    "outage-requests": {1: ("", "count=400"), 100: ("", "count=8")},
    "probe-rtt": {1: None},  # four segments fill it
}

# Faults of one kind of congestion control only: the others do not take a loss, a mark or a small
# buffer for what these do.
LOSS_BASED = ("cubic", "reno")
ONLY_CC = {
    "random-loss": LOSS_BASED, "lossy-download": LOSS_BASED, "burst-loss": LOSS_BASED,
    "sack-stripped": LOSS_BASED, "reordering": ("reno",), "policer": LOSS_BASED, "ecn-early": LOSS_BASED,
    "send-buffer": ("bbr",), "download-send-buffer": ("bbr",), "probe-rtt": ("bbr",),
}

# Cures that take only a part of the cause away: what the bill expects of the whole cannot be measured.
PARTIAL = {"chatty", "short-transfer", "slow-link"}

# Places that a fault cannot be seen from: what is lost before them leaves no trace there.
UNSEEN = {
    "syn-lost": {"path", "server"},
    "black-hole": {"path", "server"},
    "tail-loss": {"path", "server"},
}
# Only the clocks in the packets (RFC 7323) tell a host that stands still from a path that does.
# And without SACK only they tell that a resend was not needed (RFC 3522).
NEEDS_TIMESTAMPS = {"frozen-server", "frozen-client", "reordering"}


class Run:
    """One fault, on one path. `words` are what `tcpwhy lab` gets."""

    def __init__(self, fault, rtt, timestamps, gso, cc):
        self.fault, self.rtt, self.timestamps, self.gso, self.cc = fault, rtt, timestamps, gso, cc

    def cells(self):
        """Pairs of factors that this run covers."""
        values = (("fault", self.fault["name"]), ("rtt", self.rtt), ("timestamps", self.timestamps),
                  ("gso", self.gso), ("cc", self.cc))
        return itertools.combinations(values, 2)

    def label(self):
        return "%s, %d ms, %s%s%s" % (self.fault["name"], self.rtt, self.cc,
                                      "" if self.timestamps else ", no timestamps",
                                      ", GSO" if self.gso else "")

    def can_tell(self, place):
        """Whether a capture there can show the fault."""
        return place not in UNSEEN.get(self.fault["name"], ()) and (
            self.timestamps or self.fault["name"] not in NEEDS_TIMESTAMPS)

    def arguments(self, seed):
        """Words of path and traffic. By the seed, the path is a little longer or shorter, faster or slower."""
        chance = random.Random("%d %s" % (seed, self.label()))
        path, traffic = FIT.get(self.fault["name"], {}).get(self.rtt) or ("", "")
        scale, delay = chance.uniform(0.8, 1.25), self.rtt / 2 * chance.uniform(0.85, 1.2)
        there, back = (rate / 1000 * scale for rate in rates_of(self.fault["path"] + " " + path))
        words = ["lab", self.fault["name"], "--seed=%d" % seed,
                 "--path=%s delay=%dus there.rate=%dkbit back.rate=%dkbit" % (path, delay * 1000, there, back),
                 "--traffic=%s cc=%s timestamps=%d" % (traffic, self.cc, self.timestamps)]
        return words + (["--gso"] if self.gso else [])


def rates_of(path):
    """The rates that a path's words give its two directions, in bit/s; the last word wins."""
    rates = [None, None]
    for where, number, unit in re.findall(r"(?:^|[ ,])(there\.|back\.|)rate=([\d.]+)([kmg]?bit)", path):
        for i, name in enumerate(("there.", "back.")):
            if where in ("", name):
                rates[i] = float(number) * UNITS[unit]
    return rates


def candidates(faults, with_gso):
    for fault in faults:
        name = fault["name"]
        for rtt, timestamps, gso, cc in itertools.product(*FACTORS.values()):
            if FIT.get(name, {}).get(rtt, ()) is None or cc not in ONLY_CC.get(name, FACTORS["cc"]):
                continue
            if gso and not with_gso:
                continue
            yield Run(fault, rtt, timestamps, gso, cc)


def choose(faults, seed, is_full, with_gso):
    """All runs, or as few as cover every pair of factors that can be (greedily)."""
    left = list(candidates(faults, with_gso))
    if is_full:
        return left
    random.Random(seed).shuffle(left)
    missing = set().union(*(run.cells() for run in left))
    chosen = []
    while missing:
        best = max(left, key=lambda run: len(missing.intersection(run.cells())))
        chosen.append(best)
        left.remove(best)
        missing.difference_update(best.cells())
    return sorted(chosen, key=lambda run: faults.index(run.fault))
