#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# libtcpwhy exports what tcpwhy.h declares, nothing else. Usage: tests/symbols.sh LIBRARY
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
declared=$(sed -n 's/^TW_API .*[ *]\(tw_[a-z_]*\)(.*/\1/p' include/tcpwhy.h | sort)
exported=$(nm -D --defined-only "$1" | awk '{ print $3 }' | grep -v '^_\|^\.' | sort)
check "the header's functions are exported, and no others" "$(
	for name in $declared $exported; do echo "$name"; done | sort | uniq -u)"
check "there are some" "$([ -n "$declared" ] || echo none)"
finish
