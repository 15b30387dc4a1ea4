// SPDX-License-Identifier: GPL-2.0
/*
 * The row of tgmock, the test card (tests/vm/mock). A channel is a ring.
 *
 * sched.c calls this, in the submitting thread.
 */
#include "sched.h"

struct mock_submit {
	u32 ring, flags;
	u64 ns;
	u32 ins, out;
	u64 in;
};

#define MOCK_RINGS	4
#define MOCK_INS	32
#define MOCK_NS		1000000000

/* How many rings the card has is not known here: the driver refuses those beyond. */
static bool read(const void *args, struct tgk_sched_args *to)
{
	const struct mock_submit *req = args;

	to->chid = req->ring;
	tgk_sched_list(to, req->in, req->ins, sizeof(u32), tgk_sched_decode_handle);
	return !req->flags && req->ring < MOCK_RINGS && req->ns <= MOCK_NS && req->ins <= MOCK_INS;
}

/* The card calls the schedulers of a ring after it, whether files share them or have their own. */
static const struct tgk_ring rings[MOCK_RINGS] = {
	{ "ring0", 0 }, { "ring1", 1 }, { "ring2", 2 }, { "ring3", 3 },
};

static u32 engine(struct dma_fence *finished)
{
	return tgk_sched_engine(finished, rings, ARRAY_SIZE(rings));
}

static u32 engine_of(u32 chid)
{
	return chid;
}

TGK_SCHED_FUNCTIONS(mock, struct mock_submit)

struct tgk_sched tgk_mock = {
	TGK_SCHED_ROW(mock, "tgmock", 0x1234, { }, { }, .engines = MOCK_RINGS, .engine = engine,
		      .engine_of = engine_of),
	.submit = { { 0, sizeof(struct mock_submit), read } },
};
