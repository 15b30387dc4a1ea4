# SPDX-License-Identifier: GPL-2.0
# Sourced by `drmsched`: tgmock, the test card of drm_sched, and its clients.

mock=/host/bin/mock
as=tgmock		# the name that the card's driver has
card=0000:00:00.0	# until mock_on has found it
node=/dev/dri/renderD128

# mock_on PARAMETER...: the driver, and its card
mock_on()
{
	# What a case before this one has left when it failed
	! grep -q '^timegraph ' /proc/modules || rmmod timegraph
	! grep -q '^tg_mock ' /proc/modules || rmmod tg_mock
	modprobe -a drm gpu-sched
	insmod "/host/bin/tg_mock-$(uname -r).ko" as=$as "$@" || die "insmod tg_mock: exit status $?"
	until_true 10 test -c $node || die 'tgmock brought no render node'
	card=$(ls /sys/bus/pci/drivers/$as | grep :)
	debug=/sys/kernel/debug/tgmock/$card
	[ -e "$debug" ] || die "no $debug"
}

mock_off()
{
	until_true 20 rmmod tg_mock || die 'tg_mock cannot be unloaded'
}

# busy PID: ns for which ring 0 has worked for that process
busy()
{
	sed -n "s/^file $1 ring 0 .*busy_ns \([0-9]*\).*/\1/p" "$debug" | awk '{ s += $1 } END { printf "%.0f", s }'
}

# jobs PID: how many jobs of that process ring 0 has done
jobs()
{
	sed -n "s/^file $1 ring 0 jobs \([0-9]*\) .*/\1/p" "$debug" | awk '{ s += $1 } END { print s + 0 }'
}

# ring KEY: of ring 0
ring()
{
	sed -n "s/^ring 0 .*$1 \([0-9]*\).*/\1/p" "$debug"
}

# jobs_of FILE: how many jobs `mock load` says it has had
jobs_of()
{
	sed -n 's/.* jobs \([0-9]*\) .*/\1/p' "$1"
}

# together SECONDS: a game of 2 ms, one job at a time, beside a bomb of 3 ms, 40 deep, each of them twice as long as it
# is watched. In $game and $bomb how many jobs each has had, in $bomb_share the card's time for the bomb, per mille of
# the time for which it was watched. When both are done, accounts are in /tmp/clients, and the truth in $game_busy, $bomb_busy
together()
{
	$mock load bomb 3000 40 $(($1 * 2)) >/tmp/bomb &
	bomb_pid=$!
	$mock load game 2000 1 $(($1 * 2)) >/tmp/game &
	game_pid=$!
	until_true 10 test -n "$(busy $game_pid)" || die 'no game'
	sleep 1
	b0=$(busy $bomb_pid) t0=$(now)
	sleep "$1"
	b1=$(busy $bomb_pid) t1=$(now)
	until_true 30 test -s /tmp/game || die 'the game does not end'
	until_true 30 test -s /tmp/bomb || die 'the bomb does not end'
	[ ! -e $tg ] || tgctl clients --json >/tmp/clients
	game_busy=$(busy $game_pid) bomb_busy=$(busy $bomb_pid)
	game=$(jobs $game_pid) bomb=$(jobs $bomb_pid)
	wait $game_pid || die "the game: exit status $?"
	wait $bomb_pid || die "the bomb: exit status $?"
	for f in game bomb; do grep -q ' failed 0 ' /tmp/$f || die "refused: $(cat /tmp/$f)"; done
	bomb_share=$(((b1 - b0) * 1000 / (t1 - t0)))
	echo "$1 s: game $game jobs, $game_busy ns; bomb $bomb jobs, $bomb_busy ns, $bomb_share per mille"
}

now()
{
	sed -n 's/^now_ns //p' "$debug"
}

# booked PID NS: the account of that process is within 2 % of the truth
booked()
{
	us=$(client "$1" gpu_time_us)
	echo "pid $1: booked $us us, truth $(($2 / 1000)) us"
	[ "${us:-0}" -ge $(($2 / 1020)) ] && [ "$us" -le $(($2 / 980)) ] || die 'the account'
}
