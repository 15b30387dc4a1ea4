/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One run of the load: paces frames and groups, measures them, sums the result up.
 */
#ifndef TGL_RUN_H
#define TGL_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "opts.h"
#include "stats.h"

#define TGL_CHANNELS_MAX	16

/**
 * struct tgl_result - what came of a run, all channels together
 * @channels: the numbers by which the kernel knows the channels
 * @submitted: groups that the kernel took
 * @groups: groups that completed
 * @frames: frames of which every group completed
 * @errors: submissions refused, waits failed and groups found wrong by --verify
 * @asked_ps: GPU time of the completed groups by the published rates, picoseconds
 * @elapsed_ns: from the first frame's start to the last completion, or the last frame shown
 * @cpu_ns: time on the CPU, before frames and between groups
 * @mem_wait_ns: time for which frames waited for the VRAM that they asked for
 * @mem_held_ns: time for which they had it
 * @latency: of each group, from just before its submission to the moment it was seen complete
 * @frame: distance between successive frames of one channel
 */
struct tgl_result {
	int channels[TGL_CHANNELS_MAX];
	uint64_t submitted;
	uint64_t groups;
	uint64_t frames;
	uint64_t errors;
	uint64_t asked_ps;
	uint64_t elapsed_ns;
	uint64_t cpu_ns;
	uint64_t mem_wait_ns;
	uint64_t mem_held_ns;
	struct tgl_samples latency;
	struct tgl_samples frame;
};

/**
 * tgl_run - put the load on the card until its end, or until SIGINT or SIGTERM
 * @opts: what to do
 * @result: filled in; valid only if 0 is returned
 * @why: one line on failure, without a line end
 * @why_size: room at @why
 *
 * Errors of single groups are counted, and the first one is written to stderr. To be called once.
 *
 * Return: 0 if the run took place, or a negative errno if it could not be set up.
 */
int tgl_run(const struct tgl_opts *opts, struct tgl_result *result, char *why, size_t why_size);

#endif
