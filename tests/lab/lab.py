# SPDX-License-Identifier: BSD-2-Clause
"""What the tests of the lab share: TAP, the program, runs as root and as an ordinary user, captures.

Every test begins with tap = Tap(), and skips whole (status 77) where there can be no lab.
"""

import atexit
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NOBODY = 65534
CLIENT, SERVER = socket.inet_aton("192.0.2.1"), socket.inet_aton("192.0.2.2")
CLIENT6, SERVER6 = (socket.inet_pton(socket.AF_INET6, "2001:db8::%d" % n) for n in (1, 2))


class Tap:
    def __init__(self):
        self.cases = self.failed = 0
        # Where an ordinary user can read them, which a build folder need not be.
        self.folder = tempfile.mkdtemp(prefix="tw-lab-")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        self.program = os.path.join(self.folder, "tcpwhy")
        shutil.copy(os.environ.get("TCPWHY", "build/tcpwhy"), self.program)
        shutil.copy(os.path.join(HERE, "peer.py"), self.folder)
        self.peer = os.path.join(self.folder, "peer.py")
        refusal = self.refusal(None)
        if refusal:
            print("ok 1 - all # SKIP %s" % refusal)
            sys.exit(77)

    def refusal(self, user):
        """Why `user` can have no lab here; "" where there can be one."""
        probe = self.lab("--", "true", user=user)
        return probe.stderr.strip() if probe.returncode == 2 and "namespaces" in probe.stderr else ""

    def users(self):
        """Whom to test as: who runs the test and, where that is root, an ordinary user too."""
        if os.geteuid():
            return [("as is", None)]
        refusal = self.refusal(NOBODY)
        if refusal:
            self.skip("as an ordinary user", refusal)
        return [("as root", None)] + ([] if refusal else [("as nobody", NOBODY)])

    def case(self, name, is_true, detail=""):
        self.cases += 1
        self.failed += not is_true
        print("%s %d - %s" % ("ok" if is_true else "not ok", self.cases, name), flush=True)
        if not is_true:
            for line in str(detail).splitlines():
                print("#   " + line)

    def skip(self, name, reason):
        self.cases += 1
        print("ok %d - %s # SKIP %s" % (self.cases, name, reason))

    def note(self, text):
        print("# " + text, flush=True)

    def finish(self):
        print("1..%d" % self.cases)
        sys.exit(1 if self.failed or not self.cases else 0)

    def make_folder(self, name, user):
        path = os.path.join(self.folder, name)
        os.mkdir(path)
        if user is not None:
            os.chown(path, user, user)
        return path

    def lab(self, *arguments, user=None, timeout=60, **more):
        """A finished run of `tcpwhy lab`, as root or as `user`."""
        if user is not None:
            more.update(user=user, group=user, extra_groups=[])
        return subprocess.run([self.program, "lab"] + list(arguments), capture_output=True,
                              text=True, timeout=timeout, cwd=self.folder,
                              stdin=subprocess.DEVNULL, **more)

    def explain(self, path):
        return json.loads(subprocess.run([self.program, "--json", path], capture_output=True,
                                         text=True, check=True).stdout)


class Packet:
    """A TCP packet of a capture: `time` in ns, `source`, `sequence`, `payload` (its length). IPv6 has no `id`,
    and no extension headers here."""

    def __init__(self, time, data):
        self.time = time
        ip = data[14:]
        if ip[0] >> 4 == 4:
            head = (ip[0] & 15) * 4
            total, self.id = struct.unpack("!HH", ip[2:6])
            self.source = ip[12:16]
        else:
            head = 40
            total, self.id = 40 + struct.unpack("!H", ip[4:6])[0], 0
            self.source = ip[8:24]
        tcp = ip[head:]
        self.sequence, self.ack = struct.unpack("!II", tcp[4:12])
        self.flags = tcp[13]
        self.payload = total - head - (tcp[12] >> 4) * 4
        self.options = tcp[20:(tcp[12] >> 4) * 4]
        # What no hop changes: tells one packet, and one sending of it, from all others.
        self.key = (self.source, self.id, self.sequence, self.ack, self.flags, self.payload)


def read_frames(path):
    """Its frames as (time in ns, bytes, as far as kept), in the order of the file."""
    with open(path, "rb") as file:
        data = file.read()
    assert struct.unpack("=I", data[:4])[0] == 0xA1B23C4D, "not a pcap file with nanoseconds"
    frames, at = [], 24
    while at < len(data):
        seconds, ns, kept, _ = struct.unpack("=IIII", data[at:at + 16])
        frame = data[at + 16:at + 16 + kept]
        assert len(frame) == kept, "cut off"
        frames.append((seconds * 10**9 + ns, frame))
        at += 16 + kept
    return frames


def read_capture(path):
    """Its TCP packets in the order of the file."""
    return [Packet(time, frame) for time, frame in read_frames(path) if
            (frame[12:14] == b"\x08\x00" and frame[23] == 6) or (frame[12:14] == b"\x86\xdd" and frame[20] == 6)]


def covered(packets, source):
    """Distinct payload bytes of `source` in one connection, and whether they are without a hole."""
    syn = [p.sequence for p in packets if p.source == source and p.flags & 2]
    ranges = sorted(((p.sequence - syn[0] - 1) % 2**32, p.payload)
                    for p in packets if p.source == source and p.payload)
    end = 0
    for begin, n in ranges:
        if begin > end:
            return end, False
        end = max(end, begin + n)
    return end, True
