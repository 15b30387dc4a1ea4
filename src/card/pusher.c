// SPDX-License-Identifier: GPL-2.0
/*
 * pusher.c - a channel's ring entries in, methods out.
 *
 * The ring holds pointers to segments of words. A word is a command, which announces methods, or
 * the datum of a method. The result is one method in ch->held for the puller.
 *
 * Called by puller.c when no method is held; calls macro.c while a macro runs, which makes methods
 * too. Everything read from memory is the guest's and may be nonsense.
 */
#include "pusher.h"
#include "chan.h"
#include "chip.h"
#include "dev.h"
#include "macro.h"
#include "mmio.h"
#include "pfifo.h"
#include "pfifo_priv.h"
#include "vm.h"

#define PFIFO_DMA_STATE		0x003228
#define PFIFO_DMA_PUT_HI	0x003320
#define PFIFO_DMA_GET_HI	0x003328
#define PFIFO_IB_PUT		0x003330

#define IB_NOT_MAIN		BIT(9)

#define MAIN_GET_VALID		0x8000000000000000ull

enum dma_error { DMA_INVALID_CMD = 4, DMA_IB_EMPTY = 5, DMA_MEM_FAULT = 6 };

u64 chan_dma_get(const struct chan *ch)
{
	return ch->seg - 4ull * (ch->word_put - ch->word_get);
}

u64 chan_put(const struct chan *ch)
{
	return ch->seg + 4ull * ch->seg_words;
}

u64 chan_main_get(const struct chan *ch)
{
	return ch->main ? chan_dma_get(ch) | MAIN_GET_VALID : ch->main_get;
}

void chan_skip(struct chan *ch)
{
	ch->seg += 4ull * ch->seg_words;
	ch->seg_words = 0;
	ch->word_get = ch->word_put;
	ch->count = 0;
}

static enum pull pusher_error(struct card *card, struct chan *ch, enum dma_error error)
{
	static const enum pfifo_error fermi[] = {
		[DMA_INVALID_CMD] = PFIFO_BAD_COMMAND, [DMA_IB_EMPTY] = PFIFO_EMPTY_ENTRY,
		[DMA_MEM_FAULT] = PFIFO_NO_MEMORY,
	};

	if (card->chip->fermi) {
		chan_skip(ch);
		return chan_error(card, ch, fermi[error]);
	}
	reg_set(card, PFIFO_DMA_STATE, (u32)error << 29);
	reg_set(card, PFIFO_DMA_GET, (u32)chan_dma_get(ch));
	reg_set(card, PFIFO_DMA_GET_HI, (u32)(chan_dma_get(ch) >> 32));
	reg_set(card, PFIFO_DMA_PUT, (u32)chan_put(ch));
	reg_set(card, PFIFO_DMA_PUT_HI, (u32)(chan_put(ch) >> 32));
	reg_set(card, PFIFO_IB_GET, ch->get);
	reg_set(card, PFIFO_IB_PUT, ch->put);
	return pfifo_stall(card, ch, INTR_DMA_PUSHER, "pusher error", error);
}

/* Have at least one word in ch->word.  STOP: the channel is dry, or in error. */
static enum pull chan_fetch(struct card *card, struct chan *ch)
{
	struct pfifo *fifo = &card->pfifo;
	u32 n, entry[2];

	while (ch->word_get == ch->word_put) {
		if (ch->seg_words) {
			n = ch->seg_words;
			if (n > ARRAY_SIZE(ch->word))
				n = ARRAY_SIZE(ch->word);
			/* a page at a time, so that a fault hits the word it belongs to */
			if (n > (0x1000 - (ch->seg & 0xfff)) / 4)
				n = (0x1000 - (ch->seg & 0xfff)) / 4;
			if (!vm_read(card, &ch->push, ch->seg, ch->word, n * 4, VM_PFIFO_PUSHBUF))
				return pusher_error(card, ch, DMA_MEM_FAULT);
			ch->seg += 4ull * n;
			ch->seg_words -= n;
			ch->word_get = 0;
			ch->word_put = n;
			break;
		}
		if (ch->get == ch->put) {
			set_del(fifo->ready, ch->chid);
			return PULL_STOP;
		}
		if (!card->budget)
			return PULL_STOP;
		card->budget--;
		if (!vm_read(card, &ch->push, ch->ib_base + 8ull * ch->get, entry, sizeof(entry),
			     VM_PFIFO_PUSHBUF))
			return pusher_error(card, ch, DMA_MEM_FAULT);
		ch->get = (ch->get + 1) & ch->ib_mask;
		ch->main_get = chan_main_get(ch);
		ch->main = !(entry[1] & IB_NOT_MAIN);
		ch->seg = (entry[0] & ~3u) | (u64)(entry[1] & 0xff) << 32;
		ch->seg_words = entry[1] >> 10 & 0x1fffff;
		if (!ch->seg_words)
			return pusher_error(card, ch, DMA_IB_EMPTY);
	}
	return PULL_ON;
}

/* A command of G80's: methods with data behind it.  False: it is none. */
static bool g80_command(struct chan *ch, u32 word)
{
	if ((word & 0xffff0003) == 0x00030000) {
		ch->long_count = true;
		ch->noninc = true;
	} else if (!(word & 0xa0030003)) {
		ch->noninc = word & BIT(30);
		ch->count = word >> 18 & 0x7ff;
	} else {
		return false;
	}
	ch->mthd = word & 0x1ffc;
	ch->subc = word >> 13 & 7;
	return true;
}

/*
 * Of Fermi's: what kind is in bits 29-31, a count or the datum itself in 16-28, the method in 0-11.
 * Two kinds are G80's; what else there was of old (bits 16-17) selects boards of a group, and
 * there is one.
 */
static bool fermi_command(struct chan *ch, u32 word)
{
	u32 kind = word >> 29;

	ch->subc = word >> 13 & 7;
	ch->mthd = (word & 0xfff) << 2;
	ch->noninc = false;
	ch->once = false;
	ch->count = word >> 16 & 0x1fff;
	switch (kind) {
	case 0:
	case 2:
		ch->mthd = word & 0x1ffc;
		ch->noninc = kind == 2;
		ch->count = word & 0x30000 ? 0 : word >> 18 & 0x7ff;
		return true;
	case 1:
		return true;
	case 3:
		ch->noninc = true;
		return true;
	case 4:
		ch->held = true;
		ch->held_subc = ch->subc;
		ch->held_mthd = ch->mthd;
		ch->held_data = ch->count;
		ch->count = 0;
		return true;
	case 5:
		ch->once = true;
		return true;
	default:
		return false;
	}
}

enum pull chan_decode(struct card *card, struct chan *ch)
{
	u32 word;

	while (!ch->held) {
		if (ch->macro.running && !ch->macro.waits) {
			if (!macro_run(card, ch))
				return PULL_STOP;
			continue;
		}
		if (chan_fetch(card, ch) == PULL_STOP)
			return PULL_STOP;
		if (!card->budget)
			return PULL_STOP;
		card->budget--;
		word = ch->word[ch->word_get++];
		if (ch->count) {
			ch->held = true;
			ch->held_subc = ch->subc;
			ch->held_mthd = ch->mthd;
			ch->held_data = word;
			ch->count--;
			if (!ch->noninc)
				ch->mthd = (ch->mthd + 4) & (card->chip->fermi ? 0x3ffc : 0x1ffc);
			ch->noninc |= ch->once;
		} else if (ch->long_count) {
			ch->long_count = false;
			ch->count = word & 0xffffff;
		} else if (!(card->chip->fermi ? fermi_command : g80_command)(ch, word)) {
			ch->word_get--;
			return pusher_error(card, ch, DMA_INVALID_CMD);
		}
	}
	return PULL_ON;
}
