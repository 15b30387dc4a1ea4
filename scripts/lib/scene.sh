# SPDX-License-Identifier: GPL-2.0
# Sourced in the guest, behind guest.sh: the demo's scene, a game beside command bombs, by the card's ground truth.
# The demo, and the VM cases that hold it against its claims, measure by it.
#
# The game: frames of 4 groups of 4 ms with 2 ms of CPU between them, due every 50 ms, shown at the next 16.7 ms
# tick. A bomb: 20 ms groups back to back, two in flight. On a card that is $scale times slower than life all times
# of this machine are as many times longer, and what is printed is as in life.

# busy FILE: the GPU's busy ns in a ground truth
busy() { tr '{' '\n' <"$1" | number busy_ns; }

# used FILE CHANNEL INSTANCE: those of one channel; nothing before it is there
used() { tr '{' '\n' <"$1" | grep "\"channel\":$2,\"instance\":$3," | number busy_ns | grep . || echo 0; }

# at_work N SECONDS: wait until N channels of clients that are there have done two groups each. While channels are
# made, which keeps an emulated machine busy for seconds, a completion may be told so late that its reserve is in debt
# for the next ones: by then that is paid, too.
at_work()
{
	left=$(($2 * ${TG_SLOW:-10}))
	until tg-truth | tr '{' '\n' | sed -n 's/.*"alive":true.*"groups":\([0-9]*\).*/\1/p' |
		awk -v n="$1" '$1 >= 2 { k++ } END { exit k + 0 < n }'
	do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		usleep 100000
	done
}

# ms TENTHS: so many tenths of a ms of life, as this machine's time
ms() { echo $(($1 * scale * 100))us; }

# row NAME SECONDS BOMBS: for so long, from when the bombs are at work and the game is about to begin. Prints
# `row NAME FPS P99_US BOMBS_PERCENT`.
row()
{
	pids= bombs=
	for i in $(seq "$3"); do
		tgload --name bomb --kind compute --cost 20ms --every 0 --depth 2 >/tmp/bomb.$i 2>&1 &
		bombs="$bombs $!"
	done
	at_work "$3" 60 || die "the bombs do not begin: $(cat /tmp/bomb.*)"
	stopped /tmp/game --name game --kind compute --cost 4ms --groups 4 --think "$(ms 20)" --every "$(ms 500)" \
		--vsync "$(ms 167)" --depth 1 --for "$2s"
	sleep 1
	tg-truth >/tmp/truth0
	kill -CONT $pids
	sleep $(($2 - 1))
	tg-truth >/tmp/truth1
	wait $pids || die "game: $(cat /tmp/game)"
	[ -z "$bombs" ] || kill $bombs
	for pid in $bombs; do
		wait "$pid" || die "a bomb failed: $(cat /tmp/bomb.*)"
	done
	channel=$(number channel </tmp/game)
	# The game's is the newest channel of its number
	instance=$(tr '{' '\n' </tmp/truth1 | grep "\"channel\":$channel," | tail -n 1 | number instance)
	all=$(($(busy /tmp/truth1) - $(busy /tmp/truth0)))
	own=$(($(used /tmp/truth1 "$channel" "$instance") - $(used /tmp/truth0 "$channel" "$instance")))
	span=$(($(number elapsed_ns </tmp/truth1) - $(number elapsed_ns </tmp/truth0)))
	p99=$(sed -n 's/.*"frame_us":{[^}]*"p99":\([0-9]*\).*/\1/p' /tmp/game)
	awk -v name="$1" -v fps="$(number fps </tmp/game)" -v p99="$p99" -v scale="$scale" \
		-v bombs=$((all - own)) -v span="$span" \
		'BEGIN { printf "row %s %.1f %d %.2f\n", name, fps * scale, p99 / scale, bombs * 100 / span }'
}
