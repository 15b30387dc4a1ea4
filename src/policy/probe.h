/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How deep is a client's queue? For policies whose gates are open most of the time.
 *
 * All that a client has queued goes to the hardware through a gate that opens: seconds of it, while
 * the others wait. A policy cannot see a queue's length, since of a program with one thread one
 * group waits, however many would follow. So a client that comes is probed: its gate stands at ASK,
 * and of each of its channels a few jobs may be in flight. At the end of a phase (a free-run, a
 * cycle):
 *
 *	no job waits				the queue is short: the gate opens
 *	one does, and four times as many jobs
 *	  as are in flight would take longer
 *	  than the phase			the queue is deep: the client asks with the fewest
 *						jobs in flight until no job waits
 *	one does, and the most are in flight	the gate opens
 *	one does				four times as many may be in flight
 *
 * The policy tells of a client whose open gate let more through than a phase's worth: it is deep.
 *
 * Policies call it, under the GPU's lock. They own the struct.
 */
#ifndef TG_POLICY_PROBE_H
#define TG_POLICY_PROBE_H

#include <tg/policy.h>

#define TG_PROBE_LEAST	2	/* the engine has no gap */
#define TG_PROBE_MOST	32
#define TG_PROBE_GROWS	4

/**
 * struct tg_probe - how much of a client's queue may be on the hardware
 * @most: jobs of each channel; 0: its gate is open
 * @deep: its queue is deep
 * @done: jobs that have ended in this phase, 255 at most
 */
struct tg_probe {
	u8 most : 7, deep : 1;
	u8 done;
};

/** tg_probe_begin() - nothing is known of the client's queue */
static inline void tg_probe_begin(struct tg_probe *probe)
{
	*probe = (struct tg_probe){ .most = TG_PROBE_LEAST };
}

/** tg_probe_deep() - the client's queue takes longer than a phase */
static inline void tg_probe_deep(struct tg_probe *probe)
{
	*probe = (struct tg_probe){ .most = TG_PROBE_LEAST, .deep = 1 };
}

/** tg_probe_short() - the client's queue is short */
static inline void tg_probe_short(struct tg_probe *probe)
{
	*probe = (struct tg_probe){ };
}

/** tg_probe_done() - a job of a client that is probed has ended */
static inline void tg_probe_done(struct tg_probe *probe)
{
	probe->done += probe->done < 255;
}

/** tg_probe_judge() - a phase ends in which @client was probed; the caller sets @done to 0 */
static inline void tg_probe_judge(struct tg_probe *probe, const struct tg_client *client)
{
	if (!tg_client_waits(client))
		tg_probe_short(probe);
	else if (!probe->deep && TG_PROBE_GROWS * client->inflight > probe->done)
		tg_probe_deep(probe);
	else if (!probe->deep)
		probe->most = probe->most < TG_PROBE_MOST ? probe->most * TG_PROBE_GROWS : 0;
}

#endif /* TG_POLICY_PROBE_H */
