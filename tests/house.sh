#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The rules of CONTRIBUTING.md that a script can check: form of the files, and tables that the
# documents must agree with.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

sources=$(find src include tests -name '*.[ch]' -type f | sort)
scripts=$(find script .ci tests -type f ! -name '*.[ch]' ! -path 'tests/*/corpus/*' \
	\( -name '*.sh' -o -name '*.py' -o ! -name '*.*' \) | sort)

# shellcheck disable=SC2086 # no file of ours has a blank in its name
check "every source file begins with its licence" "$(
	for file in $sources; do
		head -n 1 "$file" | grep -q '^/\* SPDX-License-Identifier: BSD-2-Clause \*/$' || echo "$file"
	done
	for file in $scripts; do
		head -n 2 "$file" | grep -q '^# SPDX-License-Identifier: BSD-2-Clause$' || echo "$file"
	done)"
# shellcheck disable=SC2086
check "no file is over 600 lines" "$(wc -l $sources $scripts |
	awk '$2 != "total" && $1 > 600 { print $2 ": " $1 " lines: does it have one job?" }')"
# Kernel style puts a function's braces in the first column.
# shellcheck disable=SC2086
check "no function is over 60 lines" "$(awk '
	/^\{/ { from = FNR }
	/^\}/ {
		if (from && FNR - from - 1 > 60)
			print FILENAME ":" from ": " FNR - from - 1 " lines"
		from = 0
	}' $sources)"
# shellcheck disable=SC2086
check "sources are ASCII, without blanks at line ends" \
	"$(LC_ALL=C grep -nE '[^[:print:]	]|[ 	]$' $sources | cut -c 1-100)"
check "include guards are named after their files" "$(
	for file in $(find src -name '*.h' -type f | sort); do
		guard=TW_$(echo "${file#src/}" | tr 'a-z/.-' 'A-Z___')
		grep -q "^#ifndef $guard\$" "$file" || echo "$file: wants $guard"
	done)"
check "every unit test has its row" "$(
	for file in tests/unit/*.c; do
		name=$(basename "$file" .c)
		grep -qE "^ *'$name':|'$name\.c'" tests/unit/meson.build ||
			echo "$file: no row in tests/unit/meson.build"
	done)"

check "every script in tests/cli/ has its row" "$(
	for file in tests/cli/*.sh; do
		[ ! -e "$file" ] || grep -q "^ *'$(basename "$file" .sh)'," tests/meson.build || echo "$file"
	done)"

check "every test in tests/lab/ has its row" "$(
	for file in tests/lab/*.py; do
		case $file in */lab.py | */peer.py) continue ;; esac
		grep -q "^ *'$(basename "$file" .py)': " tests/meson.build || echo "$file"
	done)"

check "every fuzz target has its row and a corpus" "$(
	for file in tests/fuzz/*.c; do
		name=$(basename "$file" .c)
		[ "$name" != standalone ] || continue
		grep -q "^ *'$name':" tests/fuzz/meson.build || echo "$file: no row in tests/fuzz/meson.build"
		[ -n "$(find "tests/fuzz/corpus/$name" -type f 2>/dev/null | head -n 1)" ] ||
			echo "tests/fuzz/corpus/$name/ is empty"
	done)"

# The rows of an X-macro table as "ENUM id": ids_of FILE TABLE
ids_of() {
	awk -v table="#define $2(X)" '
		index($0, table) { on = 1 }
		on && match($0, /X\([A-Z_0-9]+, "[a-z_-]+"/) {
			split(substr($0, RSTART + 2, RLENGTH - 2), part, "[,\"]")
			print part[1], part[3]
		}
		on && !/\\$/ { exit }' "$1"
}

check "every detector has its file and a unit test that names it" "$(
	ids_of src/finding/finding.h TW_FINDINGS | while read -r enum id; do
		name=$(echo "$enum" | tr A-Z a-z)
		[ -f "src/finding/$name.c" ] || echo "src/finding/$name.c is missing"
		grep -qsE "tw_find_$name([^a-z_]|\$)" tests/unit/*.c || echo "tw_find_$name: no unit test"
	done)"

# documented DOCUMENT FILE TABLE: the ids that the document does not name. man writes - as \-.
documented() {
	[ -f "$1" ] || { echo "$1 is missing"; return; }
	text=$(sed 's/\\-/-/g' "$1")
	ids_of "$2" "$3" | while read -r _ id; do
		printf '%s\n' "$text" | grep -qE "(^|[^a-z0-9_-])$id([^a-z0-9_-]|\$)" || echo "$id"
	done
}
for doc in doc/tcpwhy.1 doc/json.md; do
	check "$doc names every cause" "$(documented $doc src/ledger/cause.h TW_CAUSES)"
	check "$doc names every finding" "$(documented $doc src/finding/finding.h TW_FINDINGS)"
done
check "doc/json.md names every retransmission class and proof" "$(
	documented doc/json.md src/flow/summary.h TW_RESEND_CLASSES
	documented doc/json.md src/flow/summary.h TW_SPURIOUS_PROOFS)"

if command -v mandoc >/dev/null; then
	check "the man page is well formed" "$(mandoc -T lint -W warning doc/tcpwhy.1 2>&1)"
else
	skip "the man page is well formed" "mandoc is missing"
fi
finish
