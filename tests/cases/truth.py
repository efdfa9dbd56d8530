#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Public captures and pasted traces of known trouble: the top cause, the findings that must and must
not appear, as far as this version has them. Capture formats: packets as tshark counts them. Prints TAP."""
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.environ.get('TW_CASES', os.path.join(HERE, '..', '..', '..', 'shared', 'cases'))
TCPWHY = os.environ.get('TCPWHY', 'build/tcpwhy')

# What the record does not show, or shows only in part; each for its reason.
KNOWN = {
    ('capture-lost-packets.pcap.gz', 'misses capture-dropped-packets'):
        'known: every ACK is for data that is in the capture: nothing shows what it lost',
    ('nagle-delayed-ack-loopback.txt', 'top cause'):
        'known: the paste ends with the delayed ACK, before the segment that Nagle held',
    ('nagle-delayed-ack-loopback.txt', 'misses nagle-delayed-ack'):
        'known: the same',
    ('one-loss-fast-retransmit.txt', 'misses random-loss|burst-loss'):
        'known: the loss is told in the facts; it cost 15 us, which is no fault to cure',
}
# Link types and encapsulations that a later version reads.
UNREAD = ('snoop', 'pktap', 'nflog', 'arcnet', 'erspan', 'vxlan', 'ayiya', 'gtp', '8021ah', 'cfp',
          'geneve', 'ip-in-ip')
cases = failed = 0


def result(name, wrong=None, known=None):
    global cases, failed
    cases += 1
    if not wrong:
        print(f'ok {cases} - {name}')
    elif known:
        print(f'ok {cases} - {name} # SKIP {known}')
    else:
        failed += 1
        print(f'not ok {cases} - {name}\n#   {wrong}')


def table(path):
    with open(path, newline='', encoding='utf-8') as f:
        return list(csv.DictReader(f, delimiter='\t', restval=''))


def run(*args):
    return subprocess.run([TCPWHY, *args], capture_output=True, timeout=120)


def unpacks(path):
    """Whether this build reads the file's compression; counts a skip where not."""
    for ending, library in (('.gz', 'ZLIB'), ('.zst', 'ZSTD')):
        if path.endswith(ending) and os.environ.get(f'TW_WITH_{library}') == '0':
            result(path, True, f'this build reads no {ending}')
            return False
    return True


def judge(folder, row, known_findings):
    name = row['file']
    if not unpacks(f'{folder}/{name}'):
        return
    out = run('--json', '--top', '1000', os.path.join(ROOT, folder, name))
    if out.returncode not in (0, 1):
        result(f'{folder}/{name}', out.stderr.decode().strip())
        return
    seconds, found = {}, set()
    for c in json.loads(out.stdout)['connections']:
        found |= {f['id'] for f in c['findings']}
        for r in c['bill']:
            seconds[r['cause']] = seconds.get(r['cause'], 0) + r['seconds']
        total = sum(r['seconds'] for r in c['bill'])
        if abs(total - c['duration_s']) > 1e-8 * max(1, len(c['bill'])):
            result(f'{folder}/{name}: sum', f'{total} of {c["duration_s"]}')
    top = max(seconds, key=seconds.get) if seconds else None
    if row['top_cause']:
        result(f'{folder}/{name}: top cause',
               None if top in row['top_cause'].split('|') else
               f'{top}, wanted {row["top_cause"]}: {seconds}', KNOWN.get((name, 'top cause')))
    for wanted in row['findings'].split():
        ids = set(wanted.split('|'))
        if ids & known_findings:
            result(f'{folder}/{name}: {wanted}', None if ids & found else f'found {found}',
                   KNOWN.get((name, f'misses {wanted}')))
    for bad in row['forbidden_findings'].split():
        result(f'{folder}/{name}: no {bad}', f'found {found}' if bad in found else None)


def count(row):
    name = row['file']
    if any(word in row['format'] + row['link'] + row['ip_and_tunnel'] for word in UNREAD):
        return
    if not unpacks(f'formats/{name}'):
        return
    out = run('--json', os.path.join(ROOT, 'formats', name))
    if out.returncode not in (0, 1):
        result(f'formats/{name}', out.stderr.decode().strip())
        return
    told = json.loads(out.stdout)['inputs'][0]
    got = [told['packets'], told['tcp_packets']]
    want = [int(row['packets']), int(row['tcp_packets'])]
    result(f'formats/{name}', None if got == want else f'{got}, tshark counts {want}')


if not os.path.isdir(ROOT):
    print(f'1..0 # SKIP no {ROOT}')
    sys.exit(77)
known_ids = {line.split()[0] for line in run('findings').stdout.decode().splitlines() if line.strip()}
for part in ('public', 'text'):
    for entry in table(os.path.join(ROOT, part, 'truth.tsv')):
        judge(part, entry, known_ids)
for entry in table(os.path.join(ROOT, 'formats', 'index.tsv')):
    count(entry)
print(f'1..{cases}')
sys.exit(failed > 0)
