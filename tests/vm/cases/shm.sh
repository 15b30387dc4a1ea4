# SPDX-License-Identifier: GPL-2.0
# Shared device memory: for the cases of shm and shm-long.
shm=/host/bin/tgshm

# The users of this case are in no group, and there is no udev
load_shm()
{
	load "$@"
	[ "$(stat -c %a /dev/tgshm)" = 660 ] || die "mode of /dev/tgshm: $(stat -c %a /dev/tgshm)"
	chmod 666 /dev/tgshm
}

held() { cat $tg/stats/gpu0_vram_held; }
empty() { [ "$(held)" = 0 ]; }
none_held() { until_true 15 empty || die "$(held) bytes are held still"; }

# A kernel without IPC namespaces has nothing to compare with
namespaces() { [ -e /proc/self/ns/ipc ] || ! echo 'no IPC namespaces'; }

# model SEQUENCES: at random, against System V's own shm
model()
{
	namespaces || return 0
	load_shm
	time /host/bin/tgshm-model "$1" 1 || die 'another answer than System V'"'"'s'
	none_held
	unload
}

# fuzz CALLS SEED: of each of four processes
fuzz() { $shm fuzz "$1" "$2" || die "fuzz: exit status $?"; }
