# SPDX-License-Identifier: GPL-2.0
# The cluster of tests/user/slurm: daemons, and what rows ask. Sourced, in bash, after lib.sh.

. scripts/lib/slurm.sh

layer=$PWD/build/lib/libtimegraph-cl.so
under="env OPENCL_LAYERS=$layer MOCKCL_DIR=$work/node1 TGD_SOCKET=$work/node1/tgd.sock"
chmod 755 "$work"
for name in train big load acct both alone; do cp "$load" "$work/$name"; done
export MOCKCL_DIR=$work/node HOME=$work
unset TGD_SOCKET
declare -a card_pids=()

# What a job sees of its node's specification, and that it has looked
cat >"$work/look" <<END
#!/bin/sh
TGD_SOCKET=$work/node/tgd.sock $PWD/build/bin/tgctl --host user save - && echo looked
END
chmod +x "$work/look"

config()
{
	local port=$1

	slurm_config "$port" <<-END
	CliFilterPlugins=cli_filter/lua
	PlugStackConfig=$work/conf/plugstack.conf
	GresTypes=tgmem,tgtime
	NodeName=node1 NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=8 Gres=tgmem:8192,tgtime:100
	NodeName=node2 NodeAddr=127.0.0.1 Port=$((port + 2)) CPUs=8 Gres=tgmem:8192,tgtime:100
	PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	mkdir -p "$work"/{node,node1,node2,spool-node1,spool-node2}
	cp src/user/slurm/cli_filter.lua "$work/conf"
	printf 'Name=tgmem Count=8192\nName=tgtime Count=100\n' >"$work/conf/gres.conf"
	echo "optional $PWD/build/lib/timegraph-slurm.so socket=$work/node/tgd.sock layer=$layer" \
		>"$work/conf/plugstack.conf"
}

# Where cgroup v2 is mounted
cgroup_root=/sys/fs/cgroup
[ -e $cgroup_root/cgroup.controllers ] || cgroup_root=/sys/fs/cgroup/unified
own_cgroup=$cgroup_root/timegraph-test-$$

# node N: its card, tgd and slurmd; the latter two in a cgroup of their own, which they and their jobs take for the root
node()
{
	build/mockcl/mockcld -m 16384 "$work/node$1" &
	card_pids[$1]=$!
	mkdir -p "$own_cgroup/node$1" || return 1
	(
		echo 0 >"$own_cgroup/node$1/cgroup.procs"
		exec unshare -m -C sh -c "
			mount --bind $own_cgroup/node$1 $cgroup_root && mount --bind $work/node$1 $work/node || exit 1
			build/bin/tgd --socket $work/node/tgd.sock --spec /dev/null 2>$work/tgd$1.log &
			echo \$! >$work/tgd$1.pid
			exec slurmd -N node$1"
	) || return 1
	until_true test -S "$work/node$1/card.sock" -a -S "$work/node$1/tgd.sock"
}

cluster()
{
	local n

	config "$(free_ports)"
	slurm_begin || return 1
	for n in 1 2; do
		node $n || return 1
	done
	until_true node_is node1 idle && until_true node_is node2 idle
}

cluster_end()
{
	local id

	slurm_end node1 node2
	for id in 1 2; do
		echo 1 2>/dev/null >"$own_cgroup/node$id/cgroup.kill"
		until_true eval '! grep -q "populated 1" $own_cgroup/node$id/cgroup.events' 2>/dev/null
	done
	[ ! -e "$own_cgroup" ] || find "$own_cgroup" -depth -type d -exec rmdir {} +
	for id in "${card_pids[@]}"; do kill "$id" 2>/dev/null; done
	wait 2>/dev/null
}

# --- what rows ask ---

not() { ! "$@"; }

# ctl NODE WORD...: tgctl, of a node's tgd
ctl() { TGD_SOCKET=$work/node$1/tgd.sock build/bin/tgctl --host user "${@:2}"; }
spec() { ctl "$1" save -; }

# lines NODE N: so many lines of jobs; lined NODE JOB[-STEP]: one of this job
lines() { [ "$(spec "$1" | grep -c ' # slurm ')" = "$2" ]; }
lined() { spec "$1" | grep -q " # slurm $2\(-\|\$\)"; }

# Folders of steps
cgroups() { find "$own_cgroup/node$1" -name 'timegraph-slurm-*'; }
marks() { ls "$work/node$1" | grep 'slurm-'; }
left() { spec "$1" | grep slurm; ctl "$1" clients --json | jq -r '.[].comm'; cgroups "$1"; marks "$1"; }
clean() { [ -z "$(left "$1")" ]; }

# of NODE NAME FIELD: of a client, by tgd; client NODE NAME: is it there?
of() { ctl "$1" clients --json | jq -r "[.[] | select(.comm == \"$2\") | .$3][0] // 0"; }
client() { [ "$(ctl "$1" clients --json | jq "[.[] | select(.comm == \"$2\")] | length")" -gt 0 ]; }
held() { build/mockcl/mockcld -t "$work/node$1" | jq '.devices[0].held'; }
# used NAME [NODE]: of the compute engine's time, ns
used() { build/mockcl/mockcld -t "$work/node${2-1}" | jq "[.devices[0].clients[] | select(.name == \"$1\").compute_ns] | add"; }
now_ns() { build/mockcl/mockcld -t "$work/node1" | jq .now_ns; }

# batch VARIABLE OPTION... -- COMMAND...: starts a job; its number
batch()
{
	local to=$1 id; local -a options=(); shift

	while [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	printf '#!/bin/bash\nexec' >"$work/script"
	printf ' %q' "$@" >>"$work/script"
	id=$(sbatch --parsable -o "$work/%j.out" "${options[@]}" "$work/script") || id=0
	printf -v "$to" %s "$id"
}

state() { scontrol -o show job "$1" | sed 's/.*JobState=\([A-Z]*\) Reason=\([^ ]*\) .*/\1 \2/'; }
where() { scontrol -o show job "$1" | sed 's/.* NodeList=\([^ ]*\) .*/\1/'; }
is_state() { [[ "$(state "$1")" == $2* ]]; }
# comment JOB: the administrator's; recorded JOB NODE: seconds of GPU time that it has there
comment() { scontrol show job "$1" | sed -n 's/^ *AdminComment=\(.*[^ ]\) *$/\1/p'; }
recorded() { comment "$1" | sed -n "s/.*gpu_time.* $2=\([0-9.]*\)s.*/\1/p"; }
has_recorded() { [ -n "$(recorded "$1" "$2")" ]; }
# within2 SECONDS NS: the first is the second, but for 2 %
within2() { true_of "(($1 - $2 / 1e9) | fabs) <= 0.02 * $2 / 1e9"; }
runs() { until_true is_state "$1" RUNNING; }
waits() { sleep 2; [[ "$(state "$1")" == PENDING* ]]; }
ended() { [[ "$(state "$1")" == @(COMPLETED|CANCELLED|FAILED|NODE_FAIL|TIMEOUT)* ]]; }
completed() { is_state "$1" COMPLETED; }
output() { cat "$work/$1.out"; }

# stepd JOB.STEP: the process of its slurmstepd
stepd() { pgrep -f "^slurmstepd: \[$1\]"; }

# unlined FILE: a job has looked, and no job has a line
unlined() { grep -qx looked "$1" && ! grep -q slurm- "$1"; }
# ran_without WORDS: the job in $work/out has said that it runs, and nothing of this
ran_without() { grep -qx ran "$work/out" && ! grep -qE "$1" "$work/out"; }
# silent: the job in $work/out has run, and nobody has said anything
silent() { [ -s "$work/out" ] && [ ! -s "$work/err" ]; }

# one_line TEXT: of ours, in $work/err
one_line() { [ "$(grep -c timegraph: "$work/err")" = 1 ] && grep -q "$1" "$work/err"; }

# granted PERCENT...: the line of the job that has looked has no other percentage than one of these
granted()
{
	local got

	got=$(sed -n 's/.*: \([0-9]*\) : 100000 : reserve=slurm-.*/\1/p' "$work/out")
	for p; do [ "$got" = "$((p * 1000))" ] && return; done
	return 1
}
