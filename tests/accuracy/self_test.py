#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The judges judged: the plan covers what it says, the kernels' ledger says what the samples say. Prints TAP."""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernel  # noqa: E402
import plan  # noqa: E402
import score  # noqa: E402

PROGRAM = os.environ.get("TCPWHY", "build/tcpwhy")
cases = failed = 0


def case(name, is_true, detail=""):
    global cases, failed
    cases += 1
    failed += not is_true
    print("%s %d - %s" % ("ok" if is_true else "not ok", cases, name))
    if not is_true:
        print("#   %s" % (detail,))


def near(value, want, by=0.02):
    return abs(value - want) <= by


def samples(n, **columns):
    """n samples, one a millisecond; columns are numbers or functions of the sample's number."""
    names = ("cwnd ssthresh unacked sacked lost retrans total_retrans ca_state rtt_s snd_wnd notsent_bytes "
             "unacked_bytes unread_bytes is_writing bytes_sent bytes_acked bytes_received pacing_rate_bps").split()
    usual = {"cwnd": 100, "ssthresh": 2**31 - 1, "rtt_s": 0.02, "snd_wnd": 10**6}
    made = {name: columns.get(name, usual.get(name, 0)) for name in names}
    table = {name: [what(i) if callable(what) else what for i in range(n)] for name, what in made.items()}
    table["t_s"] = [i / 1000 for i in range(n)]
    return table


def ledger(client, server, sent, path="rate=100mbit delay=10ms", cc="cubic"):
    """Of two hosts' samples; a handshake of 20 ms goes first."""
    with tempfile.TemporaryDirectory() as folder:
        for name, table, bytes_ in (("client", client, sent), ("server", server, 0)):
            facts = {"start_ns": 10**18, "end_ns": 10**18 + (len(table["t_s"]) - 1) * 10**6, "connect_s": 0.02,
                     "sent_bytes": bytes_, "traffic": "", "tcp": {"snd_mss": 1448, "min_rtt_s": 0.02, "cc": cc}, "samples": table}
            with open("%s/%s.json" % (folder, name), "w", encoding="utf-8") as file:
                json.dump(facts, file)
        return kernel.Ledger(folder, path)


def test_plan(faults):
    for seed in (1, 2):
        runs = plan.choose(faults, seed, False, True)
        every = plan.choose(faults, seed, True, True)
        pairs = set().union(*(run.cells() for run in every))
        case("every pair is covered, seed %d" % seed, pairs == set().union(*(run.cells() for run in runs)))
        case("by far fewer runs", len(runs) < len(every) / 5, (len(runs), len(every)))
        case("no run twice", len({run.label() for run in every}) == len(every))
    case("no GSO without it", not any(run.gso for run in plan.choose(faults, 1, True, False)))
    run = every[0]
    case("a seed's path is repeatable", run.arguments(5) == run.arguments(5))
    case("another seed, another path", run.arguments(5) != run.arguments(6))
    known = {fault["name"] for fault in faults}
    named = set(plan.FIT) | set(plan.ONLY_CC) | plan.PARTIAL | set(plan.UNSEEN) | plan.NEEDS_TIMESTAMPS
    case("what is said is said of faults that there are", named <= known, named - known)
    case("rates", plan.rates_of("rate=50mbit delay=1ms back.rate=300kbit") == [50e6, 300e3])
    case("the last word wins", plan.rates_of("there.rate=1mbit rate=2gbit") == [2e9, 2e9])
    case("a policer is no link", kernel.rates("rate=100mbit there.police=20mbit") == {"client": 100e6, "server": 100e6})


def test_kernel():
    n, mss = 1000, 1448
    # 20 kB fly in each round trip of 20 ms, and the window is no larger; more waits in the send buffer.
    sent = 10**6
    acked = lambda i: min(sent, i * 1000)  # noqa: E731
    windowed = dict(bytes_sent=lambda i: acked(i) + 20000, bytes_acked=acked, unacked=14, snd_wnd=20000, is_writing=1,
                    unacked_bytes=lambda i: min(80000, sent - acked(i)), notsent_bytes=lambda i: max(0, min(60000, sent - acked(i) - 20000)))
    reader = dict(bytes_received=lambda i: max(0, acked(i) - 500))
    got = ledger(samples(n, **windowed), samples(n, **reader), sent)
    case("a window that is full", near(got.share("receive-window", "client"), 0.96), got.seconds)
    case("and the handshake before it", near(got.share("handshake", "client"), 0.02, 0.005), got.seconds)
    got = ledger(samples(n, **windowed), samples(n, unread_bytes=15000, **reader), sent)
    case("the same, and nobody reads", near(got.share("receiver-app", "client"), 0.96), got.seconds)
    # The congestion window is full, the peer's is not.
    got = ledger(samples(n, **{**windowed, "snd_wnd": 10**6, "cwnd": 14, "ssthresh": 14}), samples(n, **reader), sent)
    case("a congestion window that is full", near(got.share("congestion-window", "client"), 0.96), got.seconds)
    got = ledger(samples(n, **{**windowed, "snd_wnd": 10**6, "cwnd": 14}), samples(n, **reader), sent)
    case("below ssthresh it is slow start", near(got.share("slow-start", "client"), 0.96), got.seconds)
    got = ledger(samples(n, **{**windowed, "snd_wnd": 10**6}), samples(n, **reader), sent, "rate=9mbit delay=10ms")
    case("a link that is full", near(got.share("link-rate", "client"), 0.96), got.seconds)
    got = ledger(samples(n, **{**windowed, "snd_wnd": lambda i: 20000 if i < 600 else 10**6, "pacing_rate_bps": 8e6}), samples(n, **reader), sent,
                 cc="bbr")
    case("BBR's pacing is the window's, that set its rate", near(got.share("receive-window", "client"), 0.96), got.seconds)
    # A program that writes 10 kB every 100 ms, and is elsewhere in between.
    wrote = lambda i: (i // 100 + 1) * 10000  # noqa: E731
    there = lambda i: wrote(i) if i % 100 >= 10 else wrote(i) - 10000  # noqa: E731
    back = lambda i: wrote(i) if i % 100 >= 20 else wrote(i) - 10000  # noqa: E731
    idle = dict(bytes_sent=wrote, bytes_acked=back, unacked_bytes=lambda i: wrote(i) - back(i))
    got = ledger(samples(n, **idle), samples(n, bytes_received=there), 10 * 10000)
    case("a program that pauses", got.share("sender-app", "client") > 0.9, got.seconds)
    # Silence of 300 ms with data outstanding, ended by a resend.
    lost = dict(bytes_sent=lambda i: 5000 if i < 400 else 6448, bytes_acked=lambda i: 3552 if i < 420 else 5000, unacked=1,
                unacked_bytes=lambda i: 1448 if i < 420 else 0, total_retrans=lambda i: i >= 400)
    got = ledger(samples(450, **lost), samples(450, bytes_received=lambda i: 3552 if i < 410 else 5000), 5000)
    case("a loss that a timer repaired", got.share("tail-loss", "client") > 0.8, got.seconds)
    case("segments of %d bytes" % mss, got.host["client"].mss == mss)


def test_score():
    place = {"can_tell": True, "right": True, "share": 0.9, "true_share": 0.8, "false_findings": [], "cwnd_errors": [0, 1],
             "what_if": {"kind": "wait", "expected_s": 1, "measured_s": 1.05, "low_s": 1, "high_s": 1, "at_least": False,
                         "error": 0.048, "gain_error": 0.02}}
    wrong = {**place, "right": False, "false_findings": ["reordering"],
             "what_if": {**place["what_if"], "kind": "rate", "measured_s": 3, "high_s": 2, "error": 0.5}}
    blind = {**wrong, "can_tell": False}
    got = score.summary([place, wrong, blind])
    case("half were right", got["top_cause_right"] == 0.5 and got["runs"] == 2, got)
    case("what a place cannot see is apart", got["unseen_runs"] == 1 and got["unseen_top_cause_right"] == 0, got)
    case("errors of shares", near(got["share_error"], 0.1, 1e-9), got)
    case("false findings a run", got["false_findings_per_run"] == 0.5, got)
    case("waits by their gain", got["what_if_waits_within_10pct"] == 1, got)
    case("rates by their limits", got["what_if_rates_in_interval"] == 0, got)
    case("nothing is no figure", score.summary([])["top_cause_right"] is None)


def main():
    faults = json.loads(subprocess.run([PROGRAM, "lab", "--json"], capture_output=True, text=True, check=True).stdout)["faults"]
    test_plan(faults)
    test_kernel()
    test_score()
    rows = subprocess.run([PROGRAM, "findings"], capture_output=True, text=True, check=True).stdout.splitlines()
    said = {row.split()[0] for row in rows if len(row.split()) > 1 and row.split()[1] == "fault"}
    case("every fault has its ground", said == set(score.GROUNDS), said ^ set(score.GROUNDS))
    print("1..%d" % cases)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
