#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
Every fault that `tcpwhy lab` lists: made, found at the top of the bill, cured with gain. What the
lab itself could not keep up with proves nothing: such a run is made once more, then skipped.
"""

import json
import re

from lab import Tap

tap = Tap()
listed = tap.lab().stdout
names = re.findall(r"^  ([a-z][a-z0-9-]+)  ", listed, re.M)
tap.case("faults are listed", len(names) >= 10, listed)


def is_doubtful(run):
    return "could not keep up" in run.stderr or "was late" in run.stderr


def run(name, user):
    for _ in range(2):
        got = tap.lab(name, user=user, timeout=120)
        if got.returncode == 0 or not is_doubtful(got):
            break
    return got


for name in names:
    got = run(name, None)
    if got.returncode and is_doubtful(got):
        tap.skip(name, "the machine is too busy for the lab")
        continue
    tap.case(name, got.returncode == 0, got.stdout + got.stderr)

for who, user in tap.users():
    if user is None:
        continue
    got = run(names[0], user)
    tap.case(who + ": " + names[0], got.returncode == 0, got.stdout + got.stderr)

got = tap.lab("no-such-fault")
tap.case("a fault that is none", got.returncode == 2 and "no-such-fault" in got.stderr, got.stderr)

folder = tap.make_folder("kept", None)
got = tap.lab(names[0], "--keep", folder)
for name in ["client", "server", "path", "cured/server"]:
    with open("%s/%s.json" % (folder, name), encoding="utf-8") as file:
        kept = json.load(file)
    tap.case("kept: %s.json" % name, kept["schema"].startswith("tcpwhy-") and
             ("samples" in kept) == (name != "path"), kept)

for place in ["client", "path", "server", "cured/client"]:
    found = tap.explain("%s/%s.pcap" % (folder, place))["connections"]
    tap.case("kept: " + place, len(found) == 1, found)

tap.finish()
