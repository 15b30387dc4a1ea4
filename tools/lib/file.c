// SPDX-License-Identifier: GPL-2.0
/*
 * Whole files: see file.h.
 */
#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST	(64 << 10)	/* bytes; the buffer doubles from here on */

static char *read_all(FILE *file, uint64_t *len)
{
	char *data = NULL, *grown;
	size_t used = 0, room = 0;

	do {
		if (used == room) {
			room = room ? 2 * room : FIRST;
			grown = realloc(data, room + 1);
			if (!grown)
				break;
			data = grown;
		}
		used += fread(data + used, 1, room - used, file);
	} while (!feof(file) && !ferror(file));
	if (!feof(file)) {
		free(data);
		return NULL;
	}
	data[used] = '\0';
	if (len)
		*len = used;
	return data;
}

char *file_read(const char *path, uint64_t *len)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *data;
	int error;

	if (!file)
		return NULL;
	data = read_all(file, len);
	error = errno;
	if (file != stdin)
		fclose(file);
	errno = error;
	return data;
}
