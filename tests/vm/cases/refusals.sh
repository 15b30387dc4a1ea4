#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Sourced, after lib.sh, by the cases that ask what becomes of nouveau's refusals: what a client is told with the
# module is what it is told without. nouveau refuses by tests/vm/refuse; clients are `raw`, as nobody, who may open
# both nodes here. Where there are two cards, $of_card says which one `raw` opens.

rules=/sys/kernel/debug/tg_refuse
driver=/sys/bus/pci/drivers/nouveau
chmod 666 /dev/dri/*
[ -e $rules ] || insmod "/host/bin/tg_refuse-$(uname -r).ko" || die "insmod tg_refuse: exit status $?"

raw() { su -s /bin/sh nobody -c "/host/bin/raw ${of_card:+-d $of_card} $*"; }

# refuse ERRNO EVERY [before|after]: each function, one call in so many, of $whom (a uid, all without)
refuse()
{
	for f in PUSHBUF EXEC VM_BIND GEM_NEW CHANNEL_ALLOC CHANNEL_FREE GROBJ_ALLOC DUMB_CREATE NVIF; do
		echo "$f $1 $2 ${whom-*} ${3-before}"
	done >$rules || die "rules: $1 $2 $3"
}

# same WHAT: what was told without the module and with it
same()
{
	[ -s "/tmp/$1.without" ] || die "$1: no answers"
	cmp -s "/tmp/$1.without" "/tmp/$1.with" || die "$1: $(diff "/tmp/$1.without" "/tmp/$1.with" | head -n 8)"
}

# at_rest: nothing of all that is left in the books
at_rest()
{
	until_true 10 none_left || die "ghosts: $(tgctl clients)"
	for f in held accounts waiting; do
		[ "$(cat $tg/stats/gpu0_vram_$f)" = 0 ] || die "gpu0_vram_$f: $(cat $tg/stats/gpu0_vram_$f)"
	done
}

# each_refused LEAST FUNCTION...: in /tmp/refused.with, each error at least so often, of each of them
each_refused()
{
	least=$1
	shift
	for e in ENOMEM EFAULT EBUSY EINTR ENODEV; do
		for f; do
			n=$(grep -c "^$f.* $e\$" /tmp/refused.with)
			[ $n -ge $least ] || die "$e, $f: only $n"
		done
	done
}

# works: a client that nobody refuses anything
works()
{
	echo off >$rules
	tgload --kind compute --cost 1ms --every 0 --count 20 "$@" >/tmp/works 2>&1 || die "a client: $(cat /tmp/works)"
}

# answers WITH RAW...: of each refusal, for the file of all answers
answers()
{
	with=$1
	shift
	for how in ENOMEM/before ENOMEM/after EFAULT/before EFAULT/after EBUSY/before EINTR/before ENODEV/before ERESTARTSYS/after; do
		refuse ${how%/*} 2 ${how#*/}
		echo "# $how"
		for what in "$@"; do
			raw "$what" || die "raw $what: exit status $?"
		done
	done >"/tmp/refused.$with"
	cat $rules
	echo off >$rules
}

bound() { [ -c /dev/dri/renderD128 ]; }

# bind ADDRESS: nouveau has the GPU there again, and the user nobody may open its nodes
bind()
{
	echo "$1" >$driver/bind || die "bind: exit status $?"
	until_true 20 bound || die 'no render node'
	chmod 666 /dev/dri/*
}

told_of_its_end() { grep -q '^CHANNEL_FREE ENODEV' /tmp/calls; }

# unbinding WITH HOW ERRNO...: for each error: nobody's calls, by `raw unbound` and HOW (exec, or nothing), are refused
# with it, one after the other; the GPU is unbound meanwhile, and bound again. All answers go to the file of WITH. Each
# call is refused before nouveau sees it: nouveau does not bear to be unbound where it has an object or a channel.
unbinding()
{
	with=$1 how=$2
	shift 2
	rm -f "/tmp/unbinding.$with"
	for e; do
		rm -f /tmp/enough
		whom=65534 refuse "$e" 1
		raw unbound /tmp/enough "$how" >/tmp/calls 2>&1 &
		caller=$!
		until_true 20 grep -q called /tmp/calls || die "$e: no calls: $(cat /tmp/calls)"
		gpu=$(basename $driver/0000:*)
		echo "$gpu" >$driver/unbind || die "unbind: exit status $?"
		until_true 20 told_of_its_end || die "$e: the calls go on: $(cat /tmp/calls)"
		usleep 300000
		touch /tmp/enough
		wait $caller || die "$e: raw: exit status $?: $(cat /tmp/calls)"
		n=$(grep -c " $e\$" /tmp/calls)
		[ $n -ge 8 ] || die "$e: only of $n functions: $(cat /tmp/calls)"
		{ echo "# $e"; sort /tmp/calls; } >>"/tmp/unbinding.$with"
		bind "$gpu"
	done
	cat $rules
	echo off >$rules
}
