/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is simulated, and its text (docs/man/tgsim-scenario.5). Called by tgsim before a run; the
 * host (run.c) only reads it. One thread.
 */
#ifndef TGS_SCENARIO_H
#define TGS_SCENARIO_H

#include <tg/dry.h>
#include <tg/policy.h>

#include "trace.h"
#include "workload.h"

#define TGS_NAME_LEN	16	/* of a client or GPU, NUL included */
#define TGS_CGROUP_LEN	256	/* of a cgroup's path, NUL included */
#define TGS_ADDRESS_LEN	17	/* of a GPU's PCI address, NUL included */

/**
 * struct tgs_gpu_conf - one [gpu] section
 * @name: of the GPU
 * @address: its PCI address, as gpu= of a spec names it; empty: it has none
 * @policy: number of the policy
 * @engines: how many
 * @submit: from a thread's release to its doorbell
 * @interrupt: from a completion to the fence's callback
 * @switch_cost: of an engine from one channel to another
 * @slice: a channel's turn; 0: one group
 * @poll: distance of two looks at what the hardware works for, in a dense poll phase
 * @then: when the policy is switched, and to which
 * @nr_then: how often
 * @knobs: what is set at the start
 * @nr_knobs: how many
 */
struct tgs_gpu_conf {
	char name[TGS_NAME_LEN], address[TGS_ADDRESS_LEN];
	u32 policy, engines;
	s64 submit, interrupt, switch_cost, slice, poll;
	struct tgs_then {
		s64 at;
		u32 policy;
	} *then;
	u32 nr_then;
	struct tgs_knob {
		bool of_policy;
		u32 nr;
		s64 value;
	} knobs[TG_KNOBS + TG_KNOBS_MAX];
	u32 nr_knobs;
};

/**
 * struct tgs_client_conf - one [client] section
 * @name: of the client; its spec lines match it
 * @gpu: index of its GPU
 * @count: clients of this kind
 * @user_set: the scenario tells @user; not: it is a number that no other kind has
 * @user: number of their user
 * @cgroup: path of their cgroup; empty: not known
 * @undelegated: bytes of it (struct tg_identity)
 * @channels: of each; used in turn
 * @engines: mask of the engines that its jobs name; they run on the first
 * @depth: submissions that may be unfinished before it waits; 0: any number
 * @start: of the first
 * @stagger: each starts this much after the one before
 * @stop: when they are killed; TG_NEVER: not
 * @life: each is killed so long after its start; 0: not
 * @nice: what its process has on the CPU, and from when: see tg/nice.h
 * @nr_nice: how often that changes
 * @deadline: a latency above it is a miss; TG_NEVER: none is
 * @arrival: pattern
 * @cost: distribution
 */
struct tgs_client_conf {
	char name[TGS_NAME_LEN];
	bool user_set;
	u32 user;
	char cgroup[TGS_CGROUP_LEN];
	u16 undelegated;
	u32 gpu, count, channels, engines, depth;
	struct tgs_nice {
		s64 from;
		u8 level;
	} *nice;
	u32 nr_nice;
	s64 start, stagger, stop, life, deadline;
	struct tgs_arrival arrival;
	struct tgs_dist cost;
};

/**
 * struct tgs_scenario - what is simulated
 * @seed: of all random numbers
 * @duration: virtual time
 * @gpus: the GPUs
 * @nr_gpus: at least one
 * @clients: the [client] sections
 * @nr_clients: how many
 * @spec: text of the spec: the [spec] section, then the clients' own lines
 * @spec_len: its bytes
 */
struct tgs_scenario {
	u64 seed;
	s64 duration;
	struct tgs_gpu_conf *gpus;
	u32 nr_gpus;
	struct tgs_client_conf *clients;
	u32 nr_clients;
	char *spec;
	u32 spec_len;
};

/**
 * tgs_scenario_parse() - read a scenario (docs/man/tgsim-scenario.5)
 * @s: the result; tgs_scenario_deinit() when done, also after an error
 * @text: NUL-terminated
 * @dir: where files that it names are looked for
 * @error: room for TGS_MESSAGE bytes: "line N: what is wrong; what would be right"
 *
 * Return: 0, or -EINVAL with @error filled in.
 */
int tgs_scenario_parse(struct tgs_scenario *s, const char *text, const char *dir, char *error);
void tgs_scenario_deinit(struct tgs_scenario *s);

/**
 * tgs_time_parse() - read a time as scenarios have it: a number and ns, us, ms or s
 * @word: the text
 * @ns: the result
 *
 * Return: is it one, exact to the ns and not beyond the clock?
 */
bool tgs_time_parse(const char *word, s64 *ns);

#endif /* TGS_SCENARIO_H */
