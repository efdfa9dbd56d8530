#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""kill -9 of the program at any instant leaves nothing: no process, namespace, device or file."""

import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import Tap

tap = Tap()
# In whatever the lab starts: its processes repeat the command line, and hand on the environment.
MARK = "tw-lab-mark-%d" % os.getpid()
RUNS = 24


def pids_of(mark):
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            for name in "cmdline", "environ":
                with open("/proc/%s/%s" % (pid, name), "rb") as file:
                    if mark.encode() in file.read() and int(pid) != os.getpid():
                        found.append(int(pid))
                        break
        except OSError:
            pass
    return found


def namespaces(pids):
    """The net, pid and mnt namespaces that processes are in."""
    found = set()
    for pid in pids:
        for kind in "net", "pid", "mnt", "uts", "user":
            try:
                found.add(os.readlink("/proc/%s/ns/%s" % (pid, kind)))
            except OSError:
                pass
    return found


def is_alive(pid):
    """Not a zombie: how soon those are reaped is up to the machine's own first process."""
    try:
        with open("/proc/%s/stat" % pid, encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def all_pids():
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and is_alive(pid)]


def devices():
    with open("/proc/net/dev", encoding="ascii") as file:
        return sorted(line.split(":")[0].strip() for line in file if ":" in line)


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def start(folder, user):
    environment = dict(os.environ, TMPDIR=folder, MARK=MARK)
    more = {} if user is None else {"user": user, "group": user, "extra_groups": []}
    return subprocess.Popen(
        [tap.program, "lab", "--path", "rate=100mbit delay=5ms", "--keep", folder, "--server",
         "%s receive 5001 # %s" % (tap.peer, MARK), "--", "sh", "-c",
         "trap '' TERM INT HUP; sleep 1000 & setsid sleep 1000 & %s send server 5001 500000000; wait # %s"
         % (tap.peer, MARK)],
        env=environment, cwd=tap.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, **more)


for who, user in tap.users():
    wrong, most = [], 0
    before = devices()
    ours = namespaces([os.getpid()])
    for i in range(RUNS):
        # From the first system calls to a transfer at full speed; setting up takes some 30 ms.
        wait = random.uniform(0, 0.06) if i % 3 else random.uniform(0.06, 0.6)
        folder = tap.make_folder("%s %d" % (who, i), user)
        lab = start(folder, user)
        time.sleep(wait)
        seen = pids_of(MARK)
        most = max(most, len(seen))
        spaces = namespaces(seen) - ours
        lab.send_signal(signal.SIGKILL)
        lab.wait()
        if not until(lambda: not pids_of(MARK)):
            wrong.append("after %.3f s: processes are left: %s" % (wait, pids_of(MARK)))
        if not until(lambda: not namespaces(all_pids()) & spaces):
            wrong.append("after %.3f s: namespaces are left: %s" %
                         (wait, namespaces(all_pids()) & spaces))
        if os.listdir(folder):
            wrong.append("after %.3f s: files are left: %s" % (wait, os.listdir(folder)))
    tap.case("%s: killed at %d instants, nothing is left" % (who, RUNS), not wrong, "\n".join(wrong))
    tap.case("%s: a lab that is killed had been complete at times" % who, most >= 7, most)
    tap.case("%s: no device came or went outside" % who, devices() == before, devices())

# A namespace without processes shows nowhere; but where only three networks are allowed, and a lab
# takes three, one that was left would show by the next lab being refused.
script = """
echo 3 >/proc/sys/user/max_net_namespaces || exit 99
for wait in 0.01 0.02 0.03 0.05 0.1 0.3; do
    "$0" lab -- sleep 1000 2>/dev/null & pid=$!
    sleep $wait
    kill -9 $pid
    wait $pid 2>/dev/null
    n=0
    until "$0" lab -- true >/dev/null 2>&1; do
        n=$((n + 1))
        [ $n -lt 100 ] || { echo "refused after $wait"; exit 1; }
        sleep 0.1
    done
done
echo 2 >/proc/sys/user/max_net_namespaces
"$0" lab -- true >/dev/null 2>&1 && echo "a lab takes less than three: this proves nothing"
exit 0
"""
run = subprocess.run(["unshare", "-Ur", "sh", "-c", script, tap.program], capture_output=True, text=True,
                     timeout=300)
if run.returncode == 99 or "unshare failed" in run.stderr:
    tap.skip("no network namespace is left", "no limit can be set here")
else:
    tap.case("no network namespace is left", run.returncode == 0 and not run.stdout,
             run.stdout + run.stderr)

# The other end of it: who ends the lab's first process from outside is told.
lab = subprocess.Popen([tap.program, "lab", "--", "sleep", "1000"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
children = "/proc/%d/task/%d/children" % (lab.pid, lab.pid)


def keeper():
    with open(children, encoding="ascii") as file:
        return file.read().split()


if not os.path.exists(children):
    tap.skip("the lab ended from outside", "no /proc/PID/task/PID/children")
    lab.kill()
else:
    until(lambda: len(keeper()) == 1)
    time.sleep(0.3)
    os.kill(int(keeper()[0]), signal.SIGKILL)
    out, err = lab.communicate(timeout=20)
    tap.case("a lab ended from outside says so", lab.returncode == 2 and "ended from outside" in err, err)
tap.finish()
