/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a guaranteed reserve (TG_CBS, tg/reserve.h) is not admitted: for hosts that tell people.
 *
 * Pure; callers hold the GPU's lock.
 */
#ifndef TG_GUARANTEE_H
#define TG_GUARANTEE_H

#include <tg/gpu.h>

/**
 * struct tg_refusal - the sum by which a guaranteed reserve is not admitted
 * @others: C/T of those that are, in units of 1 / TG_SHARE_ALL
 * @capacity: C of the one that is refused, ns
 * @period: T of it
 * @longest: L
 * @shortest: T_min
 */
struct tg_refusal {
	s64 others, capacity, period, longest, shortest;
};

/**
 * tg_gpu_refusal() - why does the client's line not give it its guaranteed reserve?
 * @gpu: the GPU
 * @client: number of the client
 * @why: others + capacity / period + longest / shortest > 1
 *
 * To be asked at TG_NOTE_NOT_ADMITTED. Return: the line has a guaranteed reserve, and @why.
 */
bool tg_gpu_refusal(const struct tg_gpu *gpu, u32 client, struct tg_refusal *why);

/**
 * tg_gpu_overlong() - how long was the group that breaks a guarantee?
 * @gpu: the GPU
 * @longest: how long it might have been, ns
 *
 * To be asked at TG_NOTE_OVERLONG. Return: ns.
 */
s64 tg_gpu_overlong(const struct tg_gpu *gpu, s64 *longest);

#endif /* TG_GUARANTEE_H */
