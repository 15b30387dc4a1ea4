# SPDX-License-Identifier: GPL-2.0
# Sourced by two-cards and two-cards-fermi, which name the Fermi's place on the bus: $fermi is 0 or 1. The other
# card is a G92.
. /host/lib.sh
driver=/sys/bus/pci/drivers/nouveau
tesla=$((1 - fermi))

node() { echo /dev/dri/renderD$((128 + $1)); }

# address CARD: its place on the bus, whichever driver has it
address() { set -- "$1" /sys/bus/pci/drivers/nouveau/0000:*; shift "$1"; basename "$2"; }

# go CARD NAME COST [OPTION...]: a client in the background; its pid in $pid, its report in /tmp/report.PID
go()
{
	card=$1 name=$2 cost=$3
	shift 3
	sh -c 'exec tgload "$@" >/tmp/report.$$ 2>&1' sh --name "$name" --device "$(node $card)" --cost "$cost" \
		--depth 2 --for 600s --json "$@" &
	pid=$!
}

# What goes through an open gate is not counted as completed.
all_there() { [ "$(tgctl clients --json | grep -c '"submitted":[1-9]')" = "$1" ]; }

# ended PID...: they end, each with its work done
ended()
{
	kill "$@"
	for pid; do
		wait "$pid" || die "client $pid: exit status $?: $(cat /tmp/report.$pid)"
		[ "$(field errors </tmp/report.$pid)" = 0 ] || die "client $pid: $(cat /tmp/report.$pid)"
	done
	until_true 10 none_left || die "ghosts: $(tgctl clients)"
}

# books N: both sides, while nobody has a group in flight
books()
{
	kill -STOP $pids
	sleep 2
	tgctl clients --json >/tmp/clients.$1
	tg-truth 0 >/tmp/truth.0.$1
	tg-truth 1 >/tmp/truth.1.$1
	kill -CONT $pids
}

# busy CARD CHANNEL N: what PGRAPH has done for the newest instance of that channel
busy()
{
	tr '{' '\n' <"/tmp/truth.$1.$3" | grep "\"channel\":$2,.*PGRAPH" | tail -n 1 | field busy_ns
}

charged()
{
	cp "/tmp/clients.$2" /tmp/clients
	client "$1" gpu_time_us
}

# compared FROM TO: between these books, was each of $pids, which are of $cards and have ended, charged within 3 % of the
# truth of its own card?
compared()
{
	from=$1 to=$2
	set -- $cards
	for pid in $pids; do
		channel=$(field channel </tmp/report.$pid)
		echo "$1 $channel $(charged $pid $from) $(charged $pid $to) $(busy $1 $channel $from) $(busy $1 $channel $to)"
		shift
	done | awk '
	{
		c = $4 - $3; t = ($6 - $5) / 1000; e = t ? (c / t - 1) * 100 : 100
		printf "card %d channel %d: charged %d us, busy %d us: %+.2f %%\n", $1, $2, c, t, e
		bad += e > 3 || e < -3
	}
	END { exit bad || NR != 4 }' || die 'off by more than 3 %'
}

# four A B: two clients on each card, of cost A and B; pids in $pids, their cards in $cards
four()
{
	pids= cards=
	for card in 0 1; do
		for cost in $1 $2; do
			go $card c$card$cost $cost
			pids="$pids $pid" cards="$cards $card"
		done
	done
	until_true 30 all_there 4 || die "only these joined: $(tgctl clients)"
}

accounts()
{
	load policy=fifo
	four 8ms 24ms
	sleep 1
	books 0
	sleep 15
	books 1
	ended $pids
	unload	# its trace is kept, whatever it shows
	compared 0 1
}

# With one group at a time on each engine, and a load beside it that is the other card's
overlap()
{
	load policy=timegraph
	go $tesla other 8ms
	other=$pid
	go $fermi compute 20ms
	one=$pid
	go $fermi copy 1ms --kind copy
	two=$pid
	until_true 30 all_there 3 || die "only these joined: $(tgctl clients)"
	tgctl clients --json >/tmp/clients
	first="$(client $one completed) $(client $two completed)"
	sleep 8
	tgctl clients --json >/tmp/clients
	last="$(client $one completed) $(client $two completed)"
	ended $one $two $other
	echo "$first $last" | awk '
	{ printf "%d groups of computation, %d of copies\n", $3 - $1, $4 - $2; exit !($3 > $1 && $4 - $2 > 3 * ($3 - $1)) }' ||
		die 'copies wait for computation'
	unload
}

# Where tg_refuse is loaded, the function in nouveau's table is its own
hooked() { grep -q -e '^nouveau_drm_ioctl ' -e '^refuse_file_ioctl ' /sys/kernel/debug/tracing/enabled_functions; }
far() { [ "$(cat $tg/clients/*/completed | sort -n | tail -n 1)" -ge "$1" ]; }
bound() { [ -c "$(node $1)" ]; }

# Only with no channel open: nouveau itself does not bear more (unbind-control)
unbound()
{
	[ -e /sys/kernel/debug/tracing ] || die 'no tracefs'
	address 0 >/tmp/address.0 && address 1 >/tmp/address.1
	load policy=timegraph
	hooked || die 'a Fermi is there, but its objects are not looked at'
	for gone in $tesla $fermi; do
		stays=$((1 - gone))
		go $stays stays 4ms
		until_true 30 [ -d $tg/clients ] && until_true 30 all_there 1 || die "it does not work: $(tgctl clients)"
		done=$(cat $tg/clients/*/completed)
		cat /tmp/address.$gone >$driver/unbind || die "unbind: exit status $?"
		dmesg | tail -n 20 | grep -q "timegraph: GPU $gone has gone: 0 waiters released, hooks stay on for the others" ||
			die "the log does not say that it has gone: $(dmesg | tail -n 3)"
		if [ $gone = $fermi ]; then
			! hooked || die 'the Fermi has gone, but each ioctl is looked at'
		else
			hooked || die 'the Fermi is there, but its objects are not looked at'
		fi
		until_true 20 far $((done + 50)) || die "the other card stands still: $(tgctl clients)"
		cat /tmp/address.$gone >$driver/bind || die "bind: exit status $?"
		until_true 20 bound $gone || die 'no render node'
		hooked || die 'bound again, but nouveau is not hooked'
		stays=$pid
		go $gone back 4ms --count 30
		wait $pid || die "on the card that came back: $(cat /tmp/report.$pid)"
		ended $stays
	done
	[ "$(cat $tg/stats/lost)" = 0 ] || die "lost: $(cat $tg/stats/lost)"
	unload
	! hooked || die 'unloaded, but nouveau is hooked'
}

# The thread reads both cards in turn; the card is ten times slower than life, and so are the lengths
seen()
{
	load policy=loga
	for k in poll_us rest_us look_us; do
		echo $(($(cat $tg/knobs/loga_$k) * 10)) >$tg/knobs/loga_$k || die $k
	done
	echo 0 >$tg/knobs/loga_rest_us
	four 2ms 8ms
	sleep 2
	for mode in 0 1; do
		echo $mode >$tg/knobs/loga_mode
		sleep 1
		books $mode.0
		sleep 12
		books $mode.1
	done
	ended $pids
	for mode in 0 1; do
		echo "mode $mode:"
		compared $mode.0 $mode.1
	done
	unload
}

# driver_of: the cards whose driver has copied, by the numbers that the module gives them
driver_of()
{
	tgctl clients --json | grep '"comm": *"kernel=nouveau"' | while read -r line; do echo "$line" | field gpu; done |
		sort -u | tr '\n' ' '
}
copies() { [ -n "$(driver_of)" ]; }

# nouveau moves memory on one card, whose engine for copies is found by what that card has; the other one has none to move.
# Where a Tesla moves 17 MiB, nouveau writes thousands of page table entries, which takes this machine a second
copied()
{
	for short in $tesla $fermi; do
		mib=17	# four of these are more than it has
		[ $short = $tesla ] || mib=27
		load policy=timegraph
		go $((1 - short)) other 8ms
		other=$pid
		evicts=
		for i in 0 1 2 3; do
			go $short hog$i 6ms --mem $mib --every 80ms
			evicts="$evicts $pid"
		done
		until_true 60 copies || die "no kernel=nouveau on card $short: $(tgctl clients) $(cat /tmp/report.*)"
		sleep 5
		[ "$(driver_of)" = "$short " ] || die "moved on card $short, and charged: $(tgctl clients)"
		used=$(tgctl clients --json | grep '"comm": *"kernel=nouveau"' | field gpu_time_us)
		[ "$used" -gt 0 ] || die "copies of card $short cost nothing: $(tgctl clients)"
		# nouveau refuses some of their work, where what it has to move is in use. Who ends then may lose its channel to a
		# fault on a Fermi, with the module and without, and wait for a fence that does not come.
		kill -9 $evicts 2>/dev/null
		wait $evicts
		ended $other
		unload
	done
}

# of PID FIELD: as tgctl clients has it
of()
{
	tgctl clients --json >/tmp/clients || die "clients: exit status $?"
	client "$1" "$2"
}

# holds PID PRIO PID PRIO
holds() { [ "$(of $1 prio) $(of $3 prio)" = "$2 $4" ]; }

# limited PID OTHER: for a while the one gets no more than its reserve, the other one gets more than that
limited()
{
	from=$(cut -d ' ' -f 1 /proc/uptime) used=$(of $1 gpu_time_us) free=$(of $2 gpu_time_us)
	sleep 8
	used=$(($(of $1 gpu_time_us) - used)) free=$(($(of $2 gpu_time_us) - free))
	# C of every T; a budget that is full at first; a group that it had begun, and one beyond it
	cut -d ' ' -f 1 /proc/uptime | awk -v from=$from -v used=$used -v free=$free '
	{
		most = ($1 - from) * 1e6 / 10 + 10000 + 2 * 40000
		printf "on the named card %d us of %d, on the other %d us\n", used, most, free
		exit !(used > 0 && used <= most && free > 2 * used)
	}' || die 'the line does not hold where it should, or holds where it should not'
}

# One program on both cards: a line for one of them, the other way round, and for one that is not there
named()
{
	load policy=timegraph
	one=$(address 0) two=$(address 1)
	pids=
	for card in 0 1; do
		go $card both 8ms
		pids="$pids $pid"
	done
	until_true 30 all_there 2 || die "only these joined: $(tgctl clients)"
	set -- $pids
	tgctl clients --json >/tmp/clients || die "clients: exit status $?"
	for pair in "$1 $one" "$2 $two"; do
		grep "\"pid\": *${pair% *}[,}]" /tmp/clients | grep -q "\"device\": *\"${pair#* }\"" ||
			die "the client of ${pair#* } has another device: $(cat /tmp/clients)"
	done
	printf '%s\n' "both gpu=00ff:01:00.0 : prt : pe : 1 : 1us : 10s" "both gpu=$one : prt : pe : 7 : 10ms : 100ms" \
		'both : prt : bg : 9 : 0 : 0' >/tmp/spec
	tgctl load /tmp/spec || die "load: exit status $?"
	holds $1 7 $2 9 && [ "$(of $1 line)" = 2 ] || die "not by its card: $(tgctl clients)"
	limited $1 $2
	tgctl save | grep -qF "both gpu=$one : prt : pe : 7 :" || die "save: $(tgctl save)"
	tgctl save | sed "s/gpu=$one/gpu=\"${two#0000:}\"/" | tgctl load - || die "load: exit status $?"
	holds $1 9 $2 7 || die "not by the other card: $(tgctl clients)"
	limited $2 $1
	echo 'both gpu=0:prt:bg:0:0:0' >/tmp/spec
	tgctl load /tmp/spec 2>/tmp/said && die 'gpu=0 is taken'
	echo "both gpu=${one#0000:0}:prt:bg:0:0:0" >$tg/spec
	! echo 1 >$tg/spec_commit 2>/dev/null || die 'an address of one digit is taken'
	grep -q '^1:10: not a PCI address; ' $tg/spec_result || die "spec_result: $(cat $tg/spec_result)"
	holds $1 9 $2 7 || die "a text that is refused changes something: $(tgctl clients)"
	ended $pids
	unload
}

# A card that cannot be attached is named, and the other is scheduled; with none, loading fails.
refused()
{
	for dead in 1 0; do
		tg-fault gone $dead || die 'tg-fault'
		load policy=loga
		said="$(dmesg | sed -n "/tg-case: begin $CASE\$/,\$p")"
		echo "$said" | grep -q "timegraph: $(address $dead): not scheduled (error -19)" ||
			die "the log does not name it: $(dmesg | tail -n 4)"
		echo "$said" | grep -q "timegraph: GPU 0 is $(address $((1 - dead))), policy loga" ||
			die "the other is not scheduled: $(dmesg | tail -n 4)"
		unload
		tg-fault heal $dead || die 'tg-fault heal'
	done
	tg-fault gone 0 && tg-fault gone 1 || die 'tg-fault'
	! insmod $module 2>/dev/null || die 'no card answers, and insmod succeeds'
	tg-fault heal 0 && tg-fault heal 1 || die 'tg-fault heal'
	load policy=loga
	[ "$(ls $tg/stats | grep -c 'gpu[01]_engine0_queued')" = 2 ] || die 'healed, but not both are scheduled'
	unload
}

# The first card is the module's, so the hooks are on. The second one is not: what nouveau refuses there, it refuses.
refusals()
{
	. /host/refusals.sh
	of_card=1
	case $fermi.$(uname -r) in
	1.6.1.*) calls='calls fermi';;	# Linux 6.1 has no EXEC
	1.*) calls='calls exec';;
	*) calls='calls';;
	esac
	answers without "$calls" dumb
	tg-fault gone 1 || die 'tg-fault'
	load policy=timegraph
	tg-fault heal 1 || die 'tg-fault heal'
	[ ! -e $tg/stats/gpu1_polled_us ] || die 'the second card is scheduled'
	[ $fermi = 1 ] || hooked || die 'a Fermi is there, but its objects are not looked at'
	answers with "$calls" dumb
	same refused
	each_refused 2 GEM_NEW CHANNEL_FREE GROBJ_ALLOC 'NVIF, an object' DUMB
	at_rest
	works --device "$(node 1)"
	[ "$(cat $tg/stats/submitted) $(cat $tg/stats/vram_requests)" = '0 0' ] || die "counted as ours: $(tgctl stats)"
	works --device "$(node 0)"
	[ "$(cat $tg/stats/submitted)" = 20 ] || die "the first card is not scheduled: $(tgctl stats)"
	unload
}

unbound_one() { ! [ -e "/sys/bus/pci/drivers/nouveau/$1" ]; }

# soon WHAT COMMAND: it ends, whatever it says
soon()
{
	sh -c "$2" >/tmp/soon 2>&1 &
	done=$!
	until_true 10 sh -c "! kill -0 $done 2>/dev/null" || die "$1 waits for a client that is stuck in nouveau"
	wait $done
}

# A thread of a client of the first card is in nouveau, in a page fault that nobody serves. The module cannot go before
# that ends; all else can go on.
stuck()
{
	load policy=timegraph
	/host/bin/abuse stuck 0 >/tmp/stuck 2>&1 &
	client=$!
	until_true 20 grep -q stuck /tmp/stuck || die "$(cat /tmp/stuck)"
	other=$(address 1)
	rmmod timegraph &
	leaves=$!
	sleep 1
	kill -0 $leaves 2>/dev/null || die 'the module has gone: the thread is not stuck in it'
	soon 'a switch of policy' "echo fifo >$tg/policy"
	soon 'a knob' "echo 0 >$tg/knobs/dry_run"
	soon 'a spec' 'echo game:prt:bg:90:0:0 >/tmp/spec && tgctl load /tmp/spec'
	go 1 other 2ms --count 20
	wait $pid || die "a client of the other card: $(cat /tmp/report.$pid)"
	soon 'the other card' "echo $other >$driver/unbind"
	unbound_one "$other" || die 'it is not unbound'
	soon 'the other card' "echo $other >$driver/bind"
	kill -0 $leaves 2>/dev/null || die 'the module has gone before the thread'
	kill -9 $client
	wait $client
	wait $leaves || die "rmmod: exit status $?"
	[ ! -e $tg ] || die 'it is still there'
}

# within SECONDS WHAT COMMAND: it succeeds by then
within()
{
	sh -c "$3" >/tmp/within 2>&1 &
	asked=$!
	until_true "$1" sh -c "! kill -0 $asked 2>/dev/null" || die "$2 waits for a client that is stuck in nouveau"
	wait $asked || die "$2: exit status $?: $(tail -n 3 /tmp/within)"
}

# folder NAME: of the client
folder() { dirname "$(grep -lx "$1" $tg/clients/*/comm)"; }

# A thread of a client of the Tesla is in nouveau, in a page fault that nobody serves, and the module stays. Its job gives
# up the engine after freed_timeout_us, a tenth of a second; so a switch of policy, which drains, waits no longer for it.
writes()
{
	load policy=timegraph
	/host/bin/abuse -d "$(node $tesla)" stuck 0 >/tmp/stuck 2>&1 &
	client=$!
	until_true 20 grep -q stuck /tmp/stuck || die "$(cat /tmp/stuck)"
	go $fermi other 4ms
	other=$pid
	until_true 30 all_there 2 || die "only these joined: $(tgctl clients)"
	there=$(folder other)
	echo 'other:prt:bg:30:0:0' >/tmp/spec
	within 1 'a spec' 'tgctl load /tmp/spec'
	[ "$(cat "$there/prio")" = 30 ] || die "no spec is in force: $(cat "$there/prio")"
	for name in other abuse; do
		within 1 'a priority' "echo 31 >$(folder $name)/prio"
		[ "$(cat "$(folder $name)/prio")" = 31 ] || die "$name: $(cat "$(folder $name)/prio")"
	done
	within 1 'a knob' "echo 9000000 >$tg/knobs/job_deadline_us"
	within 1 'the foreground' "echo $client >$tg/foreground"
	within 1 'reading every file' '/host/bin/scribble -read 0'
	grep -q "^$tg/private/clients/.*/gpu_time " /tmp/within || die 'nothing was read'
	for p in fifo band timegraph; do
		done=$(cat "$there/completed")
		within 1 "a switch to $p" "echo $p >$tg/policy"
		[ "$(cat $tg/policy)" = $p ] || die "$(cat $tg/policy) is in force, not $p"
		until_true 10 far $((done + 30)) || die "$p: the other card stands still: $(tgctl clients)"
	done
	within 1 'a dry run' "echo 1 >$tg/knobs/dry_run"
	within 1 'the end of a dry run' "echo 0 >$tg/knobs/dry_run"
	[ "$(cat $tg/stats/drain_cut)" = 0 ] || die "a drain waited for $client: $(cat $tg/stats/drain_cut)"
	kill -0 $client || die "it is not stuck any more: $(cat /tmp/stuck)"
	kill -9 $client
	wait $client
	ended $other
	unload
}

# part SECONDS NAME FUNCTION: a case; what it leaves behind when it fails is not the next one's
part()
{
	tg-case -t "$1" "$2$suffix" "$0" "$3" && return
	failed=1
	killall -9 tgload abuse 2>/dev/null	# rmmod waits for one that is stuck
	rmmod timegraph 2>/dev/null
}

case ${1-} in
'')
	failed=0
	part 80 two-accounts accounts
	part 60 two-overlap overlap
	part 90 two-unbind unbound
	part 90 two-loga seen
	part 90 two-copies copied
	part 60 two-named named
	part 60 two-writes writes
	[ $fermi = 0 ] || part 60 two-stuck stuck
	part 60 two-refused refused
	part 150 two-refusals refusals	# the last one: from here on nouveau refuses by tg_refuse
	exit $failed
	;;
*) CASE=two-$1$suffix "$1";;
esac
