/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When frames start and when they are shown. Pure arithmetic on nanoseconds of one clock, so that
 * it can be tested without waiting.
 */
#ifndef TGL_PACE_H
#define TGL_PACE_H

#include <stdint.h>

/**
 * tgl_shown - the instant at which a finished frame is seen
 * @origin: when the first tick was
 * @vsync: distance between ticks; 0 when frames are not tied to ticks
 * @done: when the frame's last group completed; not before @origin
 *
 * Return: the first tick at or after @done, or @done itself without ticks.
 */
static inline uint64_t tgl_shown(uint64_t origin, uint64_t vsync, uint64_t done)
{
	if (!vsync)
		return done;
	return origin + (done - origin + vsync - 1) / vsync * vsync;
}

/**
 * tgl_next_due - when the next frame may start
 * @due: when this one was due
 * @every: wanted distance between frames; 0 for back to back
 * @shown: when this one was seen
 *
 * A frame that was late moves all later ones: the time that was lost is not made good by frames
 * that follow each other faster than @every.
 *
 * Return: the later of the next regular instant and @shown.
 */
static inline uint64_t tgl_next_due(uint64_t due, uint64_t every, uint64_t shown)
{
	uint64_t next = due + every;

	return next > shown ? next : shown;
}

#endif
