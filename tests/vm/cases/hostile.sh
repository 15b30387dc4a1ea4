# SPDX-License-Identifier: GPL-2.0
# Sourced by `hostile`, `hostile-long` and `hostile-failures`, and by tests/vm/finds, after lib.sh.

refuse=/host/bin/tg_refuse-$(uname -r).ko

# called KIND COLUMN: how often a call was made (2), or taken (3)
called() { awk -v kind="$1" -v column="$2" '$1 == kind { print $column }' /tmp/hostile; }

# hostile SECONDS SEED [OPTION...]: beside a client that keeps the GPU busy
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
	kill $kills 2>/dev/null	# they may have been refused, too
	wait $kills || :
}

# enough [KIND...]: a fuzzer that gets nothing done finds nothing
enough()
{
	for kind in channel_alloc gem_new pushbuf write read forked "$@"; do
		[ "$(called $kind 3)" -ge 2 ] || die "only $(called $kind 3) of $kind"
	done
}

nothing_held()
{
	[ "$(ls $tg/clients | wc -l)" = 0 ] && [ "$(cat $tg/stats/gpu0_vram_held)" = 0 ]
}

after()
{
	echo off >/sys/kernel/debug/tg_refuse
	[ -e $tg ] || load
	until_true 30 nothing_held || die "left: $(tgctl clients) $(grep . $tg/stats/*vram* $tg/stats/*inflight*)"
	unload
	load policy=timegraph
	tgload --kind compute --cost 2ms --count 50 --verify --json >/tmp/work 2>&1 || die "work: $(cat /tmp/work)"
	[ "$(tgctl stats | awk '$1 == "completed" { print $2 }')" -ge 50 ] || die "$(tgctl stats)"
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
