#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# What is printed, where: JSON that other programs read, colours, widths, and outputs that fail.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli.sh
unset NO_COLOR COLUMNS
export LC_ALL=C.UTF-8
tests/cli/capture.py window >"$folder/window.pcap"
tests/cli/capture.py many >"$folder/many.pcap"
escape=$(printf '\033')

# expect NAME TRUE-COMMAND...
expect() {
	name=$1
	shift
	if said=$("$@" 2>&1); then pass "$name"; else fail "$name" "$said"; fi
}

for kind in window many; do
	for form in --json "--json -v"; do
		# shellcheck disable=SC2086 # words
		"$tcpwhy" $form "$folder/$kind.pcap" >"$folder/$kind.json"
		expect "$form of $kind is JSON" python3 -m json.tool "$folder/$kind.json" /dev/null
	done
done
"$tcpwhy" --jsonl "$folder/many.pcap" >"$folder/many.jsonl"
expect "every line of --jsonl is JSON, one a connection" python3 -c '
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
assert len(rows) == 30 and len({row["id"] for row in rows}) == 30, len(rows)
assert all(row["schema"] == "tcpwhy/1" for row in rows)
' "$folder/many.jsonl"
expect "bills and ledgers add up to the nanosecond" python3 -c '
import json, sys
from decimal import Decimal
report = json.load(open(sys.argv[1]), parse_float=Decimal, parse_int=Decimal)
for c in report["connections"]:
    assert sum(row["seconds"] for row in c["bill"]) == c["duration_s"], c["id"]
    assert [r["seconds"] for r in c["bill"]] == sorted((r["seconds"] for r in c["bill"]), reverse=True)
    for side, d in c["directions"].items():
        assert sum(row["seconds"] for row in d["ledger"]) == d["duration_s"], (c["id"], side)
        assert all(row["side"] == side for row in d["ledger"])
total = sum(c["duration_s"] for c in report["connections"])
assert total == report["totals"]["seconds"], (total, report["totals"]["seconds"])
assert sum(row["seconds"] for row in report["totals"]["causes"]) == total
' "$folder/many.json"

"$tcpwhy" "$folder/window.pcap" >"$folder/plain"
check "no colours in a file" "$(grep -F "$escape" "$folder/plain")"
"$tcpwhy" --color=always "$folder/window.pcap" >"$folder/color"
expect "--color=always has them" grep -qF "${escape}[1m" "$folder/color"
sed "s/${escape}\[[0-9;]*m//g" "$folder/color" >"$folder/stripped"
expect "colours change nothing else" cmp "$folder/plain" "$folder/stripped"
# wider_than N: lines over N characters, by characters
wider_than() {
	python3 -c 'import sys
for line in sys.stdin:
    if len(line.rstrip("\n")) > int(sys.argv[1]): print(line, end="")' "$1"
}

if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	in_terminal() { # on a pseudo-terminal
		TERM=xterm script -qec "$1" /dev/null </dev/null
	}
	in_terminal "$tcpwhy $folder/window.pcap" >"$folder/terminal"
	expect "colours on a terminal" grep -qF "${escape}[1m" "$folder/terminal"
	NO_COLOR=1 in_terminal "$tcpwhy $folder/window.pcap" >"$folder/terminal"
	check "NO_COLOR" "$(grep -F "${escape}[1m" "$folder/terminal")"
	in_terminal "$tcpwhy --color=never $folder/window.pcap" >"$folder/terminal"
	check "--color=never" "$(grep -F "${escape}[1m" "$folder/terminal")"
	in_terminal "stty cols 70; $tcpwhy $folder/window.pcap" >"$folder/terminal"
	check "the terminal's width" "$(sed "s/${escape}\[[0-9;]*m//g" "$folder/terminal" | tr -d '\r' | wider_than 70)"
else
	skip "terminals" "no script(1), or no pseudo-terminal"
fi

for width in 60 80 120; do
	check "--width $width" "$("$tcpwhy" --width $width -v "$folder/many.pcap" | wider_than $width)"
	check "COLUMNS=$width" "$(COLUMNS=$width "$tcpwhy" "$folder/many.pcap" | wider_than $width)"
done
check "the least width is 60" "$(COLUMNS=1 "$tcpwhy" "$folder/many.pcap" | wider_than 60)"
check "ASCII in other locales" "$(LC_ALL=C "$tcpwhy" -v "$folder/many.pcap" | LC_ALL=C grep -a '[^ -~]')"
expect "bars in other locales" sh -c "LC_ALL=C $tcpwhy $folder/window.pcap | grep -q '##########\|#########'"

hostile=$folder/$(printf 'a\033[31mb\001\377.pcap')
cp "$folder/window.pcap" "$hostile"
"$tcpwhy" "$hostile" >"$folder/out" 2>&1
check "a hostile name is escaped" "$(LC_ALL=C grep -a "$(printf '[\001\033\377]')" "$folder/out")"
expect "and still told" grep -qF 'a\x1b[31mb\x01\xff.pcap' "$folder/out"
"$tcpwhy" --json "$hostile" >"$folder/out"
expect "in JSON, too" python3 -m json.tool "$folder/out" /dev/null
"$tcpwhy" "$hostile.nothere" >"$folder/out" 2>&1
check "and in errors" "$(LC_ALL=C grep -a "$(printf '[\001\033\377]')" "$folder/out")"

# unread COMMAND...: its output is a pipe that nobody reads any more, from the start
unread() {
	python3 -c 'import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
sys.exit(subprocess.run(sys.argv[1:], stdout=writer).returncode)' "$@"
}

for form in --top=3 --json --jsonl -v; do
	"$tcpwhy" "$form" "$folder/many.pcap" 2>"$folder/err" >/dev/full
	status=$?
	if [ $status -eq 2 ] && grep -q '^tcpwhy: cannot write' "$folder/err" && [ "$(wc -l <"$folder/err")" -eq 1 ]; then
		pass "a full disk, $form"
	else
		fail "a full disk, $form" "status $status: $(cat "$folder/err")"
	fi
	unread "$tcpwhy" "$form" "$folder/many.pcap" 2>"$folder/err"
	echo $? >"$folder/status"
	if [ "$(cat "$folder/status")" -eq 2 ] && [ ! -s "$folder/err" ]; then
		pass "a reader that is gone, $form"
	else
		fail "a reader that is gone, $form" "status $(cat "$folder/status"): $(cat "$folder/err")"
	fi
done
"$tcpwhy" causes >/dev/full 2>"$folder/err"
expect "a full disk, causes" test $? -eq 2
"$tcpwhy" --help >/dev/full 2>"$folder/err"
expect "a full disk, help" test $? -eq 2
finish
