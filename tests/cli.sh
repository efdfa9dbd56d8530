# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
#
# What the scripts of tests/cli/ begin with; source it in the root of the repository. Sets $tcpwhy,
# the program's absolute path, and $folder, for temporary files.
. tests/tap.sh
tcpwhy=${TCPWHY:-build/tcpwhy}
case $tcpwhy in /*) ;; *) tcpwhy=$PWD/$tcpwhy ;; esac
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
if [ ! -x "$tcpwhy" ]; then
	fail "the program is there" "$tcpwhy"
	finish
fi
