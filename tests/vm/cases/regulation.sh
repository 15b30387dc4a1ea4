# SPDX-License-Identifier: GPL-2.0
# Sourced by regulation-pe and regulation-ae: reserves of 10, 20 ... 80 % whose clients always have
# more to do (Figure 10), by the card's ground truth over 30 s, and by regulation, which is shorter. In
# batches that fit the GPU. The card is five times slower than life, so that a group takes 40 G or more: to a group that finds the GPU idle the
# guest's own latencies, about G, are charged.
. /host/lib.sh

# A period of 100 ms and groups of 9.2 ms: no capacity is a multiple of a group.
cost=9200us
period=500000		# of this machine

channel_of() { field channel <"/tmp/load.$1"; }

# at_work N: so many clients have completed groups
at_work() { [ "$(cat $tg/clients/*/completed 2>/dev/null | awk '$1 > 2' | wc -l)" = "$1" ]; }

# at_rest: reads the card's truth to /tmp/truth0 when nothing has run since, for 20 ms: what the reserves had this period is
# used up, and the next period has not begun. A window that begins while one is at work may hold the end of what it had in
# one period, and all of what it has in the last: two groups more than its periods gave.
at_rest()
{
	tg-truth >/tmp/truth0
	usleep 20000
	tg-truth >/tmp/truth
	[ $(($(field idle_ns </tmp/truth) - $(field idle_ns </tmp/truth0))) -ge \
		$(($(field elapsed_ns </tmp/truth) - $(field elapsed_ns </tmp/truth0))) ]
}

# whole_periods: reads the card's truth to /tmp/truth1 when a whole number of periods, give or take 10 ms, has passed since
# /tmp/truth0; on a busy host, the best of 30 readings. Each tells how late the next will be.
whole_periods()
{
	late=0		# how long after its sleep a reading comes, us
	best=$period	# how far the best one is from a whole period, us
	for try in $(seq 30); do
		tg-truth >/tmp/truth
		past=$((($(field elapsed_ns </tmp/truth) - $(field elapsed_ns </tmp/truth0)) / 1000 % period))
		# too early is late by a period less
		off=$(((past + period / 2) % period - period / 2))
		[ ${off#-} -ge $best ] || { best=${off#-}; cp /tmp/truth /tmp/truth1; }
		[ $best -gt 10000 ] || break
		[ "$try" = 1 ] || late=$((late + off))
		usleep $((((period - past - late) % period + period) % period))
	done
	echo "$try readings, the best $best us from a whole period"
}

# batch SECONDS RESV:PERCENT...
batch()
{
	span=$1
	shift
	lines= pids=
	for r; do
		c=${r#*:}
		lines="$lines r$c:ht:${r%:*}:50:$((c * period / 100)):$period"
	done
	spec $lines
	for r; do
		c=${r#*:}
		tgload --name "r$c" --kind compute --cost $cost --every 0 --depth 2 --json \
			>"/tmp/load.$c" 2>&1 &
		pids="$pids $!"
	done
	# before, the card knows their channels by those who had them last
	until_true 60 at_work $# || die "not all clients work: $(tgctl clients)"
	sleep 2
	until_true 60 at_rest || die 'the engine never rests, though the reserves leave room'
	sleep "$span"
	whole_periods
	tgctl clients --json >/tmp/clients
	kill $pids
	for pid in $pids; do
		wait "$pid" || die "a client failed: $(cat /tmp/load.*)"
	done
	for r; do
		c=${r#*:}
		channel=$(channel_of "$c")
		for n in 0 1; do
			cp /tmp/truth$n /tmp/truth
			eval "busy$n=\$(truth $channel busy_ns) groups$n=\$(truth $channel groups)"
		done
		echo "$c $((busy1 - busy0)) $((groups1 - groups0)) $(field elapsed_ns </tmp/truth0)" \
			"$(field elapsed_ns </tmp/truth1)" "$(grep "\"comm\": *\"r$c\"" /tmp/clients | field predict_error)" "${r%:*}"
	done >>/tmp/shares
}

# judge N: are the shares of so many reserves right? Both kinds give C/T; AE at most one group more.
judge()
{
	awk -v n="$1" -v period=$period '
	{
		span = $5 - $4; share = $2 / span * 100; group = $2 / $3 / 1000
		one = group * 1000 / span * 100
		off = share - $1
		good = off <= 2 && off >= -2 && ($7 == "pe" || share <= $1 + one)
		printf "%-6s %s %d %%: groups of %.0f us got %.2f %%; prediction error %d per mille\n",
			good ? "ok" : "NOT OK", $7, $1, group, share, $6
		bad += !good
	}
	END { exit bad || NR != n }' /tmp/shares || die 'off by more than 2 points'
}

# regulation pe|ae
regulation()
{
	rm -f /tmp/shares
	load policy=timegraph
	batch 30 "$1:10" "$1:20" "$1:40"
	batch 30 "$1:30" "$1:50"
	for c in 60 70 80; do
		batch 30 "$1:$c"
	done
	unload
	judge 8
}
