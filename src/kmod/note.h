/* SPDX-License-Identifier: GPL-2.0 */
/*
 * note.c: what the core wants people to know.
 */
#ifndef TGK_NOTE_H
#define TGK_NOTE_H

#include <tg/guarantee.h>

struct tg_policy;
struct tgk_gpu;

#define TGK_NOTES	32	/* notes that wait to be written out */

/**
 * struct tgk_note - one TG_ACT_NOTE, to be written out; tgk_gpu.lock
 * @what: enum tg_note
 * @policy: that is in force now, or has failed; NULL: it is not about one
 * @client: its number, 0: none
 * @pid: its process
 * @uid: its user
 * @comm: its name, as it chose it
 * @took: OVERLONG: the group's time, ns
 * @longest: what was allowed, ns
 * @refused: NOT_ADMITTED: it is a guaranteed reserve that does not fit, and @why
 */
struct tgk_note {
	u32 what;
	const struct tg_policy *policy;
	u32 client;
	u32 pid, uid;
	char comm[TG_COMM_LEN];
	s64 took, longest;
	bool refused;
	struct tg_refusal why;
};

extern const char *const tgk_note_names[];

void tgk_note_gpu(struct tgk_gpu *gpu);
void tgk_note(struct tgk_gpu *gpu, const struct tg_action *action);

#endif /* TGK_NOTE_H */
