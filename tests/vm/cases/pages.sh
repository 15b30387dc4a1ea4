# SPDX-License-Identifier: GPL-2.0
# Commands of pages, as tests/pages takes them out: run one block, compare what it printed. Sourced by
# tests/pages and, in the guest, by the boot `pages`.

# mask: numbers and blanks differ from run to run
mask() { sed -e 's/-\{0,1\}[0-9][0-9.]*/N/g' -e 's/[ 	][ 	]*/ /g' -e 's/^ //' -e 's/ $//'; }

# same WANTED GOT: line by line, masked. `...` ends a line, or the text: any rest will do
same()
{
	mask <"$1" >"$1.masked"
	mask <"$2" >"$2.masked"
	awk '
	function bad(why) { print why; failed = 1; exit 1 }
	NR == FNR { want[++n] = $0; next }
	rest { next }
	{ got++ }
	want[got] == "..." { rest = 1; next }
	got > n { bad("line " got " is one too many: " $0) }
	{
		w = want[got]
		if (w ~ / ?\.\.\.$/) {
			sub(/ ?\.\.\.$/, "", w)
			$0 = substr($0, 1, length(w))
		}
		if ($0 != w) bad("line " got ": " $0 "; the page has: " w)
	}
	END {
		if (failed) exit 1
		if (!rest && got < n && want[got + 1] != "...") bad("it ends after line " got)
	}' "$1.masked" "$2.masked"
}

# block FILE: run FILE.sh, compare with FILE.output and FILE.check, where they are
block()
{
	sh -e "$1.sh" >/tmp/pages.got 2>&1 </dev/null || { echo "exit status $?"; cat /tmp/pages.got; return 1; }
	if [ -e "$1.output" ]; then
		cp "$1.output" /tmp/pages.want
		same /tmp/pages.want /tmp/pages.got || { cat /tmp/pages.got; return 1; }
	fi
	if [ -e "$1.check" ]; then
		sh "$1.check" </tmp/pages.got || { echo "$(cat "$1.check"): no:"; cat /tmp/pages.got; return 1; }
	fi
}
