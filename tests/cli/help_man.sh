#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
#
# The man page says what the program does: options, commands, tables, and examples that run.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/cli.sh
page=$PWD/doc/tcpwhy.1

# Both print "-v", "--top=N", one a line.
of_help() { # WORDS of the command
	"$tcpwhy" "$@" --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*, \)\{0,1\} *\(--[^ ]*\) .*/\1 \2/p' |
		tr -d ',' | tr ' ' '\n' | grep . | sort
}
of_page() { # SECTION
	sed -n "/^\.Sh $1\$/,/^\.Sh/{"'
	/^\.It Fl/{
		s/^\.It //
		s/Fl Fl \([a-z]*\)/--\1/g
		s/Fl \([a-zA-Z]\)/-\1/g
		s/ Ns = Ns Ar /=/
		s/ | /|/g
		s/ , / /g
		p
	}
	}' "$page" | tr ' ' '\n' | sort
}
of_help >"$folder/of_help"
of_page OPTIONS >"$folder/of_page"
check "help and man page have the same options" "$(diff "$folder/of_help" "$folder/of_page")"
check "there are options" "$([ "$(wc -l <"$folder/of_help")" -ge 10 ] || cat "$folder/of_help")"
of_help lab >"$folder/of_help"
of_page "THE LAB" >"$folder/of_page"
check "so they have of the lab" "$(diff "$folder/of_help" "$folder/of_page")"
check "the lab has options" "$([ "$(wc -l <"$folder/of_help")" -ge 6 ] || cat "$folder/of_help")"

"$tcpwhy" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  .*/\1/p' >"$folder/commands"
check "every command is in the man page" "$(while read -r command; do
	grep -qE "Cm $command\$" "$page" || echo "$command"
done <"$folder/commands")"

# The tables in the order of the program's: id, and the owner or class.
section() { # NAME
	sed -n "/^\.Sh $1\$/,/^\.El/p" "$page" | sed 's/\\-/-/g'
}
"$tcpwhy" causes | awk '{ id = $1; $1 = ""; print id }' >"$folder/causes"
section CAUSES | sed -n 's/^\.It Cm //p' | diff "$folder/causes" - >"$folder/diff"
check "the causes are those of 'tcpwhy causes'" "$(cat "$folder/diff")"
check "with their owners" "$("$tcpwhy" causes | while read -r line; do
	id=${line%% *}
	owner=$(section CAUSES | sed -n "/^\.It Cm $id\$/,/^\.Pq/s/^\.Pq //p")
	case $line in
	"$id "*" $owner "*) ;;
	*) echo "$id: the man page says $owner" ;;
	esac
done)"
"$tcpwhy" findings | awk '{ print $1 }' >"$folder/findings"
section FINDINGS | sed -n 's/^\.It Cm //p' | diff "$folder/findings" - >"$folder/diff"
check "the findings are those of 'tcpwhy findings'" "$(cat "$folder/diff")"
check "information is marked" "$("$tcpwhy" findings | awk '$2 == "information" { print $1 }' >"$folder/want"
	section FINDINGS | awk '/^\.It Cm/ { id = $3 } /^\.Pq information/ { print id }' | diff "$folder/want" -)"

# The examples run as they stand, with captures of the names that they use.
tests/cli/capture.py window >"$folder/slow.pcap"
tests/cli/capture.py many >"$folder/monday.pcap"
gzip -c "$folder/slow.pcap" >"$folder/tuesday.pcap.gz"
mkdir "$folder/bin"
ln -s "$tcpwhy" "$folder/bin/tcpwhy"
printf '#!/bin/sh\ncat slow.pcap\n' >"$folder/bin/tcpdump"
command -v jq >/dev/null || printf '#!/bin/sh\npython3 -m json.tool --json-lines\n' >"$folder/bin/jq"
chmod +x "$folder"/bin/*
sed -n '/^\.Sh EXAMPLES/,/^\.Sh CAUSES/s/^\.Dl //p' "$page" | sed 's/\\-/-/g' >"$folder/examples"
check "there are examples" "$([ "$(wc -l <"$folder/examples")" -ge 5 ] || cat "$folder/examples")"
while IFS= read -r example; do
	case "$example ${TW_WITH_PCAP-1} ${TW_WITH_ZLIB-1}" in
	*"'host"*" 0 "? | *.gz*" 0")
		skip "$example" "this build lacks a library"
		continue ;;
	esac
	if said=$(cd "$folder" && PATH=$folder/bin:$PATH sh -c "set -e; $example" 2>"$folder/err" </dev/null) &&
		[ -n "$said" ] && [ ! -s "$folder/err" ]; then
		pass "$example"
	else
		fail "$example" "$said$(cat "$folder/err")"
	fi
done <"$folder/examples"
finish
