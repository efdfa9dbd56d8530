#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# A check that cannot fail is none: tests/layers.sh must name each fault of a tree made for it, and
# must not take comments, strings, members and longer names for calls.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/tap.sh"
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/base" "$tree/src/packet" "$tree/src/flow" "$tree/src/cli" "$tree/src/odd"
echo 'int odd;' >"$tree/src/odd/odd.c"
cat >"$tree/src/base/good.c" <<'EOT'
#include "base/good.h"
#include "config.h"
/* printf("no"); exit(1);
   time(NULL); stdout */
// puts("no");
static const char *s = "printf(\"x\") /* stderr"; int tw_time(int a); /* "abort()" */
int f(struct x *x) { snprintf(b, 9, "%d", x->time(1)); return tw_time(2) + x.exit(3) + '"'; }
EOT
cat >"$tree/src/cli/good.c" <<'EOT'
#include "flow/flow.h"
int main(void) { printf("hello"); exit(time(NULL)); }
EOT
printf '#include "flow/flow.h"\n' >"$tree/src/packet/up.c"
printf '#include "flow.h"\n#include "base/../cli/x.h"\n' >"$tree/src/flow/bare.c"
printf 'int a(void) { return printf ("x"); }\nFILE *f = stderr;\n' >"$tree/src/flow/print.c"
printf 'int b(void) { exit(1); }\n' >"$tree/src/packet/exit.c"
printf 'int c(void) { /* a */ return /* b */ time(NULL); }\n' >"$tree/src/packet/clock.c"

said=$("$here/layers.sh" "$tree")
status=$?
[ "$status" -ne 0 ] && pass "a broken tree fails" || fail "a broken tree fails" "$said"
expect() {
	if printf '%s\n' "$said" | grep -qF -e "$2"; then pass "$1"; else fail "$1" "$said"; fi
}
expect "good files pass" "ok 1 - src/base includes only what it may"
expect "the command line may use everything" "ok 2 - src/cli includes only what it may"
expect "an include against the data's direction" 'src/packet/up.c:1: includes "flow/flow.h"'
expect "an include without its folder" 'src/flow/bare.c:1: includes "flow.h"'
expect "an include through the parent folder" 'src/flow/bare.c:2: includes "base/../cli/x.h"'
expect "a folder without a place" "not ok 4 - src/odd has a place in the table"
expect "a printf" "src/flow/print.c:1:"
expect "a stream chosen" "src/flow/print.c:2:"
expect "an exit" "src/packet/exit.c:1:"
expect "a clock read" "src/packet/clock.c:1:"
case $said in
*good.c*) fail "nothing else is named" "$said" ;;
*) pass "nothing else is named" ;;
esac
finish
