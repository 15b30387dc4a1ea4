// SPDX-License-Identifier: GPL-2.0
/*
 * The table of policies. A new policy is one file and one row here.
 *
 * The core calls it for the events POLICY, hosts for names and knobs. Read-only data, any context.
 */
#include <tg/policy.h>

#define POLICIES(row)	\
	row(none)	\
	row(fifo)	\
	row(timegraph)	\
	row(tick)	\
	row(dfq)	\
	row(loga)	\
	row(timeslice)	\
	row(dtimeslice)	\
	row(fcfs)	\
	row(band)	\
	row(credit)	\
	row(vfifo)

#define DECLARE(name)	extern const struct tg_policy tg_policy_##name;
#define ENTRY(name)	&tg_policy_##name,

POLICIES(DECLARE)

static const struct tg_policy *const policies[] = { POLICIES(ENTRY) };

const struct tg_policy *tg_policy_get(u32 nr)
{
	return nr < ARRAY_SIZE(policies) ? policies[nr] : NULL;
}

/* "one of" and the names, for the words of an error. */
#define NAME(name)	" " #name
const char *const tg_policy_names = "one of" POLICIES(NAME);

int tg_policy_find(const char *name, u32 len)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(policies); i++)
		if (strlen(policies[i]->name) == len && !memcmp(policies[i]->name, name, len))
			return i;
	return -ENOENT;
}
