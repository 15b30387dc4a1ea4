/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Turns from tgd, the daemon that schedules a GPU between programs: `gloop::tgd` is the source of a
 * host loop's turns. gloop.h does not include this file. A program that does links
 * libtimegraph-client.a.
 *
 * A turn is one launch for the daemon. When the launch is to end, the daemon says so in its slot of
 * the shared page, over() sees that, and the host loop suspends the kernel. If there is work left,
 * the next launch asks before the end of this one is reported: so the program keeps its place.
 *
 * One thread calls it, the host loop's; drain() comes from the client library's own thread.
 */
#ifndef GLOOP_TGD_H
#define GLOOP_TGD_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "env.h"
#include "turn.h"

extern "C" {
#include "../client/tgu.h"
}

namespace gloop {

class tgd : public turn_source {
public:
	/* @name: of the GPU, for people. Without a daemon it says so, and each turn comes at once. */
	explicit tgd(const char *name = "GPU")
	{
		state = new device;
		state->next = kept();
		kept() = state;
		if (!env::device_key(state->key, sizeof(state->key)))
			snprintf(state->key, sizeof(state->key), "platform:unknown:0");
		state->as_client = tgu_device{};
		state->as_client.key = state->key;
		state->as_client.name = name;
		state->as_client.engines = 1;
		state->as_client.yields = true;
		state->as_client.told = [](void *) { };
		state->as_client.settle = [](void *) { return false; };
		state->as_client.drain = drain;
		state->as_client.owner = state;
		u = tgu_open(&state->as_client);
		if (!u || !tgu_found(u))
			fprintf(stderr, "gloop: no tgd answers; this program runs unscheduled\n");
	}

	~tgd() override
	{
		give(false);
		if (u)
			tgu_close(u);
	}

	tgd(const tgd &) = delete;
	tgd &operator=(const tgd &) = delete;

	bool take(uint32_t wait_us) override
	{
		if (!asked)
			tgu_ask(u, 1, &next);
		asked = true;
		if (!tgu_wait(&next, tgu_now() + wait_us * 1000ll))
			return false;
		asked = false;
		holds = true;
		turn = next;
		if (turn.way == TGU_OPEN) {
			__atomic_store_n(&state->open, 1, __ATOMIC_SEQ_CST);
			tgu_leave(&turn);
		}
		tgu_started(&turn, 0);
		return true;
	}

	bool over(uint64_t) override { return tgu_to_end(&turn); }

	void give(bool again) override
	{
		if (holds && again && turn.way == TGU_ASKED) {
			tgu_ask(u, 1, &next);
			asked = true;
		}
		if (holds)
			tgu_done(&turn, tgu_now(), false);
		__atomic_store_n(&state->open, 0, __ATOMIC_SEQ_CST);
		holds = false;
		if (asked && !again) {
			tgu_cancel(&next);
			asked = false;
		}
	}

private:
	/* The client library may use it for a while after this object has gone */
	struct device {
		struct tgu_device as_client;
		char key[128];
		uint32_t open;		/* a kernel runs that went through an open gate */
		struct device *next;
	};

	static struct device *&kept()
	{
		static struct device *first;

		return first;
	}

	/* The gate is shut: over() ends the kernel */
	static void drain(void *owner)
	{
		while (__atomic_load_n(&((struct device *)owner)->open, __ATOMIC_SEQ_CST))
			usleep(200);
	}

	struct device *state;
	struct tgu *u;
	struct tgu_job turn = {}, next = {};
	bool asked = false, holds = false;
};

}	/* namespace gloop */

#endif /* GLOOP_TGD_H */
