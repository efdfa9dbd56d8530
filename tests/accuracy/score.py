# SPDX-License-Identifier: BSD-2-Clause
"""What the bill said of a run, laid beside what the kernels and the cure say."""

import json
import subprocess

import kernel
from plan import PARTIAL

PLACES = ("client", "path", "server")
CURED_SHARE = 0.9  # of the duration: a cure that saves less proves nothing
SEEN_SHARE = 0.01  # of the duration: less than this is no ground for a finding

# Causes of which no kernel knows: the path made them, and the cure proves that they were felt.
UNSAMPLED = ("host-slow",)

# Findings of class fault, and what must be true for them: a class of the kernels' ledger, or a
# count of what the path did to the packets of that side.
GROUNDS = {
    "nagle-delayed-ack": ("share", "nagle"),
    "delayed-ack-timer": ("share", "nagle"),
    "receive-buffer-small": ("share", "receive-window"),
    "receiver-not-reading": ("share", "receiver-app"),
    "send-buffer-small": ("share", "send-buffer"),
    "sender-idle": ("share", "sender-app"),
    "peer-slow": ("share", "sender-app"),
    "round-trip-bound": ("share", "round-trip"),
    "tail-loss-rto": ("share", "timer"),
    "too-few-dupacks": ("share", "timer"),
    "random-loss": ("path", "dropped_loss"),
    "reordering": ("path", "reordered"),
    "path-outage": ("path", "dropped_outage"),
    "queue-overflow": ("path", "dropped_queue"),
    "policer": ("path", "dropped_policer"),
    "syn-loss": ("share", "syn-retry"),
    "host-slow": ("word", "freeze="),
}


def explain(program, capture):
    done = subprocess.run([program, "--json", "-v", capture], capture_output=True, text=True, check=True)
    connections = json.loads(done.stdout)["connections"]
    return max(connections, key=lambda c: sum(d["unique_bytes"] for d in c["directions"].values()))


def rows_of(connection, cause, side):
    return [row for row in connection["bill"] if row["cause"] == cause and side in (None, row["side"])]


class Truth:
    """What a run was, by its kernels and its cure. `doubt`: why it proves nothing; "" where it does."""

    def __init__(self, fault, folder):
        with open(folder + "/path.json", encoding="utf-8") as file:
            self.path = json.load(file)
        self.cause, self.side, self.least = fault["cause"], fault["side"], fault["share"]
        self.ledger = kernel.Ledger(folder, self.path["path"])
        self.duration = self.ledger.duration
        with open(folder + "/cured/client.json", encoding="utf-8") as file:
            self.cured = json.load(file)["seconds"]
        self.doubt = self.find_doubt()

    def find_doubt(self):
        shares = {}
        for (name, side), seconds in self.ledger.seconds.items():
            key = (name, side if self.side else None)
            shares[key] = shares.get(key, 0) + seconds / self.duration
        top, mine = max(shares, key=shares.get), (kernel.class_of(self.cause), self.side)
        is_there = shares.get(mine, 0) >= self.least if self.least else top == mine
        if not is_there and self.cause not in UNSAMPLED:
            return "the kernels say %s%s" % (top[0], " of the " + top[1] if top[1] else "")
        if not self.least and self.cured > CURED_SHARE * self.duration:
            return "the cure saves %.0f %%" % (100 - 100 * self.cured / self.duration)
        return ""

    def share(self):
        """Of the cause; None where no kernel knows it."""
        return None if self.cause in UNSAMPLED else self.ledger.share(self.cause, self.side)

    def is_grounded(self, finding):
        """Whether what a finding says was there."""
        kind, what = GROUNDS[finding["id"]]
        if kind == "word":
            return what in self.path["path"]
        if kind == "path":
            return self.path[finding["side"]][what] > 0
        return self.ledger.share(what, finding["side"]) >= SEEN_SHARE


def cwnd_errors(connection, truth):
    """Of each round that the congestion window bound, by the kernel: flight against cwnd, in MSS."""
    errors = []
    for round_ in connection["rounds"]:
        host = truth.ledger.host[round_["side"]]
        mss = connection["directions"][round_["side"]]["mss"]
        if round_["cause"] not in ("slow-start", "congestion-window", "link-rate") or round_["window_full"] or not mss:
            continue
        shift = connection["first"] - host.begin / 1e9
        some = [i for i in range(host.at(round_["from"] + shift), host.at(round_["to"] + shift) + 2)
                if 0 <= i < len(host.t)]
        bound = [i for i in some if host.column["notsent_bytes"][i] and host.out[i] >= host.column["cwnd"][i] - 1
                 and host.column["ca_state"][i] == 0]
        if not bound:
            continue
        cwnd = [host.column["cwnd"][i] for i in some]
        flight = round_["flight"] / mss
        errors.append(max(0, min(cwnd) - flight, flight - max(cwnd)))
    return errors


def what_if(connection, cured, fault):
    """Expected and measured duration without the cause; None where the cure leaves some of it."""
    rows = rows_of(connection, fault["cause"], fault["side"])
    if fault["name"] in PARTIAL or not rows:
        return None
    row = rows[0]
    expected, measured = row["without"], cured["duration_s"]
    return {
        "kind": "wait" if row["waits_s"] >= 0.9 * row["seconds"] else "rate",
        "expected_s": expected["duration_s"], "low_s": expected["low_s"], "high_s": expected["high_s"],
        "at_least": expected["at_least"], "measured_s": measured,
        "error": abs(expected["duration_s"] - measured) / measured,
        "gain_error": abs(expected["duration_s"] - measured) / max(1e-9, connection["duration_s"] - measured),
    }


def score_place(program, run, folder, place, truth):
    connection = explain(program, "%s/%s.pcap" % (folder, place))
    cured = explain(program, "%s/cured/%s.pcap" % (folder, place))
    fault = run.fault
    top = connection["bill"][0]
    share = sum(row["share"] for row in connection["bill"]
                if kernel.class_of(row["cause"]) == kernel.class_of(fault["cause"]) and
                fault["side"] in (None, row["side"]))
    if fault["share"]:
        right = share >= fault["share"]
    else:
        right = top["cause"] == fault["cause"] and fault["side"] in (None, top["side"])
    # A queue before the vantage hides what stands in it, unless timestamps tell which ACK let what go.
    shows_cwnd = run.cc != "bbr" and (run.timestamps or place == connection["main"])
    findings = [f for f in connection["findings"] if f["class"] == "fault"]
    return {
        "place": place,
        "can_tell": run.can_tell(place),
        "top": top["cause"], "top_side": top["side"], "top_share": top["share"],
        "right": right, "share": share, "true_share": truth.share(),
        "false_findings": [f["id"] for f in findings if not truth.is_grounded(f)],
        "cwnd_errors": cwnd_errors(connection, truth) if shows_cwnd else [],
        "what_if": what_if(connection, cured, fault),
    }


def score(program, run, folder):
    """A record of the run: its truth, and what each place said."""
    truth = Truth(run.fault, folder)
    return {
        "fault": run.fault["name"], "rtt_ms": run.rtt, "timestamps": bool(run.timestamps), "gso": bool(run.gso),
        "cc": run.cc, "doubt": truth.doubt, "duration_s": truth.duration,
        "places": [] if truth.doubt else [score_place(program, run, folder, place, truth) for place in PLACES],
    }


def quantile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


def mean(values):
    return sum(values) / len(values) if values else None


def summary(places):
    """The figures of the table over some records of places."""
    seen = [p for p in places if p["can_tell"]]
    errors = [e for p in seen for e in p["cwnd_errors"]]
    tries = [p["what_if"] for p in seen if p["what_if"]]
    waits = [w for w in tries if w["kind"] == "wait"]
    rates = [w for w in tries if w["kind"] == "rate"]
    return {
        "runs": len(seen),
        "top_cause_right": mean([p["right"] for p in seen]),
        "share_error": mean([abs(p["share"] - p["true_share"]) for p in seen if p["true_share"] is not None]),
        "cwnd_error_p95_mss": quantile(errors, 0.95), "cwnd_rounds": len(errors),
        "what_if_error_median": quantile([w["error"] for w in tries if not w["at_least"]], 0.5),
        "what_if_within_20pct": mean([w["error"] <= 0.2 for w in tries if not w["at_least"]]),
        "what_if_waits_within_10pct": mean([w["gain_error"] <= 0.1 for w in waits]), "waits": len(waits),
        "what_if_rates_in_interval": mean([is_in_interval(w) for w in rates]), "rates": len(rates),
        "false_findings_per_run": mean([len(p["false_findings"]) for p in seen]),
        "unseen_runs": len(places) - len(seen),
        "unseen_top_cause_right": mean([p["right"] for p in places if not p["can_tell"]]),
    }


def is_in_interval(tried):
    return tried["low_s"] <= tried["measured_s"] <= tried["high_s"]
