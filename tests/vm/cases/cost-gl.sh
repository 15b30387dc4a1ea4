# SPDX-License-Identifier: GPL-2.0
# Sourced, behind lib.sh, by cases that count the instructions of OpenGL programs' submissions (tests/vm/probe). $program: the
# process that is watched, whose name is `game`; what it says is in /tmp/program.
probe=/sys/kernel/debug/tg_probe
N=100

# of_fields SUM <SAMPLES: the median of a sum of their fields
of_fields() { awk "{ print $1 }" | median; }

# rematch LINE: a spec, for those that run
rematch()
{
	echo "$1" | tgctl load - >/dev/null || die 'tgctl load failed'
}

enough()
{
	[ "$(wc -l <$probe)" -ge $N ]
}

# settle: the first submissions ask, until there is memory for as many in flight as there ever are, and their groups are known
settle()
{
	for i in 1 2 3; do
		echo $program >$probe
		until_true 60 enough || die "no submissions: $(cat /tmp/program)"
	done
}

BUFFER='glmark2-es2-wayland --off-screen --size 1280x1024 -b buffer:duration=600:update-fraction=0.5:update-method=subdata'
IDEAS='glmark2-es2-wayland --off-screen --size 640x480 -b ideas:duration=600'
