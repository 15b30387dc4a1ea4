/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgload's command line.
 */
#ifndef TGL_OPTS_H
#define TGL_OPTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "work.h"

/* The kernel keeps so many bytes of a thread's name. */
#define TGL_NAME_MAX	15

/**
 * struct tgl_opts - what one run shall do
 * @name: what the process calls itself, 1 to TGL_NAME_MAX bytes
 * @device: render node, NULL for the first that nouveau drives
 * @kind: what kind of work a group is
 * @cost_ns: GPU time of a group, 1 ns to 60 s; the mean where frames differ
 * @vary: how far from that a frame's groups may be, percent, 0 to 100
 * @seed: of the frames' costs, up to 2^32 - 1
 * @every_ns: distance at which frames are due, 0 for back to back
 * @groups: groups in a frame, 1 to 1000
 * @think_ns: CPU time between groups
 * @prepare_ns: CPU time before each frame
 * @mem: MiB of VRAM that each frame asks for and gives back, 0 to 65536
 * @vsync_ns: distance between display ticks, 0 for none
 * @depth: groups that may be in flight at once, 1 to 64
 * @channels: channels, each in a thread of its own, 1 to 16
 * @for_ns: no group starts after this time; 0 for no bound
 * @count: groups that each channel submits; 0 for no bound
 * @stopped: stop when all is set up, until SIGCONT
 * @exec: submit by VM_BIND and EXEC, else by PUSHBUF
 * @verify: check after each group that it did its work
 * @json: report in JSON
 */
struct tgl_opts {
	const char *name;
	const char *device;
	enum tgl_kind kind;
	uint64_t cost_ns;
	uint64_t vary;
	uint64_t seed;
	uint64_t every_ns;
	uint64_t groups;
	uint64_t think_ns;
	uint64_t prepare_ns;
	uint64_t mem;
	uint64_t vsync_ns;
	uint64_t depth;
	uint64_t channels;
	uint64_t for_ns;
	uint64_t count;
	int stopped;
	int exec;
	int verify;
	int json;
};

enum tgl_parsed {
	TGL_RUN,	/* the options are complete */
	TGL_HELP,	/* the user asked for this, and no load */
	TGL_VERSION,
	TGL_LIST,
	TGL_BAD,	/* they are wrong; the reason was written */
};

/**
 * tgl_opts_parse - read the command line
 * @argc: as main() got it
 * @argv: as main() got it; the options keep pointers into it
 * @opts: filled in, defaults first; complete only when TGL_RUN is returned
 * @why: one line without a line end on TGL_BAD
 * @why_size: room at @why
 *
 * Names are exact, a value follows as the next argument or after '=', and no option may be given
 * twice.
 *
 * Return: what to do next.
 */
enum tgl_parsed tgl_opts_parse(int argc, char **argv, struct tgl_opts *opts,
			       char *why, size_t why_size);

/** tgl_opts_help - print what --help says */
void tgl_opts_help(FILE *to);

/** tgl_opts_list - print what --list-options says */
void tgl_opts_list(void);

/**
 * tgl_kind_name - the word that --kind knows a kind by
 * @kind: the kind
 *
 * Return: a static string.
 */
const char *tgl_kind_name(enum tgl_kind kind);

#endif
