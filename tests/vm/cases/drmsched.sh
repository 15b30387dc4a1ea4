# SPDX-License-Identifier: GPL-2.0
# Sourced by `drmsched` and its like: tgmock, the test card of drm_sched, and its clients.

mock=/host/bin/mock
as=tgmock		# the name that the card's driver has
card=0000:00:00.0	# until mock_on has found it
bus=pci
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
	bus=pci
	[ ! -d /sys/bus/platform/drivers/$as ] || bus=platform
	card=$(cd /sys/bus/$bus/drivers/$as && ls -d *:* $as 2>/dev/null)
	debug=/sys/kernel/debug/tgmock/$card
	[ -e "$debug" ] || die "no $debug"
}

mock_off()
{
	until_true 20 rmmod tg_mock || die 'tg_mock cannot be unloaded'
}

# busy PID [RING]: ns for which ring 0, or that one, has worked for that process; of submissions of several jobs (as=v3d),
# from when the first one begins until the last one ends
busy()
{
	key=busy_ns
	case $as:${2:-0} in v3d:[02]) key=span_ns;; esac
	sed -n "s/^file $1 ring ${2:-0} .*$key \([0-9]*\).*/\1/p" "$debug" | awk '{ s += $1 } END { printf "%.0f", s }'
}

# jobs PID [RING]: how many jobs of that process ring 0, or that one, has done
jobs()
{
	sed -n "s/^file $1 ring ${2:-0} jobs \([0-9]*\) .*/\1/p" "$debug" | awk '{ s += $1 } END { print s + 0 }'
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

# off WHY: a figure is not what is asked for. A debug kernel's figures mean nothing: they are told
off()
{
	[ $slowdown != 1 ] || die "$*"
	echo "told only, on a debug kernel: $*"
}

# booked PID NS: the account of that process is within 2 % of the truth
booked()
{
	us=$(client "$1" gpu_time_us)
	echo "pid $1: booked $us us, truth $(($2 / 1000)) us"
	[ "${us:-0}" -gt 0 ] || die 'no account'
	[ "$us" -ge $(($2 / 1020)) ] && [ "$us" -le $(($2 / 980)) ] || off 'the account'
}

# fill RUN POLICY [RING]: two loads that fill ring 0 and ring 1, or that one, gated: with `plain` one job each at a time,
# else two. In $rate: for how much of the time the rings have worked, in hundredths of a ring
fill()
{
	load policy=$2 drivers=$as
	[ "$1" = plain ] || spec 'r0:ht:pe:50:20ms:20ms:depth=2' 'r1:ht:pe:50:20ms:20ms:depth=2'
	t0=$(now)
	$mock -r 0 load r0 5000 2 3 >/tmp/r0 &
	p0=$!
	$mock -r ${3:-1} load r1 5000 2 3 >/tmp/r1 &
	p1=$!
	until_true 30 test -s /tmp/r0 || die 'ring 0 does not end'
	until_true 30 test -s /tmp/r1 || die "ring ${3:-1} does not end"
	tgctl clients --json >/tmp/clients
	b0=$(busy $p0) b1=$(busy $p1 ${3:-1}) t1=$(now)
	rate=$(((b0 + b1) / 30000000))
	echo "$1: ring 0 $b0 ns, ring ${3:-1} $b1 ns, in $((t1 - t0)) ns at most: $rate % of one ring in 3 s"
	booked $p0 $b0
	booked $p1 $b1
	wait $p0
	wait $p1
	rm /tmp/r0 /tmp/r1
	unload
}

# hung: a job on ring 0 that does not end, until `echo reset`. Its process is $pid
hung()
{
	load policy=timegraph drivers=$as
	echo 100000000 >$tg/knobs/job_deadline_us || die 'job_deadline_us'
	echo hang 0 >"$debug"
	$mock load r0 1000 2 1 >/tmp/r0 &
	pid=$!
	until_true 10 grep -q "^file $pid ring 0" "$debug" || die 'ring 0: no file'
	usleep 300000
}

# hung_ends: what `hung` has begun
hung_ends()
{
	[ "$(jobs $pid)" = 0 ] || die "ring 0 did not hang: $(cat "$debug")"
	echo reset >"$debug"
	wait $pid || die "r0: exit status $?"
	unload
}

# first [RING]: while ring 0 hangs, new files submit to ring 1, or that one: the first job of each ends all the same
first()
{
	hung
	for k in 1 2 3; do
		$mock -r ${1:-1} load first 1000 1 0.001 >/tmp/first &
		until_true 10 test -s /tmp/first || die "the first job of a file on ring ${1:-1} waits for ring 0's"
		rm /tmp/first
	done
	hung_ends
}
