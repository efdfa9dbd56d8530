#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# ^C while a pipe is read: the bill is printed; a second one ends the program. The progress bar.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli.sh
said=$(python3 - "$tcpwhy" 2>&1 <<'EOT'
import fcntl, os, pty, signal, struct, subprocess, sys, termios, time

program = sys.argv[1]
capture = subprocess.check_output(["tests/cli/capture.py", "window"])


def start(**more):
    return subprocess.Popen([program, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, **more)


def wait_asleep(process):
    """Until it waits for more input: then what was written has been read."""
    for _ in range(1000):
        with open("/proc/%d/stat" % process.pid, encoding="ascii") as stat:
            state = stat.read().rsplit(")", 1)[1].split()[0]
        with open("/proc/%d/io" % process.pid, encoding="ascii") as io:
            read = int(io.readline().split()[1])
        if state == "S" and read >= len(capture):
            return
        time.sleep(0.01)
    raise SystemExit("it does not come to wait")


def case(name, true):
    print("%s %s" % ("ok" if true else "not ok", name))


for name, number in ("SIGINT", signal.SIGINT), ("SIGTERM", signal.SIGTERM):
    process = start()
    process.stdin.write(capture)
    process.stdin.flush()
    wait_asleep(process)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    case("%s ends the reading, and the bill is printed" % name,
         process.returncode == 0 and b"receive-window" in out and not err)

# The bill meets a full pipe, so that the program still runs when the second signal comes.
read_end, write_end = os.pipe()
fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
process = subprocess.Popen([program, "--json", "-"], stdin=subprocess.PIPE, stdout=write_end,
                           stderr=subprocess.PIPE)
process.stdin.write(capture)
process.stdin.flush()
wait_asleep(process)
process.send_signal(signal.SIGINT)
for _ in range(1000):
    filled = struct.unpack("i", fcntl.ioctl(read_end, termios.FIONREAD, b"    "))[0]
    if filled >= 4096:
        break
    time.sleep(0.01)
process.send_signal(signal.SIGINT)
process.communicate(timeout=60)
case("the second one ends the program", filled >= 4096 and process.returncode == -signal.SIGINT)

# A progress bar: only on a terminal, only after a second, and wiped.
try:
    leader, follower = pty.openpty()
except OSError as error:
    print(f"skip the progress bar: {error}")
    raise SystemExit
process = subprocess.Popen([program, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=follower)
os.close(follower)
header, packets = capture[:24], capture[24:]
process.stdin.write(header)
begin = time.monotonic()
try:
    while time.monotonic() - begin < 1.6:
        process.stdin.write(packets)
except BrokenPipeError:
    pass
process.stdin.close()
out = process.stdout.read()
process.wait(timeout=60)
bar = b""
try:
    while True:
        some = os.read(leader, 65536)
        if not some:
            break
        bar += some
except OSError:
    pass
case("a bar after a second on a terminal", b"standard input" in bar and b"packets" in bar)
case("and it is wiped", bar.endswith(b"\r\x1b[K"))
case("it is not in the output", b"\r" not in out and b"connection" in out)
EOT
)
printf '%s\n' "$said" | grep -qE '^(not )?ok ' || fail "the test itself" "$said"
printf '%s\n' "$said" | {
	while read -r line; do
		case $line in
		"ok "*) pass "${line#ok }" ;;
		"not ok "*) fail "${line#not ok }" ;;
		"skip "*) skip "${line#skip }" "no pseudo-terminal" ;;
		*) fail "unexpected: $line" ;;
		esac
	done
	finish
}
