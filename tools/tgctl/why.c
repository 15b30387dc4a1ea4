// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl why: which waits people may have felt, out of the module's flight recorder. What a full
 * trace tells of one client's waits is in trace.c.
 */
#include "why.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tg/types.h>

#include "host.h"
#include "lib/number.h"
#include "sysfs.h"
#include "trace.h"
#include "waits.h"

#define WORST	3	/* waits that are told, unless asked for more or fewer */
#define SINCE_MAX	(10000 * 24 * 3600 * TG_SEC)

static s64 now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * TG_SEC + t.tv_nsec;
}

static enum tgctl_status read_wish(const struct tgctl_args *args, struct tgs_wish *wish)
{
	const char *worst = args->option[WHY_WORST], *since = args->option[WHY_SINCE];
	u64 nr = WORST;
	s64 span;

	wish->client = args->nr ? args->names[0] : args->option[WHY_CLIENT];
	if (args->nr && args->option[WHY_CLIENT]) {
		tgctl_error("why: two clients, '%s' and '%s'; one wanted", args->names[0],
			    args->option[WHY_CLIENT]);
		return TGCTL_USAGE;
	}
	if (worst && (!tgctl_number(worst, &nr) || !nr || nr > 10000)) {
		tgctl_error("why: '%s' is no number from 1 to 10000", worst);
		return TGCTL_USAGE;
	}
	if (since && !minutes_read(since, SINCE_MAX, &span) && !tgctl_time(since, &span)) {
		tgctl_error("why: '%s' is no time; 10m, 90s", since);
		return TGCTL_USAGE;
	}
	wish->worst = nr;
	wish->since = since ? now() - span : 0;
	return TGCTL_OK;
}

/* Tell what is missing, if it may be what was asked for. */
static void tell_gap(const struct tgs_waits *all, const struct tgs_wish *wish)
{
	s64 oldest = all->nr ? all->wait[0].wall : 0;
	u32 i;

	for (i = 1; i < all->nr; i++)
		oldest = min(oldest, all->wait[i].wall);
	if (all->head.dropped && wish->since < oldest)
		printf("what was before %s is overwritten (%llu records); a larger knob "
		       "recorder_kib holds more\n", tgs_clock(oldest),
		       (unsigned long long)all->head.dropped);
}

static enum tgctl_status tell(const char *name, const char *data, size_t len,
			      const struct tgs_wish *wish)
{
	char error[TGS_MESSAGE];
	struct tgs_waits waits;
	enum tgctl_status status = TGCTL_OK;

	if (tgs_waits_read(&waits, data, len, error)) {
		tgctl_error("%s: %s; the module and this tgctl differ in version", sysfs_path(name),
			    error);
		status = TGCTL_FAILED;
	} else if (!waits.head.kib && !waits.nr) {
		tgctl_error("the recorder is off: tgctl knob recorder_kib 256");
		status = TGCTL_FAILED;
	} else {
		tell_gap(&waits, wish);
		tgs_waits_choose(&waits, wish);
		tgs_waits_print(&waits, stdout);
		if (!waits.nr)
			printf("no such wait: none was longer than %lld ms\n",
			       TG_WAIT_LEAST / TG_MSEC);
	}
	tgs_waits_deinit(&waits);
	return status;
}

static enum tgctl_status clear(void)
{
	int err = sysfs_write_value("waits_frozen", "0");

	if (err)
		sysfs_explain("write", "waits_frozen", -err);
	return err ? TGCTL_FAILED : TGCTL_OK;
}

static enum tgctl_status why_recorder(const struct tgctl_args *args)
{
	const bool frozen = args->option[WHY_FROZEN] || args->option[WHY_CLEAR];
	const char *name = frozen ? "waits_frozen" : "waits";
	struct tgs_wish wish = { };
	enum tgctl_status status = read_wish(args, &wish);
	char *data;
	size_t len;

	if (status)
		return status;
	if (host_is_user()) {
		tgctl_error("tgd has no recorder, the kernel module has; start tgd with --trace-kib, "
			    "and name the client: tgctl why CLIENT --last 3");
		return TGCTL_FAILED;
	}
	data = sysfs_read(name, &len);
	if (!data)
		return TGCTL_FAILED;
	if (frozen && !len)
		printf("nothing is frozen: no wait has been longer than the knob stutter_us\n");
	else
		status = tell(name, data, len, &wish);
	free(data);
	if (!status && len && args->option[WHY_CLEAR])
		status = clear();
	return status;
}

enum tgctl_status tgctl_why(const struct tgctl_args *args)
{
	const bool trace = args->option[WHY_TRACE] || args->option[WHY_LAST];
	const bool ring = args->option[WHY_WORST] || args->option[WHY_SINCE] ||
			  args->option[WHY_CLIENT] || args->option[WHY_FROZEN] ||
			  args->option[WHY_CLEAR];

	if (trace && ring) {
		tgctl_error("why: --last and --trace tell of the full trace, the other options of "
			    "the recorder; one of the two wanted");
		return TGCTL_USAGE;
	}
	if (trace && !args->nr) {
		tgctl_error("why: no CLIENT for the full trace; usage: tgctl why CLIENT [--last N] "
			    "[--trace FILE]");
		return TGCTL_USAGE;
	}
	if (args->nr && !ring && (trace || tgctl_has_trace()))
		return tgctl_why_trace(args);
	return why_recorder(args);
}
