# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# For test scripts: source it, call pass, fail or skip once per case, end with finish. Prints TAP,
# which tests/run-all counts case by case.

tap_cases=0
tap_failed=0

# pass NAME
pass() {
	tap_cases=$((tap_cases + 1))
	echo "ok $tap_cases - $1"
}

# fail NAME [DETAIL]: the detail may be many lines
fail() {
	tap_cases=$((tap_cases + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_cases - $1"
	[ -z "${2-}" ] || printf '%s\n' "$2" | sed 's/^/#   /'
}

# skip NAME REASON
skip() {
	tap_cases=$((tap_cases + 1))
	echo "ok $tap_cases - $1 # SKIP $2"
}

# check NAME OUTPUT: passes where a checker found nothing to say
check() {
	if [ -z "$2" ]; then
		pass "$1"
	else
		fail "$1" "$2"
	fi
}

finish() {
	echo "1..$tap_cases"
	[ "$tap_cases" -gt 0 ] && [ "$tap_failed" -eq 0 ]
	exit
}
