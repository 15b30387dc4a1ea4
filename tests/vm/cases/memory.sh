# SPDX-License-Identifier: GPL-2.0
# Sourced, behind lib.sh, by the cases about VRAM: the books of the module, and clients that hold some.
vram=/host/bin/vram

stat() { cat $tg/stats/"$1"; }
knob() { echo "$2" >$tg/knobs/"$1" || die "knob $1"; }
is() { [ "$(stat "$1")" = "$2" ]; }
now() { tgctl clients --json | grep "\"pid\": *$1," | field "$2"; }

# fresh: whatever the case before has left
fresh()
{
	! killall -q -9 vram outside abuse || usleep 500000
	[ ! -e $tg ] || rmmod timegraph
}

# holds MIB: in the background; its pid in $pid
holds()
{
	$vram "${2-hold}" "$1" >/tmp/held.$1 2>&1 &
	pid=$!
	until_true 20 grep -q held /tmp/held.$1 || die "hold $1: $(cat /tmp/held.$1)"
}

# uses NAME MIB PIECES MS: in the background; its pid in $pid
uses()
{
	$vram use "$2" "$3" "$4" >/tmp/use."$1" 2>&1 &
	pid=$!
}

# rest: nothing is held any more
rest()
{
	until_true 10 is gpu0_vram_held 0 || die "$(stat gpu0_vram_held) bytes are still held"
	until_true 10 is gpu0_vram_accounts 0 || die "$(stat gpu0_vram_accounts) accounts are left"
	is gpu0_vram_waiting 0 || die 'somebody waits still'
}
