// SPDX-License-Identifier: GPL-2.0
/*
 * What all files of tgctl call: messages, numbers, memory. tgrund, the helper of `tgctl run`, links
 * it too.
 */
#include "tgctl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/number.h"

static char said[512];

void tgctl_error(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(said, sizeof(said), format, ap);
	va_end(ap);
	fflush(stdout);
	fputs("tgctl: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

bool tgctl_flush(void)
{
	static bool failed;

	errno = EIO;	/* should an earlier write have failed and not this one */
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	if (!failed)
		tgctl_error("cannot write to standard output: %s", strerror(errno));
	failed = true;
	return false;
}

const char *tgctl_said(void)
{
	return said;
}

bool tgctl_time(const char *text, s64 *ns)
{
	struct time_text t;

	if (time_read(text, 1000000 * TG_SEC, &t) != TIME_GOOD || t.bare)
		return false;
	*ns = t.ns;
	return true;
}

bool tgctl_number(const char *text, u64 *n)
{
	uint64_t value;

	if (!number_read(text, UINT64_MAX, &value))
		return false;
	*n = value;
	return true;
}

void *tgctl_alloc(void *old, size_t size)
{
	void *p = realloc(old, size);

	if (p)
		return p;
	tgctl_error("out of memory");
	exit(TGCTL_FAILED);
}
