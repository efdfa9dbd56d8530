#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The lab around a command: exit status, hosts, server, signals, the shell, and words of refusal."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from lab import Tap

tap = Tap()


def complaints(err):
    """What was said, but for what is the machine's: that it is busy."""
    return re.sub(r"^tcpwhy: the lab was late .*\n", "", err, flags=re.M)


def expect(name, run, status, out="", err=""):
    """`out` and `err` are patterns; None wants silence."""
    good = run.returncode == status
    for pattern, text in (out, run.stdout), (err, complaints(run.stderr)):
        good = good and (not text if pattern is None else bool(re.search(pattern, text, re.M)))
    tap.case(name, good, "status %d\n%s%s" % (run.returncode, run.stdout, run.stderr))


def sh(script, *arguments, user=None):
    return tap.lab(*arguments, "--", "sh", "-c", script, tap.program, tap.peer, user=user)


for who, user in tap.users():
    expect(who + ": status of the command", sh("exit 42", user=user), 42, err=None)
    expect(who + ": ended by a signal", sh("kill -9 $$", user=user), 137)
    expect(who + ": no such command", tap.lab("--", "/nothere", user=user), 127, err="No such file")
    expect(who + ": no command", tap.lab("--", tap.folder, user=user), 126, err="ermission denied")
    expect(who + ": its own identity", sh("id -u; id -g", user=user), 0,
           r"\A%d\n%d\n" % ((user, user) if user else (os.getuid(), os.getgid())))
    expect(who + ": where it was started", sh("pwd", user=user), 0, r"\A%s\n" % tap.folder)
    expect(who + ": the hosts have names", sh("hostname; $0 lab on server hostname", user=user), 0,
           r"\Aclient\nserver\n")
    expect(who + ": processes are the lab's own", sh("echo $$ >&2; ls /proc | grep -c '^[0-9]'", user=user),
           0, r"\A[4-9]\n", r"^\d\n")
    expect(who + ": 1,500 bytes pass whole", sh("$1 ping server 1472", user=user), 0, r"\Aanswered\n",
           err=None)
    expect(who + ": 1,502 do not", sh("$1 ping server 1474", user=user), 1, err="Message too long")
    expect(who + ": IPv6", sh("exec python3 -c 'import socket; s = socket.socket(socket.AF_INET6); "
                              "s.connect((\"server6\", 5001))'", "--server", "exec python3 -c '"
                              "import socket; s = socket.create_server((\"::\", 5001), "
                              "family=socket.AF_INET6); s.accept()'", user=user), 0,
           r"\[?2001:db8::1\]?[.:]\d+ > ", err=None)
    expect(who + ": nothing but the transfer crosses",
           sh("$1 send server 5001 20000", "--server", tap.peer + " receive 5001", user=user), 0,
           r"1 connection$", err=None)
    expect(who + ": no other network", sh("exec 2>&1; cat /proc/net/dev", user=user), 0,
           r"\AInter.*\n.*\n +(lo:.*\n +eth0|eth0:.*\n +lo):.*\n\nPath", err=None)
    expect(who + ": a sysctl of the host", sh("echo reno >/proc/sys/net/ipv4/tcp_congestion_control && "
                                             "cat /proc/sys/net/ipv4/tcp_congestion_control", user=user),
           0, r"\Areno\n", err=None)
    expect(who + ": a server that fails", tap.lab("--server", "exit 3", "--", "true", user=user), 2, None,
           "the server ended with status 3 before it listened")
    begin = time.monotonic()
    expect(who + ": a server that never listens", tap.lab("--server", "sleep 1000", "--", "echo", "on",
                                                         user=user), 0, r"\Aon\n", "does not listen")
    tap.case(who + ": is not waited for long", 3 <= time.monotonic() - begin < 30)
    expect(who + ": what a server says at its end", sh("exit 0", "--server",
           "trap 'echo bye; exit' TERM; %s receive 5001 & wait" % tap.peer, user=user), 0, "^bye$")
    expect(who + ": --snap 0 takes packets whole",
           sh("$1 send server 5001 3000; stat -c %s .", "--snap", "0", "--server", tap.peer + " receive 5001",
              user=user), 0, "link-rate|slow-start|handshake")

expect("a path that is none", tap.lab("--path", "speed=3", "--", "true"), 2, None, "--path: .*'speed'")
expect("a command without --", tap.lab("true"), 2, None, "stands after --")
expect("another host", tap.lab("on", "router", "true"), 2, None, "^usage")
expect("on, outside of a lab", tap.lab("on", "server", "true"), 2, None, "no shell of a lab")
expect("a folder that cannot be", tap.lab("--keep", "/proc/x", "--", "true"), 2, None, "^tcpwhy: /proc/x: ")
expect("help", tap.lab("--help"), 0, r"--server=COMMAND", None)
expect("help for paths", tap.lab("--help", "path"), 0, r"^ +delay +", None)

refused = subprocess.run(["unshare", "-Ur", "sh", "-c", "echo 0 >/proc/sys/user/max_net_namespaces || exit 99; "
                          "exec \"$0\" lab -- true", tap.program], capture_output=True, text=True)
if refused.returncode == 99 or "unshare failed" in refused.stderr:
    tap.skip("where namespaces are refused", "no limit can be set here")
else:
    expect("where namespaces are refused, the cure is named in one line", refused, 2, None,
           r"\Atcpwhy: .*sysctl -w user\.max_net_namespaces=\d+\n\Z")


# Other kinds of user: root of a user namespace only, and a user in a container that hides parts of /proc.
script = "$1 send server 5001 20000; $0 lab on server hostname"
arguments = ["lab", "--server", tap.peer + " receive 5001", "--", "sh", "-c", script, tap.program, tap.peer]
run = subprocess.run(["unshare", "-Ur", tap.program] + arguments, capture_output=True, text=True)
if "unshare failed" in run.stderr:
    tap.skip("root of a user namespace", run.stderr.strip())
else:
    expect("root of a user namespace", run, 0, r"\Atook .*\nserver\n", None)
run = subprocess.run(["unshare", "-Urm", "sh", "-c", "mount -t tmpfs none /proc/sys || exit 99; exec unshare -U "
                      "--map-user=1000 --map-group=1000 \"$0\" \"$@\"", tap.program] + arguments,
                     capture_output=True, text=True)
with open("/proc/mounts", encoding="utf-8") as mounts:
    proc_mounts = sum(line.split()[2] == "proc" for line in mounts)
if run.returncode == 99 or "unshare" in run.stderr:
    tap.skip("where /proc is hidden", run.stderr.strip())
elif proc_mounts > 1: # a chroot's, say: then the kernel lets a lab mount its own all the same
    tap.skip("where /proc is hidden", "another one is mounted, which is not")
else:
    expect("where /proc is hidden, there is a lab, and it says what it lacks", run, 2, r"\Atook ",
           "cannot show its hosts in /proc")


# Signals. The command says when it runs.
def start(*arguments, **more):
    return subprocess.Popen([tap.program, "lab"] + list(arguments), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


for name, number in ("SIGINT", signal.SIGINT), ("SIGTERM", signal.SIGTERM):
    lab = start("--server", tap.peer + " receive 5001", "--", "sh", "-c",
                "%s send server 5001 100000; echo sent; exec sleep 1000" % tap.peer)
    while "sent" not in lab.stdout.readline():
        pass
    lab.send_signal(number)
    out, err = lab.communicate(timeout=30)
    tap.case("%s ends the command, and there is a bill" % name,
             lab.returncode == 128 + number and "where " in out and not complaints(err),
             "%d\n%s%s" % (lab.returncode, out, err))
lab = start("--", "sh", "-c", "trap '' INT; echo deaf; sleep 1000; sleep 1000")
lab.stdout.readline()
lab.send_signal(signal.SIGINT)
time.sleep(0.2)
lab.send_signal(signal.SIGINT)
out, err = lab.communicate(timeout=30)
tap.case("the second signal ends a deaf command", lab.returncode == 130 and "Path:" in out, out + err)

# An emulator that does not come to run cannot be believed: here it is stopped while packets come.
lab = start("--", "sh", "-c", "echo go; sleep 0.5; %s flood server 9 20000" % tap.peer)
lab.stdout.readline()
lab.send_signal(signal.SIGSTOP)
time.sleep(3)
lab.send_signal(signal.SIGCONT)
out, err = lab.communicate(timeout=30)
tap.case("an emulator that could not keep up says so", re.search(
    r"^tcpwhy: the lab could not keep up, .*: [\d,]+ packets from the client found no room", err, re.M),
    out + err)
tap.case("and that it was late", "tcpwhy: the lab was late" in err, out + err)


def converse(program, lines, environment):
    """Runs it on a terminal, types `lines` as (prompt to wait for, text). Status and all it said."""
    pid, terminal = pty.fork()
    if not pid:
        os.execve(program[0], program, environment)
    said, end = "", time.monotonic() + 30
    while time.monotonic() < end:
        if lines and re.search(lines[0][0], said):
            os.write(terminal, lines.pop(0)[1])
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                more = os.read(terminal, 65536)
            except OSError:
                break
            said += more.decode(errors="replace").replace("\r", "")
    os.kill(pid, signal.SIGKILL) if time.monotonic() >= end else None
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said


environment = dict(os.environ, SHELL="/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh", PS1="ready> ",
                   TERM="dumb", PATH=tap.folder + ":" + os.environ["PATH"])
try:
    # A job of its own in the foreground, so that the terminal changes hands; ^C is for it alone.
    status, said = converse([tap.program, "lab", "--path", "delay=1ms"], [
        ("exit' ends the lab", b"tcpwhy lab on server hostname; echo one-$?\n"),
        # By sh, which ^C kills at any instant: bash's own subshell can miss one just before exec.
        ("\none-0", b"trap 'true' INT; sh -c 'echo go-$((1 + 1)); exec sleep 1000'\n"),
        ("\ngo-2\n", b"\x03"),
        # What is typed before the shell has the terminal again may be lost.
        (r"\^C\s*\n[^\n]*[#$>] $", b"echo still-$((40 + 2)); exit 5\n")], environment)
    tap.case("a shell on a terminal", status == 5 and "\nserver\n" in said and "\nstill-42" in said and
             "\nPath: delay=1ms" in said, "%s\n%s" % (status, said))
    status, said = converse([tap.program, "lab", "--", "sh", "-c", "echo here; exec sleep 1000"], [
        ("here\n", b"\x03")], environment)
    tap.case("^C on a terminal reaches the command", status == 130 and "\nPath: " in said,
             "%s\n%s" % (status, said))
except OSError as error:
    tap.skip("a shell on a terminal", "no pseudo-terminal: %s" % error)
tap.finish()
