/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The modelled card: the whole public interface, and its manual.
 *
 * A card is a pure state machine.  It owns no clock, thread, socket or file: the host (tools/cardd,
 * or a test) calls it with what happens and when, and it answers through the return values below
 * and the callbacks in struct card_host.  One card is used by one thread at a time; callbacks run
 * inside the call that caused them and must not call back into the card.
 *
 * Time is the host's, in nanoseconds, and never goes backwards between calls: a @now below the
 * highest one seen counts as that one.  The model's own instants are exact: what was due at T is
 * done as if at T, however late the call that does it comes; the difference is reported as late.
 *
 * Use:
 *	card = card_create(&config, &host, now);
 *	for each access of the guest:	card_read() or card_write()
 *	in between:			sleep until card_next_event(), then card_advance()
 *	at any time:			card_truth(), card_truth_channel()
 */
#ifndef CARD_H
#define CARD_H

#include "types.h"

struct card;

/* Regions of the PCI function, numbered as VFIO numbers them. */
enum card_region {
	CARD_BAR0 = 0,		/* registers, 16 MiB */
	CARD_BAR1 = 1,		/* window on GPU virtual memory, 256 MiB */
	CARD_BAR3 = 3,		/* window for instance memory, 32 MiB */
	CARD_CONFIG = 7,	/* PCI configuration space, 256 bytes */
};

/* Never: the value of card_next_event() when nothing is going to happen. */
#define CARD_NEVER	INT64_MAX

/**
 * struct card_config - what kind of card
 * @chip: "G92" or "GF100"
 * @vram_mib: video memory, MiB, as card_vram_ok() has it
 * @vram: that much zeroed memory, owned by the caller, alive as long as the card
 * @scale: the card is so many times slower than life, 1 to 1000; every modelled duration is
 *	multiplied by it, and so is everything in the ground truth
 * @seed: seeds whatever is random in the model
 * @cold: caches are cold after a context switch
 * @jitter: the same work does not always take the same time
 */
struct card_config {
	const char *chip;
	u32 vram_mib;
	void *vram;
	u32 scale;
	u64 seed;
	bool cold;
	bool jitter;
};

/**
 * struct card_host - what the card asks of the machine it sits in
 * @ctx: handed to each callback
 * @intx: the level of the INTx pin changed to @level
 * @msi: the card sends its message-signalled interrupt (once; not again before the driver re-arms)
 * @dma: where guest-physical memory [@addr, @addr + @len) is, or NULL when it is not all there in
 *	one piece.  The pointer is used inside the current call only.
 * @log: something bad came from the guest: @what is a sentence, @chid the channel or -1, @value the
 *	address or datum at fault.  May be NULL.
 * @clock: the real time, on the clock that @now is of; for how long the card itself takes, and for
 *	nothing that it does.  May be NULL.
 */
struct card_host {
	void *ctx;
	void (*intx)(void *ctx, bool level);
	void (*msi)(void *ctx);
	void *(*dma)(void *ctx, u64 addr, u64 len, bool write);
	void (*log)(void *ctx, const char *what, int chid, u64 value);
	s64 (*clock)(void *ctx);
};

/**
 * card_vram_ok() - can this chip have so much memory?
 * @chip: its name, NULL or unknown: no
 * @mib: G92: 64, 128, 256, 512 or 1024 (the powers of two that its memory geometry registers can
 *	describe); GF100: 96, 192, 384, 768 or 1536 (the same in each of its six partitions)
 */
bool card_vram_ok(const char *chip, u32 mib);

/** card_vram_default() - what it has when nothing is said, MiB: 256 or 384; 0: no such chip */
u32 card_vram_default(const char *chip);

/**
 * card_create() - a card, powered on and reset
 * @config: copied
 * @host: copied
 * @now: its power-on time, where the ground truth starts
 *
 * Return: the card, or NULL when @config is out of range or memory is short.
 */
struct card *card_create(const struct card_config *config, const struct card_host *host, s64 now);

/** card_destroy() - free a card; NULL is fine */
void card_destroy(struct card *card);

/**
 * card_reset() - the PCI function was reset
 *
 * Registers return to their power-on values and every channel is gone.  Video memory and the ground
 * truth stay.
 */
void card_reset(struct card *card, s64 now);

/** card_region_size() - bytes in a region, 0 for one that the card does not have */
u64 card_region_size(const struct card *card, int region);

/**
 * card_read(), card_write() - the guest accesses a region
 * @region: enum card_region
 * @off: offset in it
 * @buf: @len bytes
 * @len: 1 to 4096
 *
 * Registers are 32 bits wide: a read of a part gives that part of the register; a write of a part
 * of one is refused (logged) by modelled units.  Accesses past the end are refused, and read as
 * all ones. Does card_advance(@now) first.
 */
void card_read(struct card *card, s64 now, int region, u64 off, void *buf, u32 len);
void card_write(struct card *card, s64 now, int region, u64 off, const void *buf, u32 len);

/**
 * card_msi_enable() - the machine routes interrupts by message from now on, or no longer
 *
 * Arms the message; when an interrupt is already pending it is sent at once.
 */
void card_msi_enable(struct card *card, bool on);

/** card_intx_level() - the present level of the INTx pin */
bool card_intx_level(const struct card *card);

/**
 * card_next_event() - when something is next going to happen by itself
 *
 * Return: time in ns; possibly in the past when the model is behind (a call to card_advance() does
 * a bounded amount of work, so that a hostile guest cannot keep it for itself); CARD_NEVER.
 */
s64 card_next_event(const struct card *card);

/** card_advance() - do everything that was due up to @now */
void card_advance(struct card *card, s64 now);

#define CARD_WHY	256

/**
 * card_fault() - let something break
 * @request: KIND[@WHEN][:CHANNEL], several joined by '+'.
 *	WHEN: N (with the N-th command group from now on), a time from now on like 20ms (us, ms, s), or
 *	random (a group of the next thousand, by the seed); without it, as soon as possible.
 *	CHANNEL: only this channel's work; without it, any channel's.
 *	Kinds that hit the next work: hang (it never ends), mmu (a memory fault in its place), method
 *	(one is illegal).
 *	Kinds that hit the next completion: semaphore (it is not written), lost-irq, late-irq (by
 *	100 ms), early-time (it is told 15 ms too early, as somebody who forges it would).
 *	Kinds that concern no channel: spurious-irq (with nothing pending), notify (PFIFO's completion
 *	interrupt with nothing complete), stop (the graphics engine stands still), gone (reads are all
 *	ones, nothing else works), clock-fast (PTIMER runs 200 ppm fast), clock-back (PTIMER is set
 *	back by 1 s), heal (ends hang, stop, gone and clock-fast).
 * @why: on failure, one line that says what would be right
 * @size: bytes in @why, CARD_WHY is enough
 *
 * Return: false when the request makes no sense; then none of it happens.
 */
bool card_fault(struct card *card, s64 now, const char *request, char *why, size_t size);

/* ---- ground truth ------------------------------------------------------------------------- */

/**
 * struct card_truth - what the card really did
 * @chip: its name
 * @scale: from the configuration
 * @elapsed_ns: from power-on up to the instant that the card has got to; always busy + switch + idle
 * @behind_ns: from there to now. Not 0 when there is more work in the past than one call does: then
 *	all figures here are as of that instant, and card_advance() gets on with the rest
 * @busy_ns: the graphics engine executed a command group
 * @switch_ns: it changed from one channel's context to another's
 * @idle_ns: it did neither
 * @late_ns: sum over command groups of how much later than the modelled instant their completion
 *	was acted on: the host's slowness, which is in none of the times above
 * @self_late_ns: sum over command groups of how long the call that acted on their completion had
 *	already taken, by the host's clock: what the card itself adds to @late_ns. 0 without a clock
 * @groups: command groups completed (a group ends with its fence, a semaphore release)
 * @switches: context switches
 * @errors: errors that the guest made the card report, and accesses that were refused
 * @faults: faults on request that have happened
 * @away: accesses to registers and memory that came while the function was in D3hot
 * @gap_n: number of gaps, each the time from a group's completion on an otherwise idle channel to
 *	that channel's next doorbell, when shorter than 50 ms
 * @gap_p50_ns, @gap_p90_ns: their quantiles, to 5 us
 * @engines: number of engines that card_truth_engine() has; the fields above are the first one's
 * @channels: number of rows that card_truth_channel() has
 */
struct card_truth {
	const char *chip;
	u32 scale;
	s64 elapsed_ns;
	s64 behind_ns;
	s64 busy_ns;
	s64 switch_ns;
	s64 idle_ns;
	s64 late_ns;
	s64 self_late_ns;
	u64 groups;
	u64 switches;
	u64 errors;
	u64 faults;
	u64 away;
	u64 gap_n;
	s64 gap_p50_ns;
	s64 gap_p90_ns;
	u32 engines;
	u32 channels;
};

/**
 * struct card_truth_engine - one engine's part, fields as in struct card_truth
 * @name: "PGRAPH"; on GF100 also "PCE0" and "PCE1", the copy engines that run beside it
 */
struct card_truth_engine {
	const char *name;
	s64 busy_ns;
	s64 switch_ns;
	s64 idle_ns;
	s64 late_ns;
	s64 self_late_ns;
	u64 groups;
	u64 switches;
};

/**
 * struct card_truth_channel - one channel's share
 * @chid: number, as the driver sees it
 * @instance: how many channels of that number came before
 * @alive: still enabled
 * @busy_ns, @groups: as above; @switches: context switches to it
 * @switch_ns: the engine switched to its context; the channels' add up to the engine's
 * @fence_gap_ns: sum over its groups of the time from the end of a group's work to its fence's
 *	release, 0 for a group without work
 */
struct card_truth_channel {
	u32 chid;
	u32 instance;
	bool alive;
	s64 busy_ns;
	s64 switch_ns;
	s64 fence_gap_ns;
	u64 groups;
	u64 switches;
};

/**
 * card_truth() - the ground truth up to @now, or up to where the card is; does card_advance(@now)
 * first, once: a host that wants all of it advances the card until card_next_event() is later
 */
void card_truth(struct card *card, s64 now, struct card_truth *out);

/** card_groups() - command groups completed so far, as card_truth() would say */
u64 card_groups(const struct card *card);

/** card_truth_engine() - engine @i, 0 to engines - 1, as of the last card_truth() */
void card_truth_engine(const struct card *card, u32 i, struct card_truth_engine *out);

/**
 * card_truth_channel() - row @i, 0 to channels - 1, in the order in which channels were created:
 * what it did on the first engine
 */
void card_truth_channel(const struct card *card, u32 i, struct card_truth_channel *out);

/** card_truth_channel_of() - the same for what it did on engine @engine */
void card_truth_channel_of(const struct card *card, u32 i, u32 engine,
			   struct card_truth_channel *out);

#endif
