/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The screen of tgctl top: drawn by curses, and the keys. top.c calls this, with a terminal.
 */
#ifndef TGCTL_TOP_SCREEN_H
#define TGCTL_TOP_SCREEN_H

#include "top_rows.h"

/** top_screen_begin() - take the terminal; it is given back when the program ends. false: it cannot */
bool top_screen_begin(void);

/** top_screen_end() - give it back; nothing when it was not taken */
void top_screen_end(void);

/** top_screen_add() - a new reading: the history of the engines has it */
void top_screen_add(const struct top_frame *frame);

/** top_screen_draw() - draw the frame */
void top_screen_draw(const struct top_frame *frame);

enum top_next {
	TOP_TIME,	/* it is time for the next reading */
	TOP_AGAIN,	/* the view has changed: compute the frame again, and draw it */
	TOP_END,	/* the user wants to leave */
};

/**
 * top_screen_wait() - act on keys until it is time
 * @frame: what is drawn
 * @due: when it is time, ns, CLOCK_MONOTONIC
 */
enum top_next top_screen_wait(const struct top_frame *frame, s64 due);

/** top_clock() - CLOCK_MONOTONIC, ns */
s64 top_clock(void);

#endif /* TGCTL_TOP_SCREEN_H */
