#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Sourced, after lib.sh, by the cases that ask what becomes of nouveau's refusals: what a client is told with the
# module is what it is told without. nouveau refuses by tests/vm/refuse; clients are `raw`, as nobody, who may open
# both nodes here.

rules=/sys/kernel/debug/tg_refuse
chmod 666 /dev/dri/*
[ -e $rules ] || insmod "/host/bin/tg_refuse-$(uname -r).ko" || die "insmod tg_refuse: exit status $?"

raw() { su -s /bin/sh nobody -c "/host/bin/raw $*"; }

# refuse ERRNO EVERY [before|after]: each function, one call in so many, of $whom (a uid, all without)
refuse()
{
	for f in PUSHBUF EXEC GEM_NEW CHANNEL_ALLOC CHANNEL_FREE GROBJ_ALLOC DUMB_CREATE NVIF; do
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
