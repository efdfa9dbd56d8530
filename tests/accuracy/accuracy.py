#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
How right the bill is: faults of the lab, explained from three places by the captures alone, against
what the kernels of both hosts said meanwhile and what the cure really brought. See doc/accuracy.md.
"""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import plan
import score

COLUMNS = (  # title, member, how it is printed
    ("runs", "runs", "%d"),
    ("top right", "top_cause_right", "%.0f %%"),
    ("share error", "share_error", "%.1f"),
    ("cwnd p95", "cwnd_error_p95_mss", "%.1f"),
    ("what-if", "what_if_error_median", "%.0f %%"),
    ("20 %", "what_if_within_20pct", "%.0f %%"),
    ("waits 10 %", "what_if_waits_within_10pct", "%.0f %%"),
    ("rates in", "what_if_rates_in_interval", "%.0f %%"),
    ("false", "false_findings_per_run", "%.2f"),
)
TIMES_100 = ("top_cause_right", "share_error", "what_if_error_median", "what_if_within_20pct",
             "what_if_waits_within_10pct", "what_if_rates_in_interval")


BUSY = "the machine was too busy for the lab"
LATE = 0.0003  # s, or LATE_SHARE of the round trip, of 99 % of the packets: more is not that path
LATE_SHARE = 0.02


def is_doubtful(run, folder, errors):
    """The lab lost packets of its own, or made another path than it was told: other programs had the processors."""
    if "could not keep up" in errors:
        return True
    for name in ("path.json", "cured/path.json"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            path = json.load(file)
        if max(path[side]["late_p99_s"] for side in ("client", "server")) > max(LATE, LATE_SHARE * run.rtt / 1000):
            return True
    return False


def make(program, run, seed, folder, tries):
    """Runs the fault and its cure into `folder`. Why that failed; "" where it did not."""
    for _ in range(tries):
        shutil.rmtree(folder, ignore_errors=True)
        try:
            done = subprocess.run([program] + run.arguments(seed) + ["--keep=" + folder], capture_output=True,
                                  text=True, timeout=180, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "took too long"
        if done.returncode not in (0, 1):
            return done.stderr.strip()
        if not is_doubtful(run, folder, done.stderr):
            return ""
    return BUSY


class Session:
    """The runs of one report, made by `jobs` labs at a time; who got in another's way runs again alone."""

    def __init__(self, options, program, base):
        self.options, self.program, self.base = options, program, base
        self.began = time.monotonic()
        self.left_out = 0

    def is_over(self):
        return self.options.limit and time.monotonic() - self.began > self.options.limit

    def folder(self, run):
        return os.path.join(self.base, run.label().replace(", ", "_").replace(" ", "-"))

    def prepare(self, run):
        """Why there is nothing to score; "" where there is, None where the run is left out."""
        folder = self.folder(run)
        if self.options.runs and os.path.exists(folder + "/cured/path.json"):
            return BUSY if self.options.rescore and is_doubtful(run, folder, "") else ""
        if self.options.rescore or self.is_over():
            return None
        return make(self.program, run, self.options.seed, folder, 1 if self.options.jobs > 1 else 2)

    def score(self, run, failure):
        folder = self.folder(run)
        if failure == BUSY and self.options.jobs > 1 and not self.options.rescore:
            failure = make(self.program, run, self.options.seed, folder, 2)
        record = score.score(self.program, run, folder) if not failure else {
            "fault": run.fault["name"], "rtt_ms": run.rtt, "timestamps": bool(run.timestamps),
            "gso": bool(run.gso), "cc": run.cc, "doubt": failure, "places": []}
        say_run(run, record, sys.stdout)
        if not self.options.runs:
            shutil.rmtree(folder, ignore_errors=True)
        return record

    def run(self, runs):
        """The records of all, in order."""
        records, again = {}, []
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for run, failure in zip(runs, pool.map(self.prepare, runs)):
                if failure is None:
                    self.left_out += not self.options.rescore
                elif failure == BUSY and self.options.jobs > 1:
                    again.append(run)
                else:
                    records[run] = self.score(run, failure)
        for run in again:
            records[run] = self.score(run, BUSY)
        return [records[run] for run in runs if run in records]


def print_row(title, figures, out):
    cells = []
    for _, member, form in COLUMNS:
        value = figures[member]
        cells.append("-" if value is None else form % (value * (100 if member in TIMES_100 else 1)))
    print("%-24s" % title + "".join("%12s" % cell for cell in cells), file=out)


def print_table(report, out):
    print("\n%-24s" % "" + "".join("%12s" % title for title, _, _ in COLUMNS), file=out)
    print_row("all", report["all"], out)
    for group in ("place", "rtt", "cc", "timestamps", "gso", "fault"):
        print(file=out)
        for name, figures in report["by_" + group].items():
            print_row(name, figures, out)


def group_by(records, key):
    groups = {}
    for record in records:
        for place in record["places"]:
            groups.setdefault(key(record, place), []).append(place)
    return {name: score.summary(places) for name, places in groups.items()}


def report_of(records, seed):
    return {
        "schema": "tcpwhy-accuracy/1", "seed": seed,
        "all": score.summary([p for r in records for p in r["places"]]),
        "by_place": group_by(records, lambda r, p: p["place"]),
        "by_rtt": group_by(records, lambda r, p: "%d ms" % r["rtt_ms"]),
        "by_cc": group_by(records, lambda r, p: r["cc"]),
        "by_timestamps": group_by(records, lambda r, p: "timestamps" if r["timestamps"] else "no timestamps"),
        "by_gso": group_by(records, lambda r, p: "GSO" if r["gso"] else "no GSO"),
        "by_fault": group_by(records, lambda r, p: r["fault"]),
        "records": records,
    }


def say_run(run, record, out):
    if record["doubt"]:
        print("-    %s: proves nothing: %s" % (run.label(), record["doubt"]), file=out, flush=True)
        return
    wrong = ["%s says %s of the %s, %.0f %%" % (p["place"], p["top"], p["top_side"], 100 * p["top_share"])
             for p in record["places"] if p["can_tell"] and not p["right"]]
    false = sorted({f for p in record["places"] for f in p["false_findings"]})
    print("%-4s %s%s%s" % ("no" if wrong else "ok", run.label(), "".join("; " + w for w in wrong),
                           "; not there: " + ", ".join(false) if false else ""), file=out, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/tcpwhy")
    parser.add_argument("--seed", type=int, default=1001, help="paths and chances; below 1000 for tuning")
    parser.add_argument("--full", action="store_true", help="every combination, not every pair")
    parser.add_argument("--only", help="faults, parted by commas")
    parser.add_argument("--runs", help="folder for the captures, kept; runs that are there are scored again")
    parser.add_argument("--rescore", action="store_true", help="with --runs: only score what is there")
    parser.add_argument("--out", default="build/accuracy.json")
    parser.add_argument("--jobs", type=int, default=1, help="labs at a time")
    parser.add_argument("--limit", type=int, default=0, help="seconds, after which no new run begins")
    return parser.parse_args()


def main():
    options = arguments()
    program = os.path.abspath(options.program)
    probe = subprocess.run([program, "lab", "--", "true"], capture_output=True, text=True)
    if probe.returncode == 2:
        sys.exit("no lab here: " + probe.stderr.strip())
    listed = subprocess.run([program, "lab", "--json"], capture_output=True, text=True, check=True).stdout
    faults = json.loads(listed)["faults"]
    if options.only:
        faults = [f for f in faults if f["name"] in options.only.split(",")]
    has_gso = "--gso" in subprocess.run([program, "lab", "--help"], capture_output=True, text=True).stdout
    runs = plan.choose(faults, options.seed, options.full or options.rescore, has_gso)
    base = options.runs or tempfile.mkdtemp(prefix="tw-accuracy-")
    os.makedirs(base, exist_ok=True)
    session = Session(options, program, base)
    print("%d runs of %d faults, seed %d" % (len(runs), len(faults), options.seed), flush=True)
    try:
        records = session.run(runs)
    finally:
        if not options.runs:
            shutil.rmtree(base, ignore_errors=True)
    report = report_of(records, options.seed)
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=1)
    print_table(report, sys.stdout)
    doubts = sum(bool(r["doubt"]) for r in records)
    print("\n%d runs in %.0f s; %d proved nothing and are not counted%s. %s has all of it." %
          (len(records), time.monotonic() - session.began, doubts,
           "; %d were left out, as the time was over" % session.left_out if session.left_out else "", options.out))


if __name__ == "__main__":
    main()
