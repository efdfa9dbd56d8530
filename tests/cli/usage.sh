#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Arguments: what is taken, what is refused, and with which status and words.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli.sh
tests/cli/capture.py window >"$folder/window.pcap"
tests/cli/capture.py many >"$folder/many.pcap"
cd "$folder" || exit 1

# lacks STREAM PATTERN: what is wrong with it; "-" as a pattern wants silence
lacks() {
	if [ "$2" = - ]; then
		[ ! -s "$folder/$1" ] || echo "; std$1 is not empty"
	else
		grep -qE -- "$2" "$folder/$1" || echo "; std$1 lacks: $2"
	fi
}

# try NAME STATUS PATTERN-IN-STDOUT PATTERN-IN-STDERR ARGUMENTS...
try() {
	name=$1 want=$2 out=$3 err=$4
	shift 4
	"$tcpwhy" "$@" >"$folder/out" 2>"$folder/err" </dev/null
	status=$?
	wrong=
	[ "$status" -eq "$want" ] || wrong="status $status, not $want"
	wrong="$wrong$(lacks out "$out")$(lacks err "$err")"
	if [ -z "$wrong" ]; then
		pass "$name"
	else
		fail "$name" "$wrong
$(cat "$folder/out" "$folder/err")"
	fi
}

try "a file is enough" 0 '^#1  192\.0\.2\.1:40001 > 192\.0\.2\.2:80' - window.pcap
try "explain may be named" 0 '^#1  ' - explain window.pcap
try "two files" 0 ' of 31 connections' - window.pcap many.pcap
try "no arguments" 2 - '^usage: tcpwhy'
try "a command needs its file" 2 - '^usage: tcpwhy' explain
try "an unknown option" 2 - "^tcpwhy: no option '--frobnicate'" --frobnicate window.pcap
try "an unknown letter" 2 - "^tcpwhy: no option '-x'" -x window.pcap
try "an option without its value" 2 - '^tcpwhy: --top wants N' window.pcap --top
try "a value that is no number" 2 - "^tcpwhy: --top wants a number, not 'x'" --top x window.pcap
try "a negative number" 2 - "not '-1'" --top=-1 window.pcap
try "a number too large" 2 - 'wants a number' --top=99999999999999999999 window.pcap
try "a value where none belongs" 2 - '^tcpwhy: --json takes no value' --json=yes window.pcap
try "a choice that is none" 2 - 'wants one of sender' --vantage nowhere window.pcap
try "the start of a choice is none" 2 - 'wants one of sender' --vantage send window.pcap
try "an empty choice is none" 2 - 'wants one of' --color= window.pcap
try "json and jsonl" 2 - 'exclude each other' --json --jsonl window.pcap
try "options after the file" 0 '^\{$' - window.pcap --json
try "help" 0 '--vantage=sender\|receiver\|middle' - --help
try "help, short" 0 'Commands:' - -h
try "version" 0 '^tcpwhy [0-9]+\.[0-9]+' - --version
try "causes" 0 '^receive-window  +receiving host  +the receive window' - causes
try "findings" 0 '^random-loss  +fault  +scattered' - findings
try "causes takes nothing" 2 - 'takes no arguments' causes window.pcap

try "a file that is not there" 2 - '^tcpwhy: .*nothere.*No such file' nothere
try "one of two is not there" 1 '^#1  ' '^tcpwhy: .*nothere\.pcap.*No such file' window.pcap nothere.pcap
try "a path is not taken for a filter" 1 '^#1  ' 'No such file' window.pcap dir/nothere
try "a name after -- is a file where none was before" 0 '^#1  ' - -- window.pcap
cp window.pcap -- -w.pcap
try "a file that looks like an option" 0 '^#1  ' - -- -w.pcap

try "one connection of many" 0 '^#7  ' - --flow 7 many.pcap
try "the others are left out" 0 '1 connection$' - --flow 7 many.pcap
try "a connection that is not there" 2 - '^tcpwhy: no connection #99' --flow 99 many.pcap
try "top" 0 'The 20 costliest of 30' - --top 0 many.pcap
try "top 0 shows no details" 0 'Sum of 30 connections' - --top=0 many.pcap
if grep -q '^#' "$folder/out"; then fail "no details"; else pass "no details"; fi
"$tcpwhy" --top 5 many.pcap >out 2>&1
if [ "$(grep -c '^#' out)" -eq 5 ]; then pass "top 5 shows five"; else fail "top 5 shows five" "$(cat out)"; fi
for place in sender receiver; do
	try "vantage $place" 0 "seen at the $place" - --vantage "$place" window.pcap
done
try "vantage middle" 0 'seen between the hosts' - --vantage middle window.pcap

if [ "${TW_WITH_PCAP-1}" = 0 ]; then
	skip "filter expressions" "this build has no libpcap"
	try "a filter without libpcap is refused" 2 - 'libpcap' window.pcap tcp
else
	try "a filter in words" 0 '1 connection$' - many.pcap host 192.0.2.10 and port 80
	try "a filter in one word" 0 '1 connection$' - many.pcap 'host 192.0.2.10 and port 80'
	try "a filter with a network" 0 '30 connections$' - many.pcap net 192.0.2.0/24
	try "a filter that nothing matches" 0 'Nothing that the filter lets through' - many.pcap port 81
	try "a filter that is none" 2 - '^tcpwhy: .' many.pcap 'host and or'
	try "a filter of two files" 0 '^#1 ' - window.pcap many.pcap host 192.0.2.1
	: >host
	try "-- tells a filter from a file" 2 - '^tcpwhy: .' many.pcap -- host
	try "which is one without it" 1 '^  #' 'host.*empty' many.pcap host
fi
finish
