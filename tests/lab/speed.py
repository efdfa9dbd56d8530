#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""How fast and how exact the emulation is here: measured and printed, not judged. What is judged is
that a run which the machine was too slow for says so.
"""

import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import Tap

tap = Tap()
for who, user in tap.users():
    for rate, options in (100, []), (500, []), (500, ["--gso"]):
        run = tap.lab(*options, "--path", "rate=%dmbit delay=5ms" % rate, "--server", tap.peer + " receive 5001",
                      "--", tap.peer, "send", "server", "5001", str(rate * 125000), user=user)
        figures = re.search(r"^client > .*\n(?: .*\n)*^server > .*\n(?: .*\n)*^Emulation.*", run.stdout, re.M)
        for line in figures[0].splitlines() + run.stderr.splitlines() if figures else []:
            tap.note("%s, %s Mbit/s: %s" % (who, " ".join(options + [str(rate)]), line))
        late = re.search(r"late by .*?, ([\d.]+) (us|ms|s) \(99 %\), ([\d.]+) (us|ms|s)", run.stdout)
        unit = {"us": 1e-6, "ms": 1e-3, "s": 1}
        says = bool(run.stderr)
        is_late = late and (float(late[1]) * unit[late[2]] > 301e-6 or float(late[3]) * unit[late[4]] > 10e-3)
        tap.case("%s: %s Mbit/s for a second" % (who, " ".join(options + [str(rate)])), run.returncode == 0 and figures,
                 run.stdout + run.stderr)
        tap.case("%s: and it says whether it kept up" % who, says or not is_late, run.stdout + run.stderr)
tap.finish()
