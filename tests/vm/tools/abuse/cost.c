// SPDX-License-Identifier: GPL-2.0
/*
 * abuse - how long a submission takes.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>

#include "abuse.h"

static int by_size(const void *a, const void *b)
{
	const long long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The buffer as a dma-buf: polling it asks for its fence's interrupt, and does not wait for it. */
static int chan_export(const struct chan *ch)
{
	struct drm_prime_handle prime = { .handle = ch->handle, .flags = DRM_CLOEXEC };

	must("export", talk(ch->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &prime));
	return prime.fd;
}

/* What tg_probe says of the last submission: ns in nouveau's handler; 0 where it is not loaded. */
static long long inside_ns(int probe)
{
	char text[32] = "";

	if (probe < 0)
		return 0;
	must("the probe", pread(probe, text, sizeof(text) - 1, 0) < 1 ? -errno : 0);
	return atoll(text);
}

static long long median(long long *of, unsigned int n)
{
	qsort(of, n, sizeof(*of), by_size);
	return of[n / 2];
}

/*
 * Until the last group is over, without waiting for its interrupt. Where a thread asks for a fence's
 * interrupt just as another CPU deals with that of the fence before, nouveau of 6.1 switches it off
 * again, and a wait lasts for 30 s: one in some thousand groups here, without our module.
 */
static void wait_idle(const struct chan *ch)
{
	struct drm_nouveau_gem_cpu_prep args = {
		.handle = ch->handle,
		.flags = NOUVEAU_GEM_CPU_PREP_WRITE | NOUVEAU_GEM_CPU_PREP_NOWAIT,
	};
	const long long until = now_ns() + 10000 * MS;
	int ret;

	while ((ret = talk(ch->fd, DRM_IOW(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_CPU_PREP,
					   struct drm_nouveau_gem_cpu_prep), &args)) == -EBUSY &&
	       now_ns() < until)
		usleep(200);
	must("wait", ret);
}

/*
 * ioctl N COST: how long the submission takes, each with nothing in flight, and how long it takes
 * together with asking for the fence's interrupt; both also without what nouveau's handler takes of
 * it, where tg_probe is loaded; medians of N, in ns
 */
void do_ioctl(char **args)
{
	int probe = open("/sys/module/tg_probe/parameters/inside_ns", O_RDONLY);
	unsigned int n = number(args[0]), i;
	long long *took[4], at, inside;
	struct pollfd fence = { .events = POLLOUT };
	struct call call;
	struct chan ch;

	for (i = 0; i < 4; i++)
		took[i] = calloc(n, sizeof(*took[i]));
	chan_new(&ch, open_node(), number(args[1]));
	fence.fd = chan_export(&ch);
	run_group(&ch, 1);
	for (i = 0; i < n; i++) {
		call_init(&call, &ch, i + 2);	/* clears 12 KiB, which is no part of it */
		at = now_ns();
		must("submission", talk(ch.fd, PUSHBUF, &call.req));
		took[0][i] = now_ns() - at;
		must("poll", poll(&fence, 1, 0) < 0 ? -errno : 0);
		took[1][i] = now_ns() - at;
		inside = inside_ns(probe);
		took[2][i] = took[0][i] - inside;
		took[3][i] = took[1][i] - inside;
		wait_idle(&ch);
	}
	printf("{\"ioctl_ns\":%lld,\"fence_ns\":%lld", median(took[0], n), median(took[1], n));
	if (probe >= 0)
		printf(",\"ioctl_around_ns\":%lld,\"fence_around_ns\":%lld", median(took[2], n), median(took[3], n));
	puts("}");
}
