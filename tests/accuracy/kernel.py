# SPDX-License-Identifier: BSD-2-Clause
"""The second truth of a run: where the time went by what the two kernels and programs said of themselves.

Each millisecond of the run gets one class, by TCP_INFO of both hosts, their queues, and whether the
program was in send(). No capture is looked at, and no rule of the ledger in C is shared: there a
window is inferred, here it is read. A class is one cause, or a few that only the packets can part.
"""

import bisect
import json
import re

from plan import rates_of

CLASSES = {
    "nagle": ("nagle", "nagle-delayed-ack"),
    "timer": ("retransmission-timeout", "tail-loss", "mtu-black-hole", "path-outage"),
    "repair": ("fast-recovery",),
    "cwnd": ("congestion-window", "reordering"),
}
CLASS_OF = {cause: name for name, causes in CLASSES.items() for cause in causes}

CA_CWR, CA_RECOVERY, CA_LOSS = 2, 3, 4  # include/net/tcp.h, enum tcp_ca_state
STEP = 0.001


def class_of(cause):
    return CLASS_OF.get(cause, cause)


def rates(path):
    """Bottleneck of each side's data in bit/s, by the words of a path; None: none. (A policer is no link: nothing queues.)"""
    return dict(zip(("client", "server"), rates_of(path)))


def size_of(traffic, word):
    """Bytes of a message, by the words of a traffic."""
    found = re.search(r"(?:^|[ ,])%s=(\d+)([kmg]?)" % word, traffic)
    return int(found[1]) * {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}[found[2]] if found else 100


class Host:
    """One host's samples; times in seconds since the client called connect()."""

    def __init__(self, path, begin=None):
        with open(path, encoding="utf-8") as file:
            self.facts = json.load(file)
        self.begin = self.facts["start_ns"] if begin is None else begin
        shift = (self.facts["start_ns"] - self.begin) / 1e9
        samples = self.facts["samples"]
        self.t = [shift + t for t in samples["t_s"]]
        self.column = samples
        self.end = (self.facts["end_ns"] - self.begin) / 1e9
        self.mss = self.facts["tcp"]["snd_mss"] or 1448
        self.min_rtt = self.facts["tcp"]["min_rtt_s"] or 0.0001
        n = len(self.t)
        # The SYN counts in bytes_acked, the FIN in what is outstanding (net/ipv4/tcp.c).
        acked = [max(0, a - 1) for a in samples["bytes_acked"]]
        self.written = [min(acked[i] + samples["unacked_bytes"][i], self.facts["sent_bytes"]) for i in range(n)]
        self.passed = [self.written[i] - samples["notsent_bytes"][i] for i in range(n)]
        self.acked = acked
        self.flight = [samples["unacked_bytes"][i] - samples["notsent_bytes"][i] for i in range(n)]
        self.out = [samples["unacked"][i] - samples["sacked"][i] - samples["lost"][i] + samples["retrans"][i]
                    for i in range(n)]
        self.timer = self.find_timers()

    def at(self, t):
        """Index of the sample in force at t; -1: none yet."""
        return bisect.bisect_right(self.t, t) - 1

    def around(self, t, half):
        a = bisect.bisect_left(self.t, t - half)
        b = bisect.bisect_right(self.t, t + half)
        return range(a, b) if b > a else range(max(0, a - 1), max(0, a - 1) + 1)

    def find_timers(self):
        """Samples of a silence that only a timer ended: data outstanding, nothing sent or acknowledged, then a resend."""
        c, n = self.column, len(self.t)
        marks, i = [False] * n, 0
        while i < n:
            j = i + 1
            while j < n and c["bytes_sent"][j] == c["bytes_sent"][i] and c["bytes_acked"][j] == c["bytes_acked"][i]:
                j += 1
            ended_by_resend = j < n and c["total_retrans"][j] > c["total_retrans"][j - 1]
            if (ended_by_resend and self.flight[i] > 0 and c["snd_wnd"][i] and
                    self.t[j] - self.t[i] > 1.2 * c["rtt_s"][i] + 2 * STEP):
                for k in range(i, j):
                    marks[k] = True
            i = j
        return marks


class Ledger:
    """seconds[(class, side)], their sum, and the share of each."""

    def __init__(self, folder, path):
        client = Host(folder + "/client.json")
        server = Host(folder + "/server.json", client.begin)
        self.host = {"client": client, "server": server}
        self.rate = rates(path)
        self.message = {side: size_of(client.facts.get("traffic", ""), word)
                        for side, word in (("client", "request"), ("server", "reply"))}
        self.seconds = {}
        self.main = max(self.host, key=lambda side: self.host[side].facts["sent_bytes"])
        self.next_write = {side: self.find_writes(host) for side, host in self.host.items()}
        self.run(max(client.end, server.end))
        self.duration = sum(self.seconds.values())

    @staticmethod
    def find_writes(host):
        """Instants at which something new was written. (A FIN is no byte, but is counted as one.)"""
        found, high = [], 1
        for t, written in zip(host.t, host.written):
            if written > high:
                found.append(t)
                high = written + 1
        return found

    def share(self, cause, side):
        """side None: of both."""
        got = sum(s for (name, whose), s in self.seconds.items()
                  if name == class_of(cause) and side in (None, whose))
        return got / self.duration if self.duration else 0

    def top(self):
        return max(self.seconds, key=self.seconds.get)

    def charge(self, name, side, seconds):
        self.seconds[name, side] = self.seconds.get((name, side), 0) + seconds

    def run(self, end):
        client = self.host["client"]
        opened = client.facts["connect_s"]
        trip = min(opened, client.min_rtt)
        if opened - trip > 0.5:
            self.charge("syn-retry", "client", opened - trip)
            self.charge("handshake", "client", trip)
        else:
            self.charge("handshake", "client", opened)
        t, last, moments = opened, ("unknown", "client"), []
        while t < end:
            last = self.judge(t) or last
            moments.append((last, min(STEP, end - t)))
            t += STEP
        for (name, side), step in self.look_behind_pacing(moments):
            self.charge(name, side, step)

    def look_behind_pacing(self, moments):
        """
        BBR paces whatever bounds it: at the rate that the bound allowed. Its pacing, and the probing for more
        after the start, take the class of what was before.
        """
        behind = lately = None
        lasted = 0
        for (name, side), step in moments:
            facts, lasted = self.host[side].facts, lasted + step if lately == (name, side) else step
            lately = (name, side)
            if facts["tcp"]["cc"] == "bbr" and "pacing=" not in facts["traffic"]:
                if name in ("pacing", "slow-start"):
                    name = behind[0] if behind and behind[1] == side else name
                elif name not in ("cwnd", "repair", "timer", "round-trip") and lasted > 2 * self.host[side].min_rtt:
                    behind = lately
            yield (name, side), step

    def speaker_next(self, t):
        """Who writes next; None: nobody. Of two within a sample, the one that owes a message."""
        after = {}
        for side, writes in self.next_write.items():
            i = bisect.bisect_right(writes, t)
            if i < len(writes):
                after[side] = writes[i]
        if len(after) == 2 and abs(after["client"] - after["server"]) < 2 * STEP:
            return self.speaker_owing(t)
        return min(after, key=after.get) if after else None

    def speaker_owing(self, t):
        """A request is answered before the next one goes."""
        said = {}
        for side, host in self.host.items():
            i = host.at(t)
            # What acknowledges the SYN is not in bytes_acked of a server.
            said[side] = (host.written[i] + 1) // self.message[side] if i >= 0 else 0
        return "server" if said["client"] > said["server"] else "client"

    def busy(self, side, t):
        """The side has something that has not arrived, or that it holds back."""
        host, peer = self.host[side], self.host["server" if side == "client" else "client"]
        i, k = host.at(t), peer.at(t)
        if i < 0:
            return False
        got = min(peer.column["bytes_received"][k], host.facts["sent_bytes"]) if k >= 0 else 0
        return host.column["notsent_bytes"][i] > 0 or host.passed[i] > got

    def is_writing(self, side, t):
        """Its program is in send(): it has more, the kernel takes no more."""
        host = self.host[side]
        some = host.around(t, 2 * STEP)
        return sum(host.column["is_writing"][k] for k in some) > 0.5 * len(some)

    def judge(self, t):
        busy = [side for side in self.host if self.busy(side, t)]
        if not busy:
            side = self.speaker_next(t)
            if side and self.is_writing(side, t):
                return "send-buffer", side
            return side and ("sender-app", side)
        side = busy[0] if len(busy) == 1 else self.main
        name = self.judge_side(side, t)
        return name and (name, side)

    def is_saturated(self, host, side, some):
        """The link delivers what it can, or more is under way than it holds: the rest stands before it."""
        a, b, rate = some[0], some[-1], self.rate[side]
        if not rate or host.t[b] <= host.t[a]:
            return False
        wire = host.mss / (host.mss + 66)  # Ethernet, IPv4, TCP with timestamps
        if (host.acked[b] - host.acked[a]) * 8 / (host.t[b] - host.t[a]) >= 0.85 * rate * wire:
            return True
        holds = rate * wire * host.min_rtt / 8
        flights = sorted(host.flight[i] for i in some)
        return flights[len(flights) // 2] > 1.1 * holds + 4 * host.mss

    def judge_side(self, side, t):
        host, peer = self.host[side], self.host["server" if side == "client" else "client"]
        c, i = host.column, host.at(t)
        span = max(c["rtt_s"][i], host.min_rtt)
        some = list(host.around(t, max(span / 2, 2 * STEP)))
        if host.timer[i]:
            return "timer"
        full = self.is_saturated(host, side, some)
        window = max(c["snd_wnd"][k] for k in some)
        near = host.mss * (1 if window <= 8 * host.mss else 2)
        has_more = sum(c["notsent_bytes"][k] > 0 for k in some)
        if has_more and (not c["snd_wnd"][i] or max(host.flight[k] for k in some) > window - near):
            theirs = list(peer.around(t, max(span / 2, 2 * STEP)))
            unread = sorted(peer.column["unread_bytes"][k] for k in theirs)[len(theirs) // 2]
            if unread > window / 4 or not c["snd_wnd"][i]:
                return "receiver-app"
            return "link-rate" if full else "receive-window"
        if c["ca_state"][i] in (CA_RECOVERY, CA_LOSS):
            return "link-rate" if full else "repair"
        writing = sum(c["is_writing"][k] for k in some) > 0.5 * len(some)
        if writing and any(host.passed[k] and not c["notsent_bytes"][k] for k in some):
            return "send-buffer"
        follower = self.speaker_next(t)
        held = 0 < c["notsent_bytes"][i] < host.mss and host.out[i] < c["cwnd"][i] and not writing
        if held and follower != side:
            return "nagle"
        rest = max(c["notsent_bytes"][k] for k in some) < host.mss
        if not writing and (has_more <= 0.4 * len(some) or rest):
            return follower and ("round-trip" if follower != side else "sender-app")
        if full:
            return "link-rate"
        if c["ca_state"][i] == CA_CWR:
            return "cwnd"
        name = self.judge_window(host, i, some)
        # Held back by no window while its program is elsewhere: there will be no more before it writes.
        return "sender-app" if name == "pacing" and not writing and follower == side else name

    @staticmethod
    def judge_window(host, i, some):
        c = host.column
        is_bbr, is_clean = host.facts["tcp"]["cc"] == "bbr", c["total_retrans"][i] == c["total_retrans"][0]
        before = host.at(host.t[i] - 1.5 * max(c["rtt_s"][i], host.min_rtt))
        # BBR has no ssthresh to speak of: it starts as long as its pacing rate grows.
        grows = before < 0 or c["pacing_rate_bps"][i] >= 1.2 * c["pacing_rate_bps"][before]
        starts = is_clean and (grows if is_bbr else c["cwnd"][i] < c["ssthresh"][i])
        if any(host.out[k] >= 0.9 * c["cwnd"][k] - 1 for k in some):
            return "slow-start" if starts else "cwnd"
        return "slow-start" if is_bbr and starts else "pacing"
