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
#include "lib/utf8.h"

static char said[512];
static int unwritten;	/* why standard output could not be written first: errno */

static void flush(void)
{
	if (fflush(stdout) && !unwritten)
		unwritten = errno;
}

/* A name or an argument in the text holds any bytes: none of them begins a line or moves the cursor. */
static void put_line(const char *text)
{
	size_t len = strlen(text), n, i;
	uint32_t code;

	for (; len; text += n, len -= n) {
		n = utf8_decode(text, len, &code);
		if (n && !utf8_is_control(code)) {
			fwrite(text, 1, n, stderr);
			continue;
		}
		n = n ?: 1;
		for (i = 0; i < n; i++)
			fprintf(stderr, "\\x%02x", (unsigned char)text[i]);
	}
	fputc('\n', stderr);
}

void tgctl_error(const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	va_end(ap);
	snprintf(said, sizeof(said), "%s", text ?: "out of memory");
	flush();
	fputs("tgctl: ", stderr);
	put_line(text ?: said);
	free(text);
}

bool tgctl_flush(void)
{
	static bool told;

	flush();
	if (!unwritten && !ferror(stdout))
		return true;
	if (!told)
		tgctl_error("cannot write to standard output: %s", strerror(unwritten ?: EIO));
	told = true;
	return false;
}

const char *tgctl_said(void)
{
	return said;
}

char tgctl_process_state(u32 pid)
{
	char path[32], line[256] = "", *end;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		*line = '\0';
	fclose(f);
	/* The name before it may have a bracket, too. */
	end = strrchr(line, ')');
	return end && end[1] == ' ' ? end[2] : 0;
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
