# SPDX-License-Identifier: GPL-2.0
# Slurm on this machine, in the folder $work: for tests/user/slurm.sh and bench-schedgpu. Sourced, in bash. Root only.

export SLURM_CONF=$work/conf/slurm.conf

# Three ports of which none is used; below those that the kernel gives out
free_ports()
{
	local port=$((20000 + RANDOM % 3000 * 3))

	while ss -Hltn | grep -qE ":($port|$((port + 1))|$((port + 2))) "; do port=$((port + 3)); done
	echo $port
}

# slurm_config PORT <LINES: of slurmctld; LINES are what else there is, as nodes, at the next ports
slurm_config()
{
	mkdir -p "$work"/{conf,state,munge}
	head -c 128 /dev/urandom >"$work/munge/key"
	chmod 400 "$work/munge/key"
	{ cat <<-END; cat; } >"$SLURM_CONF"
	ClusterName=here
	SlurmctldHost=$(hostname)(127.0.0.1)
	SlurmUser=root
	SlurmctldPort=$1
	AuthType=auth/munge
	AuthInfo=socket=$work/munge/sock
	StateSaveLocation=$work/state
	SlurmdSpoolDir=$work/spool-%n
	SlurmctldPidFile=$work/slurmctld.pid
	SlurmdPidFile=$work/slurmd-%n.pid
	SlurmctldLogFile=$work/slurmctld.log
	SlurmdLogFile=$work/slurmd-%n.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SwitchType=switch/none
	MpiDefault=none
	SlurmdParameters=config_overrides
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerParameters=sched_interval=1,bf_interval=1
	KillWait=2
	MessageTimeout=20
	MinJobAge=3600
	END
}

# munge, and the controller
slurm_begin()
{
	munged --force --key-file="$work/munge/key" --socket="$work/munge/sock" --pid-file="$work/munge/pid" \
		--log-file="$work/munge/log" --seed-file="$work/munge/seed" 2>"$work/munged.log" && slurmctld -c
}

# Ends a daemon by its file, and waits
end_of()
{
	local pid i

	pid=$(cat "$1" 2>/dev/null) || return 0
	kill "$pid" 2>/dev/null
	for i in $(seq 100); do kill -0 "$pid" 2>/dev/null || return; sleep .1; done
	kill -9 "$pid"
}

# slurm_end NODE...: all jobs, and the daemons
slurm_end()
{
	local id

	if [ -e "$work/slurmctld.pid" ]; then
		for id in $(squeue -h -o %A 2>/dev/null); do scancel -q "$id" 2>/dev/null; done
		until_true eval '[ -z "$(squeue -h)" ]' 2>/dev/null
	fi
	for id in "$@"; do end_of "$work/slurmd-$id.pid"; done
	end_of "$work/slurmctld.pid"
	end_of "$work/munge/pid"
}
node_is() { [[ "$(sinfo -h -n "$1" -o %T)" == "$2"* ]]; }
