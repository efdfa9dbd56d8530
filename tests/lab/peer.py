#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A program for the lab: `peer.py receive PORT` takes connections and reads them to their end;
`peer.py send HOST PORT BYTES` sends, waits until the other side has it all, prints the seconds;
`peer.py leave HOST PORT BYTES` sends and ends at once, while its kernel still has most of it;
`peer.py flood HOST PORT COUNT` sends datagrams as fast as it can;
`peer.py ping HOST BYTES` sends one ICMP echo that must not be fragmented, prints "answered" if it is.
"""

import socket
import struct
import sys
import time


def receive(port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("", int(port)))
    listener.listen()
    while True:
        connection, _ = listener.accept()
        while connection.recv(1 << 18):
            pass
        connection.close()


def send(host, port, n):
    begin = time.monotonic()
    connection = socket.create_connection((host, int(port)))
    block, left = bytes(1 << 18), int(n)
    while left:
        left -= connection.send(block[:left])
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)
    print("took %.6f" % (time.monotonic() - begin), flush=True)


def leave(host, port, n):
    connection = socket.create_connection((host, int(port)))
    connection.setblocking(False)
    sent = connection.send(bytes(int(n)))
    print("left %d" % sent, flush=True)


def flood(host, port, n):
    datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(int(n)):
        datagrams.sendto(b"flood", (host, int(port)))


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ping(host, n):
    # An ICMP datagram socket: what ping(8) opens, and the kernel lets everybody in the lab open.
    echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP)
    echo.setsockopt(socket.IPPROTO_IP, 10, 2)  # IP_MTU_DISCOVER, IP_PMTUDISC_DO
    echo.settimeout(2)
    body = bytes(int(n))
    head = struct.pack("!BBHHH", 8, 0, 0, 0, 1)
    head = struct.pack("!BBHHH", 8, 0, checksum(head + body), 0, 1)
    echo.sendto(head + body, (host, 0))
    print("answered" if echo.recv(65536)[8:] == body else "something else came", flush=True)


if __name__ == "__main__":
    {"receive": receive, "send": send, "leave": leave, "flood": flood, "ping": ping}[sys.argv[1]](*sys.argv[2:])
