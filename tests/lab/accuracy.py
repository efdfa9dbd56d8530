#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""`make accuracy`, of two faults: runs, truth, score, table and JSON, end to end."""

import json
import os
import subprocess
import sys

from lab import HERE, Tap

tap = Tap()
out = os.path.join(tap.folder, "accuracy.json")
done = subprocess.run([sys.executable, os.path.join(HERE, "..", "accuracy", "accuracy.py"), "--program", tap.program,
                       "--seed", "7", "--only", "page-server,idle-client", "--limit", "60", "--out", out],
                      capture_output=True, text=True, timeout=240)
tap.case("it ends", done.returncode == 0, done.stdout + done.stderr)
with open(out, encoding="utf-8") as file:
    got = json.load(file)
proven = [record for record in got["records"] if not record["doubt"]]
tap.note("%d runs, %d proven" % (len(got["records"]), len(proven)))
if not proven and any("too busy" in record["doubt"] for record in got["records"]):
    tap.skip("the figures", "the machine is too busy for the lab")
    tap.finish()
tap.case("most runs prove what they are", 2 * len(proven) > len(got["records"]), done.stdout)
everything = got["all"]
tap.case("three places each", everything["runs"] == 3 * len(proven), everything)
tap.case("the causes are right", everything["top_cause_right"] >= 0.9, done.stdout)
tap.case("their shares are near the kernels'", everything["share_error"] < 0.1, done.stdout)
tap.case("what the cure brings was said", everything["what_if_waits_within_10pct"] >= 0.9, done.stdout)
tap.case("by fault, place, round trip and congestion control",
         set(got["by_fault"]) <= {"page-server", "idle-client"} and set(got["by_place"]) == {"client", "path", "server"},
         got.keys())
tap.case("a table of them", "top right" in done.stdout and "page-server" in done.stdout, done.stdout)
tap.finish()
