# SPDX-License-Identifier: GPL-2.0
# Sourced, behind lib.sh, by the cases about how long the module keeps a lock: the timed module, its judge, and what hostile
# users and root do to have it work long.
TRACE_KIB=0	# a trace copies each event and spec under the lock; only root asks for one
module=/host/bin/timegraph-timed-$(uname -r).ko
sections=/sys/module/timegraph/parameters/sections
most=20000

# fresh [PARAMETER...]: loaded, nobody there, nothing counted
fresh()
{
	! killall -q -9 abuse files vram || usleep 500000
	[ ! -e $tg ] || rmmod timegraph
	load policy=timegraph "$@"
	echo >$sections
	check=$(cat ${sections}_check)
	echo "a section of 100000 instructions is measured as $check"
	[ "$check" -ge 99900 ] && [ "$check" -le 100500 ] || die 'the clock does not count instructions'
}

# judge: is each section short enough?
judge()
{
	cat $sections >"/out/sections.$CASE" || die 'no table'
	[ "$(wc -l <"/out/sections.$CASE")" -gt 10 ] || die 'nothing was counted'
	head -n 24 "/out/sections.$CASE"
	awk -v most=$most '$1 > most { n++ } END { exit n }' "/out/sections.$CASE" ||
		die "longer than $most: $(awk -v most=$most '$1 > most { print $1, "at", $3 "," }' "/out/sections.$CASE" | tr '\n' ' ')"
}

# globs A: 64 KiB of lines that match nothing, but for the last
globs()
{
	awk -v a="$1" 'BEGIN {
		for (i = 0; i < 1481; i++)
			printf "exe=/*a*%s*a*a*a*a*a*a*a*z%04d*:ht:bg:9:0:0\n", a, i
		print "exe=*:prt:pe:7:40000:400000:reserve=x"
	}'
}

specs()
{
	cat >/tmp/mixed <<-END
		[vgpu v]:30:30:30
		[vgpu w]:20:20:20
		c0:prt:pe:5:40000:400000:reserve=p
		c1:ht:pe:60:40000:400000:reserve=p
		c2:prt:ae:5:40000:400000:reserve=q
		c3:ht:ae:60:40000:400000:reserve=q
		c4:prt:pe:5:40000:400000
		c5:prt:ae:5:40000:400000
		c6:prt:bg:1:0:0:vgpu=v
		c7:prt:bg:2:0:0:vgpu=w
		c8:prt:bg:3:40000:400000
	END
	echo 'exe=*:prt:pe:7:40000:400000:reserve=all' >/tmp/pe
	echo 'exe=*:prt:ae:7:40000:400000:reserve=all' >/tmp/ae
	echo 'nobody:prt:bg:7:40000:400000' >/tmp/background
}

# judge_unload: unload the module, and judge what that did: rmmod takes the table along, so it is read from the log
judge_unload()
{
	dmesg | grep -c 'timegraph: sections:' >/tmp/before
	rmmod timegraph || die 'rmmod'
	dmesg | grep 'timegraph: sections:' | tail -n +$(($(cat /tmp/before) + 1)) | sed 's/.*sections: //' >/tmp/unload
	[ -s /tmp/unload ] || die 'no table of the unload'
	cat /tmp/unload
	awk -v most=$most '$1 > most { n++ } END { exit n }' /tmp/unload || die "longer than $most at unload"
}
