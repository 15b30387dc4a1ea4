/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A channel, and how many there are. No file has this name: PFIFO's files (pfifo.h) own struct
 * chan, in struct pfifo, as long as the card lives.
 *
 * engine.c, pgraph.c, the classes (gr.h) and macro.c keep their part of it; dev.c and fault.c read
 * it. One thread at a time (card.h).
 */
#ifndef CARD_CHAN_H
#define CARD_CHAN_H

#include "macro.h"
#include "vm.h"

#define CARD_CHANNELS	128
#define CARD_SUBCHANNELS	8

struct chan {
	u32 chid;
	bool enabled;		/* in the channel table; */
	bool listed;		/* and on the runlist; */
	bool stopped;		/* but not to be run (Fermi) */
	u32 row;		/* in the ground truth */
	u64 inst;		/* instance block */
	u64 ramfc;		/* where its state goes */
	u32 saved;		/* what stands there while it is off, 0: nothing */
	struct dmaobj push;	/* what pushbuffer addresses mean */
	u32 ramht;		/* offset in the instance block, bytes */
	u32 ramht_bits;
	/* pusher */
	u64 ib_base;
	u32 ib_mask;
	u32 get;
	u32 put;
	u64 seg;		/* next word to fetch of the current ring entry */
	u32 seg_words;		/* how many are left */
	bool main;		/* it is of the main pushbuffer; */
	u64 main_get;		/* where the last of those ended, MAIN_GET_VALID added */
	u32 word[64];		/* fetched, not yet looked at */
	u32 word_get;
	u32 word_put;
	u32 subc;		/* of the command being read */
	u32 mthd;
	u32 count;		/* data words still to come */
	bool noninc;
	bool once;		/* increment once, then no more (Fermi) */
	bool long_count;	/* the next word is a count */
	/* puller */
	bool held;		/* the method below waits to be executed */
	u32 held_subc;
	u32 held_mthd;
	u32 held_data;
	struct {
		u32 engine;	/* 0 software, else 1 + enum engine_id */
		bool software;	/* an object of the driver's own is bound (Fermi) */
		u32 oclass;
		int slot;	/* enum gr_slot, -1 none */
	} subch[CARD_SUBCHANNELS];
	struct macro macro;
	u32 engine;		/* that it has, or had last: enum engine_id */
	u64 userd;		/* Fermi: where the driver leaves its PUT */
	u32 ref;
	u64 sema_addr;
	u32 sema_seq;
	u32 sema_off;		/* old-style semaphore, -1u unset */
	struct dmaobj sema;
	u32 notify;		/* after the next method: 1 write a notifier, 2 and interrupt */
	s64 work;		/* what the work that was begun last takes, ns */
	bool redo;		/* it was cut off: the held method has been executed but for it */
	u64 unpaid;		/* methods decoded and not yet charged for */
	s64 done_at;		/* last completion, -1 when work came after it */
	s64 work_end;		/* when an engine last ended work of the present group, -1 none */
	/* per-class method state, GR_SLOTS * GR_METHODS words */
	u32 *state;
};

#endif
