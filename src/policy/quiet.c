// SPDX-License-Identifier: GPL-2.0
/*
 * The engine behind open gates: does it idle while clients are held?
 *
 * What goes through an open gate feeds no event. While a client waits that the policy holds, the
 * host watches (tg_watch()) when nothing is in flight. Then the engine lingers for the clients
 * whose gates are open, as long as they usually need to the next submission: all of them together,
 * since any of them ends the gap. When the linger is over, the host is asked again: it tells at
 * once if no client has come. While no client waits, nothing is watched.
 *
 * Policies call it, under the GPU's lock. They own the struct.
 */
#include "quiet.h"

/* Samples and answers of the host cost idle time, too: a sixth of what lingers may take. */
static void credit(struct tg_quiet *quiet, s64 worked)
{
	tg_linger_earn(&quiet->linger, div64_s64(worked * 5, 6));
}

static void earn(struct tg_quiet *quiet, s64 worked)
{
	quiet->earned += worked;
	credit(quiet, worked);
}

void tg_quiet_earn(struct tg_quiet *quiet, s64 worked)
{
	credit(quiet, max(worked - quiet->earned, (s64)0));
	quiet->earned = 0;
}

void tg_quiet(const struct tg_gpu *gpu, struct tg_quiet *quiet, s64 gap)
{
	/* The host has watched since the linger: the engine has worked since a client came. */
	if (gap && quiet->took)
		earn(quiet, max(gpu->now - quiet->gap.since - gap, (s64)0));
	/* Not a gap in which the policy held the clients: that is not how long they are away. */
	if (gap && quiet->gap.since && gap <= gpu->now - quiet->gap.since) {
		tg_gap_add(&quiet->gap, gap);
		/* A client came before the linger was over. */
		quiet->linger.credit += max(quiet->took - gap, (s64)0);
	}
	/* None came: gaps are longer than they seemed. */
	if (!gap && quiet->took)
		tg_gap_add(&quiet->gap, 4 * quiet->took);
	quiet->took = 0;
	if (gap || !quiet->gap.since)
		quiet->gap.since = gpu->now;
	quiet->idle = true;
}

void tg_quiet_forget(const struct tg_gpu *gpu, struct tg_quiet *quiet)
{
	tg_linger_end(gpu, &quiet->linger, tg_gpu_waits(gpu));
	quiet->idle = false;
	/* The next gap does not begin where the last one did. */
	quiet->gap.since = 0;
	quiet->took = 0;
}

bool tg_quiet_for_long(struct tg_gpu *gpu, struct tg_quiet *quiet, s64 most)
{
	bool lingers = quiet->linger.since;

	if (!gpu->open || !tg_gpu_waits(gpu) || tg_gpu_in_flight(gpu)) {
		tg_quiet_forget(gpu, quiet);
		return false;
	}
	if (!quiet->idle) {
		tg_linger_end(gpu, &quiet->linger, true);
		tg_watch(gpu);
		return false;
	}
	if (tg_linger(gpu, &quiet->linger, &quiet->gap, most))
		return false;
	quiet->took = tg_linger_end(gpu, &quiet->linger, true);
	quiet->idle = false;
	/* Has a client come in the linger? One is tried at times where gaps seem too long. */
	if (lingers)
		tg_watch(gpu);
	else
		quiet->gap.mean = div64_s64(quiet->gap.mean * 15, 16);
	return !lingers;
}

s64 tg_quiet_wake(const struct tg_quiet *quiet)
{
	return quiet->linger.since ? quiet->linger.until : TG_NEVER;
}
