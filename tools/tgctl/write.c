// SPDX-License-Identifier: GPL-2.0
/*
 * Specifications that tgctl writes. The old one keeps another name, FILE.old. How the new one comes
 * to its place, lib/file.c knows.
 */
#include "write.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/file.h"
#include "tgctl.h"

#define MODE	0644	/* whatever root's umask: a user's tgd reads /etc/timegraph.spec */

bool write_makes_file(const char *file)
{
	struct file_place place;

	return !file_find(file, &place) &&
	       (place.kind == FILE_NONE || place.kind == FILE_THERE);
}

/* May @old become the name of the old file? A folder, or a device, is not thrown away. */
static bool is_free(const char *old)
{
	struct stat st;

	if (lstat(old, &st) || S_ISREG(st.st_mode) || S_ISLNK(st.st_mode))
		return true;
	tgctl_error("%s is no file, and the old specification would get its name; move it away",
		    old);
	return false;
}

bool write_whole(const char *file, const char *text, size_t len, bool over)
{
	char old[PATH_MAX + 8];
	struct file_place place;
	const char *why = file_find(file, &place);

	snprintf(old, sizeof(old), "%s.old", place.path);
	if (!why && place.kind == FILE_THERE && !over) {
		tgctl_error("%s is there already; --force writes over it, and keeps the old one as "
			    "%s.old; - prints", file, place.path);
		return false;
	}
	if (!why && place.kind == FILE_THERE && !is_free(old))
		return false;
	if (place.kind == FILE_NONE)
		place.mode = MODE;
	if (!why)
		why = file_put(&place, text, len, old);
	if (why)
		tgctl_error("cannot write %s: %s",
			    place.kind == FILE_STDOUT ? "to standard output" : file, why);
	return !why;
}
