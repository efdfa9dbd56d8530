#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Input that is not what it should be: status, one line that says why, and what was readable.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli.sh
tests/cli/capture.py window >"$folder/window.pcap"
size=$(wc -c <"$folder/window.pcap")

# answer NAME STATUS PATTERN-IN-STDERR: of the run whose status is in $status
answer() {
	if [ "$status" -eq "$2" ] && grep -qE -- "$3" "$folder/err" && [ "$(wc -l <"$folder/err")" -eq 1 ]; then
		pass "$1"
	else
		fail "$1" "status $status, not $2, or not one line like: $3
$(cat "$folder/err")"
	fi
}

run() {
	timeout 60 "$tcpwhy" "$@" >"$folder/out" 2>"$folder/err"
	status=$?
}

: >"$folder/empty"
run "$folder/empty"
answer "an empty file" 2 '^tcpwhy: .*empty'
run "$folder"
answer "a directory" 2 '^tcpwhy: .*directory'
printf '\377\330\377\340\000\020JFIF\000\001\001\000\000\001' >"$folder/photo.jpg"
run "$folder/photo.jpg"
answer "a JPEG is named" 2 '^tcpwhy: .*photo\.jpg.*JPEG'
printf 'Dear reader,\nthis is a letter.\n' >"$folder/letter"
run "$folder/letter"
answer "a text without packets" 2 '^tcpwhy: .*letter'
head -c 10 "$folder/window.pcap" >"$folder/head"
run "$folder/head"
answer "a capture cut in its header" 2 '^tcpwhy: .*head'
chmod 000 "$folder/head"
if [ -r "$folder/head" ]; then
	skip "a file that may not be read" "this user may read all"
else
	run "$folder/head"
	answer "a file that may not be read" 2 'Permission denied'
fi

cut=$((size / 2))
head -c $cut "$folder/window.pcap" >"$folder/cut.pcap"
run "$folder/cut.pcap"
answer "a capture cut in the middle" 1 '^tcpwhy: .*cut\.pcap.*byte [0-9,]+'
if grep -q '^#1  192' "$folder/out" && grep -q 'warning  ' "$folder/out"; then
	pass "what was readable is explained, with a warning"
else
	fail "what was readable is explained, with a warning" "$(cat "$folder/out")"
fi
run --json "$folder/cut.pcap"
answer "the same in JSON" 1 'byte'
said=$(python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
assert report["inputs"][0]["failed"] and report["inputs"][0]["warnings"], report["inputs"]
assert report["connections"], "no connection"' "$folder/out" 2>&1)
check "JSON says that it failed" "$said"

run - <"$folder/window.pcap"
if [ $status -eq 0 ] && grep -q '^#1  ' "$folder/out" && [ ! -s "$folder/err" ]; then
	pass "standard input"
else
	fail "standard input" "$(cat "$folder/out" "$folder/err")"
fi
head -c $cut "$folder/window.pcap" | run -
head -c $cut "$folder/window.pcap" | { run -; echo $status >"$folder/status"; }
status=$(cat "$folder/status")
answer "a pipe that ends early" 1 'byte [0-9,]+'
run - </dev/null
answer "an empty pipe" 2 '^tcpwhy: .*empty'

if [ "${TW_WITH_ZLIB-1}" = 1 ]; then
	gzip -c "$folder/window.pcap" >"$folder/window.gz"
	run "$folder/window.gz"
	if [ $status -eq 0 ] && grep -q 'gzip' "$folder/out"; then pass "gzip"; else fail "gzip" "$(cat "$folder/out" "$folder/err")"; fi
	head -c 3000 "$folder/window.gz" >"$folder/cut.gz"
	run "$folder/cut.gz"
	answer "gzip that is cut" 1 '^tcpwhy: .*cut\.gz'
else
	skip "gzip" "this build reads no gzip"
fi

tests/cli/capture.py udp >"$folder/udp.pcap"
run "$folder/udp.pcap"
if [ $status -eq 0 ] && grep -q 'also  5 UDP' "$folder/out" && grep -q '^No TCP in it' "$folder/out"; then
	pass "no TCP is no failure"
else
	fail "no TCP is no failure" "status $status: $(cat "$folder/out" "$folder/err")"
fi
tests/cli/capture.py empty >"$folder/none.pcap"
run "$folder/none.pcap"
if [ $status -eq 0 ] && grep -q '0 connections' "$folder/out"; then
	pass "a capture without packets is no failure"
else
	fail "a capture without packets is no failure" "status $status: $(cat "$folder/out" "$folder/err")"
fi
run "$folder/window.pcap" "$folder/photo.jpg"
answer "one of two is no capture" 1 'JPEG'
finish
