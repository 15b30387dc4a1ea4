/* SPDX-License-Identifier: GPL-2.0 */
/*
 * submit.c: the way of one submission.
 */
#ifndef TGK_SUBMIT_H
#define TGK_SUBMIT_H

#include "tgk.h"

int tgk_submit_open(struct tgk_gpu *gpu, const struct tgk_call *call);
int tgk_submit_gated(struct tgk_gpu *gpu, const struct tgk_call *call);

/**
 * tgk_submit() - one submission, from the call to nouveau's answer
 * @gpu: the GPU, held
 * @call: the ioctl
 *
 * Context: process; sleeps.
 *
 * Return: what nouveau returns; -ERESTARTSYS or -EINTR: a signal came first; -ENODEV: the
 * device is going away; -ENOMEM.
 */
static inline int tgk_submit(struct tgk_gpu *gpu, const struct tgk_call *call)
{
	/* A gate that is open may be missed: the job goes the other way, and all is looked at. */
	return READ_ONCE(gpu->core.open) ? tgk_submit_open(gpu, call) : tgk_submit_gated(gpu, call);
}

void tgk_unpark(struct work_struct *work);
void tgk_unpark_all(struct tgk_gpu *gpu);

#endif /* TGK_SUBMIT_H */
