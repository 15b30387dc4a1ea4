/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a job is charged, and on whose accounts: account.c.
 */
#ifndef TG_CORE_ACCOUNT_H
#define TG_CORE_ACCOUNT_H

#include <tg/policy.h>

s64 tg_job_settle(struct tg_gpu *gpu, struct tg_engine *engine, struct tg_job *job, s64 used);
void tg_job_charge(struct tg_gpu *gpu, struct tg_job *job, s64 used);

#endif /* TG_CORE_ACCOUNT_H */
