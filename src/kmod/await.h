/* SPDX-License-Identifier: GPL-2.0 */
/*
 * await.c: what an EXEC waits for before SUBMIT.
 */
#ifndef TGK_AWAIT_H
#define TGK_AWAIT_H

#include "tgk.h"

int tgk_await(struct tgk_gpu *gpu, const struct tgk_call *call);

#endif /* TGK_AWAIT_H */
