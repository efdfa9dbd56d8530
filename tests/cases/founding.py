#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The traces that tcpwhy was started for: what must be found in them. Prints TAP."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, '..', 'data', 'founding')
TCPWHY = os.environ.get('TCPWHY', 'build/tcpwhy')
cases = failed = 0


def check(name, told, wanted):
    global cases, failed
    cases += 1
    if wanted(told) if callable(wanted) else told == wanted:
        print(f'ok {cases} - {name}')
    else:
        failed += 1
        print(f'not ok {cases} - {name}\n#   got {told!r}')


def explain(name):
    out = subprocess.run([TCPWHY, '--json', os.path.join(DATA, name)], capture_output=True,
                         check=True, timeout=60)
    return json.loads(out.stdout)['connections'][0]


def text(name):
    out = subprocess.run([TCPWHY, '--width', '120', os.path.join(DATA, name)],
                         capture_output=True, check=True, timeout=60)
    return ' '.join(out.stdout.decode().split())


def about(wanted, slack):
    return lambda told: told is not None and abs(told - wanted) <= slack


stall = explain('tcpdump-gigabit-stall.txt')
rows = {(r['cause'], r['side']): r for r in stall['bill']}
check('stall: duration', stall['duration_s'], about(1.530570, 1e-9))
ack = rows.get(('delayed-ack', 'client'), {'seconds': None, 'examples': [{}]})
rto = rows.get(('retransmission-timeout', 'client'), {'seconds': None, 'examples': [{}]})
check('stall: 489.7 ms of delayed ACK', ack['seconds'], about(0.4897, 0.0001))
check('stall: that ACK came at 11:31:39.727530',
      stall['first'] + ack['examples'][0].get('from', 0) + ack['examples'][0].get('waited_s', 0),
      about(11 * 3600 + 31 * 60 + 39.727530, 2e-6))
check('stall: 1.039 s to the timeout', rto['seconds'], about(1.0394, 0.0001))
check('stall: it sent 14481:15929 again',
      [rto['examples'][0].get('seq_from'), rto['examples'][0].get('seq_to')], [14481, 15929])
check('stall: four segments outstanding', rto['examples'][0].get('outstanding'), 5792)
check('stall: a single duplicate ACK', rto['examples'][0].get('dup_acks'), 1)
check('stall: the two are over 99 % of the bill', (ack['seconds'] or 0) + (rto['seconds'] or 0),
      lambda s: s > 0.99 * stall['duration_s'])
check('stall: the findings', [f['id'] for f in stall['findings']],
      ['too-few-dupacks', 'delayed-ack-timer'])
told = text('tcpdump-gigabit-stall.txt')
check('stall: the text says why no fast retransmission', told,
      lambda t: '4 segments (5,792 bytes) outstanding and got a single duplicate ACK' in t)

slow, fast = explain('dtrace-slow.txt'), explain('dtrace-fast.txt')
check('slow: an ACK for 3 segments', slow['directions']['client']['bytes_per_ack'], 4344)
check('fast: an ACK for 13', fast['directions']['client']['bytes_per_ack'], 12 * 1448 + 912)
check('slow: waits of 143 to 161 us',
      [slow['directions']['client']['ack_wait_s'][k] for k in ('min', 'max')],
      [0.000143, 0.000161])
check('slow: the text names both', text('dtrace-slow.txt'),
      lambda t: 'an ACK for every 4,344 bytes (3.0 segments)' in t and '143 us to 161 us' in t)
check('slow: cwnd was still growing', slow['bill'][0]['cause'], 'slow-start')

cut = explain('dtrace-unacked.txt')
found = [f['text'] for f in cut['findings'] if f['id'] == 'cwnd-cut']
check('unacked: the congestion window was cut', len(found), 1)
for figure in ('147,000', '144,800', '147,696', '76,744', '72,400', '1,448'):
    check(f'unacked: {figure}', found, lambda t, f=figure: bool(t) and f in t[0])
check('unacked: no loss is claimed', cut['directions']['client']['losses'],
      lambda n: (n['count'] if isinstance(n, dict) else n) == 0)

print(f'1..{cases}')
sys.exit(failed > 0)
