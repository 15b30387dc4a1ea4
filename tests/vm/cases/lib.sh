# SPDX-License-Identifier: GPL-2.0
# Sourced by the cases: loading and unloading the module, clients, and small sums.

# a debug kernel needs ten times as long for a submission, so clients must ask less often of it
slowdown=1
[ ! -e /sys/kernel/debug/kmemleak ] || slowdown=10
tg=/sys/kernel/timegraph
module=/lib/tg/timegraph.ko

# die WHY: a case that fails keeps its trace, too
die()
{
	echo "$*"
	keep_trace
	exit 1
}

# load [PARAMETER...]: with a trace, so that the run can be replayed
load()
{
	insmod $module trace_kib=${TRACE_KIB-16384} "$@" || die "insmod: exit status $?"
}

# unload: keep the trace for the replay; a case may unload several times
unload()
{
	keep_trace
	rmmod timegraph || die "rmmod: exit status $?"
	[ ! -e $tg ] || die "$tg is still there"
}

keep_trace()
{
	[ -e /sys/kernel/debug/timegraph/trace ] || return 0
	mkdir -p /out/traces
	n=$(ls /out/traces | wc -l)
	cat /sys/kernel/debug/timegraph/trace >"/out/traces/${0##*/}-${CASE:-case}-$n.trace"
}

# spec TEXT...: one line each
spec()
{
	printf '%s\n' "$@" >/tmp/spec
	tgctl load /tmp/spec || die 'tgctl load failed'
}

# field KEY <JSON: the number behind the first "KEY":
field()
{
	tr '{,' '\n\n' | sed -n "s/.*\"$1\":\\(-\\?[0-9.]*\\).*/\\1/p" | head -n 1
}

# median: of the numbers on standard input, a line each
median()
{
	sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

# truth CHANNEL KEY: of the newest instance of a channel number, from /tmp/truth
truth()
{
	tr '{' '\n' </tmp/truth | grep "\"channel\":$1," | tail -n 1 | field "$2"
}

# client PID KEY: of `tgctl clients --json`, from /tmp/clients: a client a line, whose histograms are objects in it
client()
{
	grep "\"pid\": *$1[,}]" /tmp/clients | tail -n 1 | field "$2"
}

# Where nouveau maps its fences on these kernels, in an address space of a G92's: behind the first channel's push buffer
FENCES=0x13000

# until_true SECONDS COMMAND...: wait for it to be true; longer on a slow host
until_true()
{
	tries_left=$(($1 * 2 * ${TG_SLOW:-10}))
	shift
	until "$@"; do
		tries_left=$((tries_left - 1))
		[ $tries_left -gt 0 ] || return 1
		usleep 50000
	done
}

# watch ... watched: for how many us the guest stood still between these, in $stood
watch()
{
	/host/bin/stall >/tmp/stalled &
	watcher=$!
}
watched()
{
	kill $watcher
	wait $watcher || die 'no witness of stalls'
	stood=$(cat /tmp/stalled)
}

# bomb NAME [OPTION...]: a client without an end, in the background
bomb()
{
	name=$1
	shift
	tgload --name "$name" --kind compute --cost 20ms --every 0 --depth 2 --for 600s "$@" \
		>"/tmp/$name.$$.json" 2>&1 &
}

# none_left: no client has a channel, but a driver's own work. One whose process has left may owe something; at unload
# such a one goes, too, and the module WARNs of any that does not
none_left()
{
	for left in $tg/clients/*; do
		[ ! -e $left ] || [ "$(cat $left/pid 2>/dev/null)" = 0 ] ||
			[ "$(cat $left/state 2>/dev/null || echo left)" = left ] || return 1
	done
}
