#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Golden tests: every line of tests/golden/manifest is a name, a tab, and a command (sh) that is run
# in the root of the repository; what it prints, errors and status too, must be tests/golden/NAME.out
# to the byte. $TCPWHY is the program, $CAPTURE writes small captures, $TW_CASES has recorded ones:
# a case that needs what is not there is skipped.
#
#     tests/golden/run.sh                    all cases
#     tests/golden/run.sh NAME...            some
#     tests/golden/run.sh --update [NAME...] write what is printed now; then read the difference
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
TCPWHY=${TCPWHY:-build/tcpwhy}
CAPTURE=tests/cli/capture.py
TW_CASES=${TW_CASES:-../shared/cases}
# Nothing of the caller's terminal or country may show.
unset COLUMNS NO_COLOR LANG LANGUAGE
LC_ALL=C.UTF-8 TZ=UTC TERM=dumb
export TCPWHY CAPTURE TW_CASES LC_ALL TZ TERM
if [ ! -x "$TCPWHY" ]; then
	fail "the program is there" "$TCPWHY"
	finish
fi
update=
if [ "${1-}" = --update ]; then
	update=yes
	shift
fi
wanted=" $* "
tab=$(printf '\t')
actual=$(mktemp) || exit 1
trap 'rm -f "$actual"' EXIT

missing() { # COMMAND: what it needs and is not there
	# shellcheck disable=SC2016 # the command names the variable
	case $1 in *'$TW_CASES'*) [ -d "$TW_CASES" ] || echo "$TW_CASES is not there" ;; esac
	case $1 in *.gz*) [ "${TW_WITH_ZLIB-1}" = 1 ] || echo "this build reads no gzip" ;; esac
	case $1 in *" # pcap"*) [ "${TW_WITH_PCAP-1}" = 1 ] || echo "this build has no libpcap" ;; esac
}

while IFS=$tab read -r name command; do
	case $name in '' | '#'*) continue ;; esac
	case $wanted in "  " | *" $name "*) ;; *) continue ;; esac
	lack=$(missing "$command")
	if [ -n "$lack" ]; then
		skip "$name" "$lack"
		continue
	fi
	timeout 120 sh -c "$command" >"$actual" 2>&1 </dev/null
	status=$?
	[ $status -eq 0 ] || echo "[exit status $status]" >>"$actual"
	if [ -n "$update" ]; then
		cmp -s "$actual" "tests/golden/$name.out" || echo "# $name has changed"
		cp "$actual" "tests/golden/$name.out"
	fi
	difference=$(diff -u "tests/golden/$name.out" "$actual" 2>&1)
	check "$name" "$difference"
done <tests/golden/manifest

# An expectation that no case has any more is dead.
if [ "$wanted" = "  " ]; then
	check "every expectation has its case" "$(for file in tests/golden/*.out; do
		name=$(basename "$file" .out)
		grep -q "^$name$tab" tests/golden/manifest || echo "$file"
	done)"
fi
finish
