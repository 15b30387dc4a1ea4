# SPDX-License-Identifier: GPL-2.0
# Sourced by `hostile`, `hostile-long` and `hostile-failures`, and by tests/vm/finds, after lib.sh.

refuse=/host/bin/tg_refuse-$(uname -r).ko

# called KIND COLUMN: how often a call was made (2), or taken (3), the last time; in_all KIND COLUMN: in all rounds together
called() { awk -v kind="$1" -v column="$2" '$1 == kind { print $column }' /tmp/hostile; }
in_all() { awk -v kind="$1" -v column="$2" '$1 == kind { sum += $column } END { print sum + 0 }' /tmp/hostile-all; }

# hostile SECONDS SEED [OPTION...]: beside a client that keeps the (first) GPU busy. Besides what the log and the fuzzer say:
# nouveau is not asked again for what no card has, and no submission went past the gate, since no GPU goes while the module is
# there
hostile()
{
	seconds=$1 seed=$2
	shift 2
	# what nouveau says of such calls is the log's, not the console's, where each line takes milliseconds
	echo 3 >/proc/sys/kernel/printk
	[ -e /sys/kernel/debug/tg_refuse ] || insmod "$refuse" || die 'no tg_refuse'
	[ -e /tmp/refcnt ] || cat /sys/module/nouveau/refcnt >/tmp/refcnt
	load policy=timegraph
	bomb bomb --cost 1ms
	kills=$!
	/host/bin/hostile "$@" -m $module "$seconds" "$seed" >/tmp/hostile 2>&1 ||
		die "exit status $?: $(cat /tmp/hostile)"
	cat /tmp/hostile
	cat /tmp/hostile >>/tmp/hostile-all
	kill $kills 2>/dev/null	# they may have been refused, too
	wait $kills || :
	read -r asked again </sys/kernel/debug/tg_refuse_again
	[ "$asked" -gt 0 ] || die 'nouveau was never asked for what no card has'
	[ "$again" = 0 ] || die "asked again: for what no card has, in $again of $asked calls"
	[ "$(called past 3)" -gt 0 ] || die 'nobody has looked at what went past the gate'
	[ "$(called past 2)" = 0 ] || die "past the gate: $(called past 2) submissions"
}

# by_exec: is there a card on which this kernel's nouveau has EXEC? The boots have a Fermi as the second one, or none
by_exec()
{
	case $(uname -r) in
	6.1.*) return 1;;
	esac
	[ -e /dev/dri/renderD129 ]
}

# enough [KIND...]: has the fuzzer got each kind of call through, in all its rounds? One that gets nothing done finds nothing
enough()
{
	! by_exec || set -- exec "$@"
	for kind in channel_alloc channel_free grobj_alloc nvif gem_new dumb pushbuf write read forked "$@"; do
		[ "$(in_all $kind 3)" -ge 2 ] || { echo "only $(in_all $kind 3) of $kind"; return 1; }
	done
}

nothing_held()
{
	none_left && [ "$(cat $tg/stats/gpu*_vram_held | sort -u)" = 0 ]
}

after()
{
	echo off >/sys/kernel/debug/tg_refuse
	[ -e $tg ] || load
	until_true 30 nothing_held || die "left: $(tgctl clients) $(grep . $tg/stats/*vram* $tg/stats/*inflight*)"
	unload
	load policy=timegraph
	groups=0
	for node in /dev/dri/renderD*; do
		tgload --device "$node" --kind compute --cost 2ms --count 50 --verify --json >/tmp/work 2>&1 ||
			die "work on $node: $(cat /tmp/work)"
		groups=$((groups + 50))
		[ "$(tgctl stats | awk '$1 == "completed" { print $2 }')" -ge $groups ] || die "$node: $(tgctl stats)"
	done
	unload
	[ "$(cat /sys/module/nouveau/refcnt)" = "$(cat /tmp/refcnt)" ] ||
		die "references to nouveau: $(cat /tmp/refcnt) before, $(cat /sys/module/nouveau/refcnt) now"
}

# rounds SECONDS EACH: both of them again and again, with another seed, until one fails or the kernel has said something bad
rounds()
{
	seed=1
	read -r end _ </proc/uptime
	end=$((${end%.*} + $1))
	while read -r now _ </proc/uptime && [ "${now%.*}" -lt $end ]; do
		(hostile "$2" $seed) && (after) || exit 1
		dmesg >/tmp/log
		tg-verdict log /tmp/log || exit 1
		seed=$((seed + 1))
	done
}
