#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Data runs one way: each folder of src/ includes only folders above it, and from base/ to report/
# nothing prints, exits or reads a clock. The table is the one of doc/ARCHITECTURE.md.
# Usage: tests/layers.sh [ROOT]; tests/layers-self.sh points it at a tree that breaks each rule.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$here/..}" || exit 1
. "$here/tap.sh"

# folder: what it may include beside itself, tcpwhy.h and the generated config.h
allowed='
base:
packet: base
source: base packet
flow: base packet
ledger: base packet source flow
finding: base packet source flow ledger
report: base packet source flow ledger finding
output: base packet source flow ledger finding report
live: base packet source
measure: base
lab: base
tcpwhy.c: base packet source flow ledger finding report
cli: base packet source flow ledger finding report output live measure lab
'

# Prints C files without comments and without the inside of strings, each line led by FILE:LINE:.
code_of() {
	awk '
	FNR == 1 { inside = 0 }
	{
		line = $0
		out = ""
		for (;;) {
			if (inside) {
				at = index(line, "*/")
				if (!at)
					break
				line = substr(line, at + 2)
				inside = 0
			}
			if (!match(line, /\/\*|\/\/|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047/)) {
				out = out line
				break
			}
			token = substr(line, RSTART, 2)
			out = out substr(line, 1, RSTART - 1)
			if (token == "/*") {
				inside = 1
				line = substr(line, RSTART + 2)
			} else if (token == "//") {
				break
			} else {
				out = out "\"\""
				line = substr(line, RSTART + RLENGTH)
			}
		}
		print FILENAME ":" FNR ":" out
	}' "$@"
}

for entry in src/*/ src/*.c; do
	[ -e "$entry" ] || continue
	name=$(basename "$entry")
	rule=$(printf '%s' "$allowed" | grep "^$name:") || {
		fail "src/$name has a place in the table" "no row in tests/layers.sh and doc/ARCHITECTURE.md"
		continue
	}
	may=" ${rule#*:} $name "
	files=$(find "$entry" -name '*.[ch]' -type f | sort)
	[ -n "$files" ] || continue
	# shellcheck disable=SC2086 # no file of ours has a blank in its name
	check "src/$name includes only what it may" "$(grep -Hn '^[ 	]*#[ 	]*include[ 	]*"' $files |
		while IFS= read -r line; do
			path=${line#*\"}
			path=${path%%\"*}
			case $path in
			tcpwhy.h | config.h) continue ;;
			*..*) ;;
			*/*) case $may in *" ${path%%/*} "*) continue ;; esac ;;
			esac
			echo "${line%%:#*}: includes \"$path\""
		done)"
done

quiet=
for name in base packet source flow ledger finding report; do
	[ ! -d "src/$name" ] || quiet="$quiet $(find "src/$name" -name '*.[ch]' -type f | sort | tr '\n' ' ')"
done
[ ! -f src/tcpwhy.c ] || quiet="$quiet src/tcpwhy.c"
code=$(mktemp)
trap 'rm -f "$code"' EXIT
# shellcheck disable=SC2086
code_of $quiet >"$code"

# A call by name: not the tail of a longer name, not a member.
calls() {
	grep -E "(^|[^A-Za-z0-9_.>])($1)[ 	]*\\(" "$code"
}
# Writing to a FILE that the caller hands in is fine; choosing one is not.
check "nothing prints from base/ to report/" "$(
	calls 'printf|vprintf|puts|putchar|dprintf|vdprintf|perror|psignal'
	grep -E '#[ 	]*include[ 	]*<(err|error|syslog)\.h>' "$code"
	grep -E '(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)' "$code"
)"
check "nothing exits from base/ to report/" "$(
	calls 'exit|_exit|_Exit|quick_exit|abort|raise|kill|longjmp')"
check "nothing reads a clock from base/ to report/" "$(
	calls 'time|clock|clock_gettime|gettimeofday|timespec_get|ftime|times|__rdtsc|localtime|ctime')"
finish
