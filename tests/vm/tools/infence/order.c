// SPDX-License-Identifier: GPL-2.0
/*
 * infence - which fences an EXEC waits for: points of a timeline, merged ones, its own channel's;
 * and what an EXEC without a push waits for.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <xf86drm.h>

#include "infence.h"

/* timeline: point 1 is an EXEC's of the same channel, point 2 vgem's, point 3 the first again */
void do_timeline(__attribute__((unused)) char **args)
{
	struct sync wait = { .flags = TIMELINE, .handle = syncobj_new() };
	struct sync done = { .flags = TIMELINE, .handle = wait.handle, .point = 1 };
	struct sync last = { .handle = syncobj_new() };
	struct foreign f = foreign_new();
	struct later later = {};
	uint32_t plain = syncobj_new();
	int channel = channel_new();
	long long from;

	must("EXEC of point 1", exec(channel, NULL, &done));
	syncobj_set(plain, &f);
	if (drmSyncobjTransfer(nouveau, wait.handle, 2, plain, 0, 0))
		fail("SYNCOBJ_TRANSFER: %s", strerror(errno));
	wait.point = 1;
	from = now_ns();
	must("EXEC behind point 1", exec(channel, &wait, NULL));
	took("EXEC behind point 1", from, 0, 2000);
	wait.point = 2;
	later_start(&later, &f, 1000);
	from = now_ns();
	must("EXEC behind point 2", exec(channel, &wait, &last));
	took("EXEC behind point 2", from, 900, 5000);
	later_end(&later);
	if (!syncobj_signalled(last.handle, 5000))
		fail("the EXEC did not end");
}

/* merged: one fence that stands for two, of which the second signals later */
void do_merged(__attribute__((unused)) char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	struct foreign one = foreign_new(), two = foreign_new();
	struct {
		char name[32];
		int32_t fd2, fence;
		uint32_t flags, pad;
	} merge = { .fd2 = foreign_file(&two) };
	struct later later[2] = {};
	int channel = channel_new(), first = foreign_file(&one);
	long long from = now_ns();

	must("SYNC_IOC_MERGE", talk(first, _IOWR('>', 3, merge), &merge));
	if (drmSyncobjImportSyncFile(nouveau, wait.handle, merge.fence))
		fail("import of a sync file: %s", strerror(errno));
	later_start(&later[0], &one, 300);
	later_start(&later[1], &two, 1000);
	must("EXEC", exec(channel, &wait, &done));
	took("EXEC behind two fences", from, 900, 5000);
	later_end(&later[0]);
	later_end(&later[1]);
	if (!syncobj_signalled(done.handle, 5000))
		fail("the EXEC did not end");
}

/* own N: EXECs of a channel, each behind the one before it, sleep for none of them */
void do_own(char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	int channel = channel_new(), i, n = atoi(args[0]);
	long long waited;

	/* From the first one the module learns the channel's fences. */
	must("EXEC", exec(channel, NULL, &done));
	if (!syncobj_signalled(done.handle, 5000))
		fail("the first EXEC did not end");
	waited = stat_value("fence_waited");
	for (i = 0; i < n; i++) {
		struct sync tmp = wait;

		wait = done;
		done = tmp;
		must("EXEC", exec(channel, &wait, &done));
	}
	if (!syncobj_signalled(done.handle, 5000))
		fail("the last EXEC did not end");
	if (stat_value("fence_waited") != waited)
		fail("%lld of %d EXECs waited for their own channel",
		     stat_value("fence_waited") - waited, n);
}

/* empty: an EXEC without a push waits, too: what comes behind it must not, in our place */
void do_empty(__attribute__((unused)) char **args)
{
	struct sync wait = { .handle = syncobj_new() }, done = { .handle = syncobj_new() };
	struct foreign f = foreign_new();
	struct later later = {};
	int channel = channel_new();
	long long from = now_ns();

	syncobj_set(wait.handle, &f);
	later_start(&later, &f, 1000);
	must("EXEC without a push", exec_once(channel, 0, &wait, &done));
	took("EXEC without a push", from, 900, 5000);
	later_end(&later);
	if (!syncobj_signalled(done.handle, 5000))
		fail("it did not end");
}
