# SPDX-License-Identifier: GPL-2.0
# Sourced, behind lib.sh and disengaged.sh, by cases about the GPU's own clock: what clients are charged, against
# the time that the card was busy for them and switched to them.

# snapshot NAME: while all clients stand still, and nothing of theirs is on the GPU
snapshot()
{
	kill -STOP $pids
	sleep 0.3
	tgctl clients --json >"/tmp/clients.$1" && tg-truth >"/tmp/truth.$1" || die "snapshot $1 failed"
	kill -CONT $pids
}

# compare LABEL PERCENT GAPS [LIAR]: a line for each client; is each charged within so much of the truth, and of the time
# that its fences were late (GAPS 1) or not (0)? LIAR may be charged more
compare()
{
	for name in $names; do
		read -r pid <"/tmp/$name.pid"
		echo $name $(($(charged /tmp/clients.1 "$pid") - $(charged /tmp/clients.0 "$pid"))) \
			$((($(gpu_time /tmp/truth.1 $name) - $(gpu_time /tmp/truth.0 $name)) / 1000)) \
			$((($(fence_gap /tmp/truth.1 $name) - $(fence_gap /tmp/truth.0 $name)) / 1000))
	done | awk -v clients="$(echo $names | wc -w)" -v label="$1" -v percent="$2" -v gaps="$3" -v liar="${4-}" '
	{
		off = $2 - $3
		amount = off < 0 ? -off : $1 == liar ? 0 : off
		bad = $3 < 5000 || amount > $3 * percent / 100 + gaps * $4
		wrong += bad
		printf "%s%s: %s charged %d us, truth %d us: %+.2f %%, gaps %.2f %%\n", \
			bad ? "NOT OK  " : "ok      ", label, $1, $2, $3, off / $3 * 100, $4 / $3 * 100
	}
	END { exit wrong || NR != clients }'
}

# between SECONDS: snapshot 0 and, so much later, snapshot 1, watched
between()
{
	watch
	snapshot 0
	sleep $1
	snapshot 1
	watched
}

# disturbed SECONDS: the guest stood still for 1 % of so long, so it is measured again
disturbed()
{
	[ $stood -gt $(($1 * 10000)) ] || return
	echo "the guest stood still for $stood us of $1 s: measured again"
}

# measure LABEL POLICY SECONDS DEPTH PERCENT GAPS COST...: that of clients of these costs, back to back. If it is too
# far from the truth while the guest stood still for 1 % of the time, it is measured again.
measure()
{
	label=$1 policy=$2 secs=$3 in_flight=$4 percent=$5 gaps=$6
	shift 6
	insmod $module policy=$policy || die "insmod: exit status $?"
	pids= names= n=0
	for each; do
		n=$((n + 1))
		go $each-$n $each
	done
	sleep 1
	for try in 1 2 3 4; do
		between $secs
		result=0
		compare "$label" $percent $gaps || result=1
		[ $result = 1 ] && disturbed $secs || break
	done
	exact=$(cat $tg/stats/clock_exact) noticed=$(cat $tg/stats/clock_noticed)
	echo "$label: $exact completions by the GPU's clock, $noticed by interrupts"
	[ "$exact" -gt "$noticed" ] || result=1
	finish
	wrong=$((${wrong:-0} + result))
}
