# SPDX-License-Identifier: GPL-2.0
# Sourced, behind refusals.sh, by the cases on a GPU with several engines.

# Linux 6.1 has no EXEC
case $(uname -r) in
6.1.*) calls='calls fermi' by=pushbuf;;
*) calls='calls exec' by=exec;;
esac

# tg_refuse has put its functions into nouveau's table, so these are what timegraph hooks
hooked() { grep -q "^$1 \[tg_refuse\]" /sys/kernel/debug/tracing/enabled_functions; }

# load_hooked: with what is there for such a GPU alone
load_hooked()
{
	load
	hooked refuse_file_ioctl && hooked refuse_grobj_alloc || die 'its objects are not looked at'
}
