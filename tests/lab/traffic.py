#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""
The traffic of scenarios over loopback, and between two network namespaces where there can be some.
Of times only lower bounds are checked: a busy machine makes everything slower.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import time

program = os.environ.get("TCPWHY", "build/tcpwhy")
cases = failures = 0


def case(name, *conditions):
    """Each condition is true, or a pair of what was found and what it must be."""
    global cases, failures
    cases += 1
    wrong = []
    for number, condition in enumerate(conditions):
        if isinstance(condition, tuple):
            if condition[0] != condition[1]:
                wrong.append("condition %d: %r is not %r" % (number, *condition))
        elif not condition:
            wrong.append("condition %d does not hold" % number)
    failures += bool(wrong)
    print("%sok %d - %s" % ("not " if wrong else "", cases, name))
    for line in wrong:
        print("#   " + line)
    sys.stdout.flush()


def skip(name, why):
    global cases
    cases += 1
    print("ok %d - %s # SKIP %s" % (cases, name, why))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
        return True
    except OSError:
        return False


def is_listening(port, prefix=()):
    tables = subprocess.run([*prefix, "cat", "/proc/net/tcp", "/proc/net/tcp6"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return any(len(row) > 3 and row[1].endswith(b":%04X" % port) and row[3] == b"0A"
               for row in map(bytes.split, tables.stdout.splitlines()))


class Host:
    """A running client or server."""

    def __init__(self, role, where, spec, *options, prefix=()):
        self.process = subprocess.Popen(
            [*prefix, program, "lab", "traffic", role, "--at" if role == "server" else "--to", where,
             "--limit=20", *options, spec],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def end(self):
        out, err = self.process.communicate(timeout=60)
        self.status, self.lines, self.err = self.process.returncode, out.count(b"\n"), err.decode()
        self.json = json.loads(out) if out else None
        return self


def serve(spec, *options, prefix=(), address="127.0.0.1"):
    """A server that listens, and where."""
    port = free_port()
    where = "%s:%d" % (address, port)
    server = Host("server", where, spec, *options, prefix=prefix)
    until = time.monotonic() + 20
    while not is_listening(port, prefix):
        if server.process.poll() is not None or time.monotonic() > until:
            server.process.kill()
            raise SystemExit("the server does not listen: " + server.end().err)
        time.sleep(0.01)
    return server, where


def both(spec, *options):
    """Client and server of a run that must succeed, by what they printed."""
    server, where = serve(spec, *options)
    client = Host("client", where, spec, *options).end()
    server.end()
    for host in client, server:
        if host.status or host.err or host.lines != 1 or not host.json["complete"]:
            raise SystemExit("%s: status %d: %s" % (spec, host.status, host.err))
    return client.json, server.json


def bulk():
    for direction, up, down in (("up", 3000001, 0), ("down", 0, 3000001), ("both",) + (3000001,) * 2):
        before = time.time_ns()
        client, server = both("dir=%s bytes=3000001 write=10000" % direction)
        case("bulk %s: the bytes of both hosts" % direction,
             (client["sent_bytes"], up), (server["received_bytes"], up),
             (server["sent_bytes"], down), (client["received_bytes"], down),
             (client["writes"], 301 if up else 0), (server["writes"], 301 if down else 0))
        case("bulk %s: the kernel agrees" % direction,
             # it counts the SYN or the FIN as a byte
             all(0 <= host["tcp"]["bytes_received"] - host["received_bytes"] <= 1 and
                 0 <= host["tcp"]["bytes_acked"] - host["sent_bytes"] <= 2 and
                 host["tcp"]["bytes_sent"] >= host["sent_bytes"] and
                 host["tcp"]["unread_bytes"] <= 1 and host["tcp"]["notsent_bytes"] == 0
                 for host in (client, server)))
        case("bulk %s: instants" % direction,
             *[before <= host["start_ns"] <= host["end_ns"] <= time.time_ns() and
               abs(host["end_ns"] - host["start_ns"] - host["seconds"] * 1e9) < 2
               for host in (client, server)],
             0 < client["connect_s"] < client["seconds"], (server["connect_s"], None),
             (client["remote"], server["local"]), (client["local"], server["remote"]))
    client, server = both("bytes=none")
    case("a bulk of nothing", (client["received_bytes"], 0), (client["first_byte_s"], None),
         0 < client["seconds"], 0 < server["seconds"])
    client, server = both("pattern=pull bytes=200k request=300 think=50ms")
    case("pull", (client["sent_bytes"], 300), (server["received_bytes"], 300),
         (server["sent_bytes"], 204800), (client["received_bytes"], 204800),
         client["first_byte_s"] >= 0.05, server["first_byte_s"] < server["seconds"] - 0.05)


def behaviour():
    """No host is faster than it is told to be."""
    client, server = both("dir=up bytes=100k write=10k client.pause=10ms")
    case("a writer with a pause", client["seconds"] >= 0.09, server["seconds"] >= 0.085,
         (client["writes"], 10))
    client, server = both("dir=down bytes=1m client.read=64k client.read-pause=10ms")
    case("a slow reader", client["seconds"] >= 0.15, client["reads"] >= 16)
    client, server = both("dir=down bytes=1m client.read=1000 server.write=1000")
    case("small reads and writes", client["reads"] >= 1049, (server["writes"], 1049))
    for host in "client", "server":
        ends = both("dir=up bytes=1m %s.stall-after=500k %s.stall-for=200ms" % (host, host))
        case("the %s stalls" % host, ends[host == "server"]["seconds"] >= 0.2)
        ends = both("dir=up bytes=160k write=10k read=10k %s.work=5ms" % host)
        # What it works after the last byte is not in its time: 15 of the 16 reads.
        case("the %s is slow" % host, ends[host == "server"]["seconds"] >= 0.074)
    client, _ = both("dir=up bytes=1m write=10k client.stall-after=100k client.stall-for=20ms "
                     "client.stall-times=8")
    case("eight stalls", client["seconds"] >= 0.16)
    client, _ = both("dir=down bytes=1m read=10k client.stall-after=100k client.stall-for=20ms "
                     "client.stall-times=8")
    case("eight stalls of a reader", client["seconds"] >= 0.16)
    client, server = both("dir=both bytes=1m stall-after=500k stall-for=100ms")
    case("both stall", client["seconds"] >= 0.1, server["seconds"] >= 0.1)


def requests():
    client, server = both("pattern=request count=7 request=1000 reply=3000 request-head=985 "
                          "request-writes=4 reply-writes=3 nodelay think=3ms gap=4ms")
    trips = client["requests"]
    case("requests: bytes and writes", (client["sent_bytes"], 7000), (client["writes"], 28),
         (server["received_bytes"], 7000), (server["sent_bytes"], 21000), (server["writes"], 21),
         (client["received_bytes"], 21000))
    case("requests: counts and times", (trips["count"], 7), (server["requests"], {"count": 7}),
         0.003 <= trips["min_s"] <= trips["p50_s"] <= trips["p99_s"] <= trips["max_s"],
         trips["min_s"] <= trips["mean_s"] <= trips["max_s"], "trips_s" not in trips,
         client["seconds"] >= 7 * trips["mean_s"] + 6 * 0.004)
    for count, middle in (100, 49), (101, 50):
        client, server = both("pattern=request count=%d" % count, "--samples")
        trips, rank = client["requests"], sorted(client["requests"]["trips_s"])
        case("requests: percentiles of %d" % count, (len(rank), count), (trips["min_s"], rank[0]),
             (trips["p50_s"], rank[middle]), (trips["p99_s"], rank[count - 2]),
             (trips["max_s"], rank[-1]), abs(sum(rank) / count - trips["mean_s"]) < 1e-9)
    # The wait is that of Linux's delayed ACK, 40 ms at least.
    # (Not of each: after a pause of its own, of a busy machine, a receiver acknowledges at once.)
    slow, _ = both("pattern=request count=20 request=200 request-writes=2")
    fast, _ = both("pattern=request count=20 request=200 request-writes=2 client.nodelay")
    case("write, write, read waits for a delayed ACK without nodelay",
         slow["requests"]["max_s"] >= 0.03, fast["requests"]["p50_s"] < slow["requests"]["max_s"])
    slow, _ = both("pattern=request count=20 reply=4128 reply-head=32 client.nodelay")
    fast, _ = both("pattern=request count=20 reply=4128 reply-head=32 server.nodelay")
    case("a page server without nodelay", slow["requests"]["max_s"] >= 0.03,
         fast["requests"]["p50_s"] < slow["requests"]["max_s"])
    slow, _ = both("pattern=request count=4 client.cork=always")
    case("a cork that is never drawn holds a request for 200 ms", slow["requests"]["min_s"] >= 0.15)
    fast, _ = both("pattern=request count=20 request-writes=2 client.cork=message")
    slow, _ = both("pattern=request count=20 request-writes=2 client.nodelay")
    case("a cork around each message makes one segment of two writes",
         20 <= fast["tcp"]["data_segs_out"] < 40, slow["tcp"]["data_segs_out"] >= 40,
         (fast["writes"], 40))


def options():
    client, server = both("client.cc=reno sndbuf=16k client.rcvbuf=32k maxseg=536 "
                          "server.pacing=80mbit bytes=1m")
    case("socket options", (client["tcp"]["cc"], "reno"), (server["tcp"]["sndbuf_bytes"], 32768),
         (client["tcp"]["rcvbuf_bytes"], 65536), server["tcp"]["rcvbuf_bytes"] != 65536,
         server["tcp"]["snd_mss"] <= 536, (server["tcp"]["max_pacing_rate_bps"], 80000000),
         (client["tcp"]["max_pacing_rate_bps"], None),
         # what it falls behind it may make up for, as fast as twice the rate (tcp_output.c)
         server["seconds"] >= 0.05)
    if has_ipv6():
        server, where = serve("bytes=100k", address="[::1]")
        client = Host("client", where, "bytes=100k").end()
        case("IPv6", (client.status, 0), (server.end().status, 0), (client.json["remote"], where))
    else:
        skip("IPv6", "no ::1 here")
    server, where = serve("bytes=100k", address="")
    client = Host("client", "127.0.0.1" + where, "bytes=100k").end()
    case("a server for all addresses", (client.status, 0), (server.end().status, 0),
         (server.json["local"], "127.0.0.1" + where), (server.json["remote"], client.json["local"]))
    case("an unknown congestion control",
         *failed(Host("client", "127.0.0.1:%d" % free_port(), "cc=nonesuch"), "cc=nonesuch", False))


def samples():
    client, server = both("dir=up bytes=45k write=1k client.pause=100ms", "--samples")
    for host in client, server:
        columns = {name: row for name, row in host["samples"].items() if isinstance(row, list)}
        t = columns["t_s"]
        case("%s: samples" % host["host"], ({len(row) for row in columns.values()}, {len(t)}),
             len(columns) >= 20, 100 <= len(t) <= 4096, t == sorted(set(t)), t[-1] >= 4.3,
             # 4.4 s at 1 ms do not fit, unless a busy machine let some of them be missed
             host["samples"]["interval_s"] == 0.002 or
             max(b - a for a, b in zip(t, t[1:])) > 0.005,
             # and thinned out, none of the time is left without any
             t[0] < 0.1, sum(i < 2.2 for i in t) >= 50,
             columns["cwnd"][0] > 0)
    case("the samples' bytes grow", client["samples"]["bytes_acked"][-1] >= 45 * 1024,
         client["samples"]["bytes_acked"] == sorted(client["samples"]["bytes_acked"]))
    client, _ = both("bytes=1k")
    case("no samples unless asked for", "samples" not in client)
    with open("doc/lab.md", encoding="utf-8") as document:
        text = document.read()
    trips, _ = both("pattern=request", "--samples")
    case("doc/lab.md names every member", *[("`%s`" % name in text and name, name)
                                            for name in [*trips, *trips["requests"]]])


def failed(host, what, has_json=True):
    """Conditions for a host that must have failed."""
    host.end()
    return ((host.status, 1), (host.err.count("\n"), 1), what in host.err,
            (host.lines, int(has_json)),
            not has_json or not host.json["complete"] and host.json["failure"] in host.err)


def was_reset(peer):
    """Whether the other host gave the connection up, instead of still trying to send."""
    peer.settimeout(20)
    try:
        while peer.recv(1 << 20):
            pass
        return False
    except ConnectionResetError:
        return True
    finally:
        peer.close()


def faults():
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        where = "127.0.0.1:%d" % deaf.getsockname()[1]
        for spec in "dir=up bytes=64m", "dir=down", "dir=both bytes=64m", "pattern=request", \
                "dir=up pause=30s", "dir=up bytes=1k":
            host = Host("client", where, spec, "--limit=1")
            conditions = failed(host, "limit of time")
            peer, _ = deaf.accept()
            case("a peer that hangs: %s" % spec, *conditions, host.json["seconds"] >= 0.9,
                 # where nothing was left to send the peer may see a plain end
                 was_reset(peer) or "64m" not in spec)
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        where = "127.0.0.1:%d" % deaf.getsockname()[1]
        host = Host("client", where, "dir=up bytes=200k sndbuf=1m")
        peer, _ = deaf.accept()
        time.sleep(0.3)
        peer.close()
        case("a peer that goes while the last bytes are under way", *failed(host, "reset"),
             (host.json["sent_bytes"], 204800))
    case("nobody listens", *failed(Host("client", where, ""), "refused", False))
    case("nobody connects", *failed(serve("", "--limit=1")[0], "nobody connected", False))
    server, where = serve("dir=up", "--limit=1")
    port = int(where.split(":")[1])
    with socket.create_connection(("127.0.0.1", port)):
        case("a client that says nothing", *failed(server, "limit of time"))

    for spec in "dir=up", "dir=down", "dir=both", "pattern=request count=1000000", "pattern=pull":
        spec += " bytes=1g write=1k pause=5ms gap=5ms"
        for victim in 0, 1:
            server, where = serve(spec)
            hosts = [Host("client", where, spec), server]
            time.sleep(0.3)
            hosts[victim].process.kill()
            hosts[victim].process.communicate()
            left = hosts[1 - victim]
            case("the %s is killed: %s" % (("client", "server")[victim], spec.split(" bytes")[0]),
                 *failed(left, "after"))
    server, where = serve("bytes=1m")
    case("the client expects more than there is",
         *failed(Host("client", where, "bytes=2m"), "ended the connection"))
    server.end()
    server, where = serve("bytes=2m")
    case("the client expects less", *failed(Host("client", where, "bytes=1m"), "same words"))
    case("and hangs up", *failed(server, "reset"))
    for spec in "bytse=1m", "pattern=none", "stall-for=1s":
        host = Host("client", where, spec).end()
        case("a SPEC that cannot be: %s" % spec, (host.status, 2), (host.err.count("\n"), 1))


def read(name, prefix):
    return subprocess.run([*prefix, "cat", "/proc/sys/net/ipv4/tcp_" + name], check=True,
                          stdout=subprocess.PIPE).stdout.split()


def settings(prefix):
    spec = "timestamps=0 sack=no server.window-scaling=0 rmem=4k:50k:6m"
    before = {name: read(name, prefix) for name in ("timestamps", "sack", "rmem")}
    for role in "client", "server":
        case("settings of the %s are refused without --sysctl" % role,
             *failed(Host(role, "127.0.0.1:1", spec, prefix=prefix), "not without --sysctl", False))
    case("and not written", *[(read(name, prefix), value) for name, value in before.items()])
    case("there is something to change", before["timestamps"] != [b"0"], before["sack"] == [b"1"])
    server, where = serve(spec, "--sysctl", prefix=prefix)
    client = Host("client", where, spec, "--sysctl", prefix=prefix).end()
    server.end()
    case("--sysctl: they are written", (client.status, 0), (server.status, 0),
         (read("timestamps", prefix), [b"0"]), (read("sack", prefix), [b"0"]),
         (read("window_scaling", prefix), [b"0"]), (read("rmem", prefix), [b"4096", b"51200", b"6291456"]))
    case("and in force", *[(host.json["tcp"][name], False) for host in (client, server)
                           for name in ("timestamps", "sack", "window_scaling")])
    case("a value that the kernel does not take", *failed(
        Host("client", where, "ecn=5", "--sysctl", prefix=prefix), "tcp_ecn does not take '5'", False))


def two_hosts(a, b):
    """Two namespaces; one host is away for a while."""
    def run(prefix, *words):
        subprocess.run([*prefix, *words], check=True)

    pid = b[b.index("-t") + 1]
    run(a, "ip", "link", "add", "ab", "type", "veth", "peer", "name", "ba", "netns", pid)
    for prefix, device, address in (a, "ab", "192.0.2.1"), (b, "ba", "192.0.2.2"):
        run(prefix, "ip", "address", "add", address + "/24", "dev", device)
        run(prefix, "ip", "link", "set", device, "up")
    spec = "dir=up bytes=500k write=10k client.pause=20ms server.timestamps=0"
    server, where = serve(spec, "--sysctl", prefix=b, address="192.0.2.2")
    client = Host("client", where, spec, "--samples", prefix=a)
    time.sleep(0.4)
    # Packets to an address that is not there are thrown away without a word.
    run(b, "ip", "address", "del", "192.0.2.2/24", "dev", "ba")
    time.sleep(0.8)
    run(b, "ip", "address", "add", "192.0.2.2/24", "dev", "ba")
    client.end()
    server.end()
    case("two namespaces", (client.status, 0), (server.status, 0),
         (server.json["received_bytes"], 512000), (client.json["tcp"]["timestamps"], False),
         (server.json["remote"], client.json["local"]))
    run(b, "ip", "address", "del", "192.0.2.2/24", "dev", "ba")
    case("nobody answers a SYN", *failed(Host("client", where, "", "--limit=1", prefix=a),
                                         "timed out", False))
    tcp, column = client.json["tcp"], client.json["samples"]
    case("an outage is in the samples", tcp["total_retrans"] >= 1, max(column["backoff"]) >= 1,
         4 in column["ca_state"], max(column["unacked"]) >= 1,
         # fields that the kernel's header of the build may not have
         tcp["total_rto"] is None or 1 <= tcp["total_rto"] <= tcp["total_retrans"],
         tcp["total_rto_time_s"] is None or 0.1 <= tcp["total_rto_time_s"] <= 20)


def enter(process):
    return ["nsenter", "-t", str(process.pid), "-U", "--preserve-credentials", "-n"]


def settled(process, other):
    """Whether it came to be in another network namespace than `other`; waits for it."""
    for _ in range(500):
        try:
            if os.readlink("/proc/%d/ns/net" % process.pid) != os.readlink("/proc/%s/ns/net" % other):
                return process.poll() is None
        except OSError:
            return False
        if process.poll() is not None:
            return False
        time.sleep(0.01)
    return False


def namespaces():
    holders = []
    try:
        holders.append(subprocess.Popen(["unshare", "-rn", "sleep", "300"], stderr=subprocess.DEVNULL))
        if not settled(holders[0], "self"):
            return skip("settings of the kernel", "no namespaces here")
        a = enter(holders[0])
        if subprocess.run([*a, "ip", "link", "set", "lo", "up"], check=False).returncode:
            return skip("settings of the kernel", "no ip(8) here")
        holders.append(subprocess.Popen([*a, "unshare", "-n", "sleep", "300"]))
        if not settled(holders[1], holders[0].pid) or not settled(holders[1], "self"):
            return skip("settings of the kernel", "no second namespace here")
        settings(a)
        two_hosts(a, enter(holders[1]))
    except FileNotFoundError as error:
        skip("settings of the kernel", "%s is missing" % error.filename)
    finally:
        for holder in holders:
            holder.kill()
            holder.wait()


signal.signal(signal.SIGPIPE, signal.SIG_DFL)
bulk()
behaviour()
requests()
options()
samples()
faults()
namespaces()
print("1..%d" % cases)
sys.exit(failures > 0)
