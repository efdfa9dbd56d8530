#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# Every header compiles alone, so that no file depends on the order of its includes; the public one
# also without GNU extensions. Usage: CC=... tests/headers.sh BUILD (where config.h is)
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
build=${1:?usage: tests/headers.sh BUILD}
cc=${CC:-cc}

compiles() { # NAME FLAGS...
	name=$1
	shift
	# shellcheck disable=SC2086 # CC may hold words
	printf '#include "%s"\n' "$name" |
		$cc "$@" -Iinclude -Isrc "-I$build" -Wall -Wextra -Wundef -Wstrict-prototypes -Werror \
			-fsyntax-only -x c - 2>&1
}

check "tcpwhy.h compiles alone, as C99" "$(compiles tcpwhy.h -std=c99 -pedantic)"
for header in $(cd src && find . -name '*.h' -type f | sort); do
	header=${header#./}
	check "$header compiles alone" "$(compiles "$header" -std=gnu17 -D_GNU_SOURCE)"
done
finish
