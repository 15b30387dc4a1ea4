# SPDX-License-Identifier: GPL-2.0
# Sourced, after lib.sh, by the unbind cases that end in nouveau's own oops. The kernel goes on after
# it, to the end of the command: what the clients say still counts.

echo 0 >/proc/sys/kernel/panic_on_oops

# clients NAME COST: three with a channel each, their pids in $pids
clients()
{
	pids=
	for k in 1 2 3; do
		/host/bin/abuse -n "$1" until-gone "$2" >/tmp/client.$k &
		pids="$pids $!"
	done
	for k in 1 2 3; do
		until_true 20 grep -q running /tmp/client.$k || die "client $k has no channel"
	done
}

# begin CASE: a mark in the kernel's log
begin() { echo "tg-case: begin $1" >/dev/kmsg; }

# unbind: in a process of its own, for that one does not come back
unbind()
{
	set -- /sys/bus/pci/drivers/nouveau/0000:*
	sh -c 'echo "$1" >/sys/bus/pci/drivers/nouveau/unbind' sh "${1##*/}"
}
