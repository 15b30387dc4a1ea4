/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long things take on the card, in its own (unscaled) ns: cost.c.
 *
 * Called by engine.c for switches, methods, cold caches and jitter, and by the classes (gr.h) for
 * their work. Pure functions: any thread.
 */
#ifndef CARD_COST_H
#define CARD_COST_H

#include "types.h"

struct card_chip;

s64 cost_methods(const struct card_chip *chip, u64 methods);
s64 cost_switch(const struct card_chip *chip);
s64 cost_switch_copy(const struct card_chip *chip);
s64 cost_launch(const struct card_chip *chip, u64 blocks, u32 threads, u32 instructions);
s64 cost_memory(const struct card_chip *chip, u64 vram_bytes, u64 system_bytes);
s64 cost_pixels(const struct card_chip *chip, u64 pixels, u64 vram_bytes, u64 system_bytes);
s64 cost_draw(const struct card_chip *chip, u64 vertices, u32 vertex_program, u64 pixels,
	      u32 pixel_program, u64 vram_bytes);
s64 cost_cold(const struct card_chip *chip, u64 random);
s64 cost_jitter(s64 ns, u64 random);

#endif
