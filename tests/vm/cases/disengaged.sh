# SPDX-License-Identifier: GPL-2.0
# Sourced, behind lib.sh, by cases about shares (slow() wants $scale set): clients without a pause, and
# their shares by the ground truth.

# begin NAME COMMAND...: a client in the background, in $names and $pids; its channel goes to /tmp/NAME.channel
begin()
{
	name=$1
	shift
	tg-truth >/tmp/truth
	rows=$(grep -o '"channel":' /tmp/truth | wc -l)
	"$@" >"/tmp/$name.json" 2>&1 &
	pids="$pids $!" names="$names $name"
	echo $! >"/tmp/$name.pid"
	until_true 20 works "$name" || die "$name does not work: $(cat "/tmp/$name.json")"
}

# go NAME COST [OPTION...]: the same with $in_flight groups in flight (2), without a pause
go()
{
	who=$1 cost=$2
	shift 2
	begin "$who" tgload --name "$who" --kind compute --cost "$cost" --every 0 --depth ${in_flight-2} --json "$@"
}

# works NAME: a channel is there that was not, and completes groups
works()
{
	tg-truth >/tmp/truth
	tr '{' '\n' </tmp/truth | grep '"channel":' | tail -n +$((rows + 1)) | tail -n 1 >/tmp/row
	[ -s /tmp/row ] && [ "$(field groups </tmp/row)" -gt 3 ] && field channel </tmp/row >"/tmp/$1.channel"
}

# charged FILE PID: what that client was charged by `tgctl clients --json`, us
charged() { grep "\"pid\": *$2," "$1" | field gpu_time_us; }

# finish: all end, each with its work done
finish()
{
	kill -TERM $pids
	for pid in $pids; do
		wait "$pid" || die "client $pid: exit status $?: $(cat /tmp/*.json)"
	done
	! grep -h '"errors":[1-9]' /tmp/*.json || die 'errors'
	rm -f /tmp/*.json
	until_true 5 none_left || die "ghosts: $(ls $tg/clients)"
	unload
}

# slow POLICY KNOB...: these knobs, as much longer as the card is slower
slow()
{
	policy=$1
	shift
	for k; do
		k=$tg/knobs/${policy}_$k
		echo $(($(cat $k) * scale)) >$k || die "$k"
	done
}

# part FILE NAME KEY: of the newest row of that client's channel
part() { tr '{' '\n' <"$1" | grep "\"channel\":$(cat /tmp/$2.channel)," | tail -n 1 | field $3; }

busy() { part "$1" "$2" busy_ns; }

# gpu_time FILE NAME: its busy time and the switches to it, ns: what the GPU's own clock has of it
gpu_time() { echo $(($(part "$1" "$2" busy_ns) + $(part "$1" "$2" switch_ns))); }

# fence_gap FILE NAME: the time from the end of its groups' work to the release of their fences, ns
fence_gap() { part "$1" "$2" fence_gap_ns; }

# shares SECONDS: of $names, in percent of what they got together
shares()
{
	tg-truth >/tmp/truth.0
	sleep "$1"
	tg-truth >/tmp/truth.1
	for client in $pids; do
		kill -0 $client || die "client $client has ended: $(cat /tmp/*.json)"
	done
	shares=$(for n in $names; do
		echo $(busy /tmp/truth.0 $n) $(busy /tmp/truth.1 $n)
	done | awk '{ d[NR] = $2 - $1; sum += d[NR] } END { for (i = 1; i <= NR; i++) printf "%.1f ", d[i] * 100 / sum }')
	echo "shares: $shares"
}
