# SPDX-License-Identifier: GPL-2.0
# Sourced by the parts in the guest of the benches that use bench.sh; this folder is /host there.
tg=/sys/kernel/timegraph

die()
{
	echo "$*" >&2
	exit 1
}

# number KEY <JSON: the number behind the first "KEY" of the first line that has one
number() { sed -n "s/.*\"$1\":\\(-\\?[0-9.]*\\).*/\\1/p" | head -n 1; }

# options FILE: of tgload, from a profile
options() { grep -v '^#' "$1"; }

# spec LINE...: in force
spec()
{
	printf '%s\n' "$@" | tgctl load - >&2 || die 'tgctl load failed'
}

# stopped FILE OPTION...: a tgload that has its channel, and waits for SIGCONT; its report to FILE, its pid to $pids
stopped()
{
	file=$1
	shift
	tgload "$@" --stopped --json >"$file" 2>&1 &
	pids="$pids $!"
	until grep -q '^State:.T' /proc/$!/status 2>/dev/null; do
		[ -e /proc/$! ] || break	# it has failed
		usleep 20000
	done
}

# finish: all $pids go on, and end
finish()
{
	kill -CONT $pids
	for pid in $pids; do
		wait "$pid"
	done
	pids=
}
