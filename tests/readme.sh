#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The output shown in the documents is what the program prints now.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
if [ "${TW_WITH_ZLIB-1}" = 0 ]; then
	skip "output in the documents is current" "this build reads no gzip"
else
	said=$(script/readme-output --check 2>&1)
	status=$?
	if [ "$status" -eq 0 ]; then
		pass "output in the documents is current"
	else
		fail "output in the documents is current" "$said"
	fi
fi
finish
