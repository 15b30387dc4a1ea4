// SPDX-License-Identifier: GPL-2.0
/*
 * Pictures, drawn by gnuplot, which is fed through a pipe. Called by plot.c for traces and by the
 * simulator's reports. One thread.
 */
#include <errno.h>
#include <string.h>

#include "picture.h"
#include "trace.h"

static const char *terminal(const char *path)
{
	static const struct {
		const char *suffix, *terminal;
	} kinds[] = {
		{ ".png", "pngcairo size 1200,800" }, { ".svg", "svg size 1200,800" },
		{ ".pdf", "pdfcairo size 12,8" },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		u64 len = strlen(path), n = strlen(kinds[i].suffix);

		if (len > n && !strcmp(path + len - n, kinds[i].suffix))
			return kinds[i].terminal;
	}
	return NULL;
}

int tgs_picture_open(FILE **to, const char *path, char *error)
{
	const char *as = terminal(path);

	if (!as || strchr(path, '\'')) {
		snprintf(error, TGS_MESSAGE, "%.160s: a name that ends in .png, .svg or .pdf "
			 "wanted, without quotes", path);
		return -EINVAL;
	}
	*to = popen("gnuplot", "w");
	if (!*to) {
		snprintf(error, TGS_MESSAGE, "cannot start gnuplot: %s", strerror(errno));
		return -errno;
	}
	fprintf(*to, "set terminal %s\nset output '%s'\n", as, path);
	return 0;
}

int tgs_picture_close(FILE *to, const char *path, char *error)
{
	if (!pclose(to))
		return 0;
	snprintf(error, TGS_MESSAGE, "gnuplot could not draw %.160s", path);
	return -EIO;
}
