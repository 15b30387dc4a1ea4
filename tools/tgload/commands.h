/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Words of commands, written into a slot one after the other. Called by tesla.c and fermi.c while
 * gpu.c makes a channel; no lock, since each slot belongs to one thread.
 */
#ifndef TGL_COMMANDS_H
#define TGL_COMMANDS_H

#include "slot.h"

/* Methods of every class */
#define OBJECT			0x0000
#define SERIALIZE		0x0110

static inline void put(struct tgl_slot *slot, uint32_t word)
{
	*slot->cur++ = word;
}

static inline void put_address(struct tgl_slot *slot, uint64_t address)
{
	put(slot, address >> 32);
	put(slot, (uint32_t)address);
}

/* The next word changes from group to group. */
static inline void put_patch(struct tgl_slot *slot)
{
	slot->patch = slot->cur;
	put(slot, 0);
}

/* So does this one, with the amount of work. */
static inline void put_size(struct tgl_slot *slot)
{
	slot->size = slot->cur;
	put(slot, 0);
}

/* Commands that start what the words before say, @passes times: @method with @word. */
static inline void put_launches(struct tgl_slot *slot, uint32_t passes, uint32_t method,
				uint32_t word)
{
	slot->launch = slot->cur;
	while (passes--) {
		put(slot, method);
		put(slot, word);
	}
}

/* The next @count words are for @method and those that follow it. */
static inline void begin(struct tgl_slot *slot, unsigned int subchannel, uint32_t method,
			 unsigned int count)
{
	put(slot, slot->dialect->command(subchannel, method, count));
}

static inline void method(struct tgl_slot *slot, unsigned int subchannel, uint32_t method,
			  uint32_t word)
{
	begin(slot, subchannel, method, 1);
	put(slot, word);
}

/* A rectangle of the slot's colour by the 2D class, which is bound to @subchannel. */
void put_fill(struct tgl_slot *slot, unsigned int subchannel, const struct tgl_work *work);

#endif
