# SPDX-License-Identifier: GPL-2.0
# Sourced by what measures in a guest: did the host have a CPU for it all the time?

# witness: until it is told to end, or the script is gone, for how many ms it slept longer than it asked for, where that
# was 30 ms or more: this host, or the one below it, had no CPU to give
witness()
{
	local at ms stood=0 fifo

	fifo=$(mktemp -u) && mkfifo "$fifo" && exec 3<>"$fifo" && rm "$fifo"
	trap 'echo $stood; exit' TERM
	while kill -0 $$ 2>/dev/null; do
		at=${EPOCHREALTIME/./}
		read -r -t 0.02 -u 3
		ms=$(((${EPOCHREALTIME/./} - at) / 1000 - 20))
		[ $ms -lt 30 ] || stood=$((stood + ms))
	done
}

# witness_begin FILE ... witness_end: FILE gets the sum
witness_begin()
{
	witness >"$1" &
	witness=$!
	renice -n -10 -p $witness >/dev/null 2>&1
}
witness_end()
{
	kill $witness
	wait $witness
}

# stood_still MS SECONDS: so much of so long that figures say nothing of ours
stood_still() { [ "$1" -gt $(($2 * 10)) ]; }
