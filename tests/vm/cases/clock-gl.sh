# SPDX-License-Identifier: GPL-2.0
# Sourced, behind lib.sh and disengaged.sh, by cases about what OpenGL programs are charged. Such a program may have several
# channels.

# rows: how many channels the card has seen so far
rows()
{
	tg-truth >/tmp/truth
	grep -o '"channel":' /tmp/truth | wc -l
}

# part FILE NAME KEY: the sum of that client's channels, which are the rows in /tmp/NAME.rows
part()
{
	tr '{' '\n' <"$1" | grep '"channel":' | sed -n "$(cat "/tmp/$2.rows")p" |
		sed -n "s/.*\"$3\":\([0-9]*\).*/\1/p" | awk '{ sum += $1 } END { printf "%.0f\n", sum }'
}

# moves: a channel from row $first on has completed more than a few groups. Mesa makes one to try the card, and then another
moves()
{
	echo "$first,$(rows)" >"/tmp/$name.rows"
	[ "$(part /tmp/truth "$name" groups)" -gt 50 ]
}

# program NAME COMMAND...: in the background; its channels are the next that the card sees
program()
{
	name=$1
	shift
	first=$(($(rows) + 1))
	"$@" >"/tmp/$name.txt" 2>&1 &
	echo $! >"/tmp/$name.pid"
	until_true 60 moves || die "$name does nothing: $(cat "/tmp/$name.txt")"
	echo "$first,$(rows)" >"/tmp/$name.rows"
	pids="$pids $!" names="$names $name"
}
