/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core's environment in user space: the simulator, the tests, tgctl.
 *
 * Same names and meanings as include/env/kernel/tg_env.h, which says what belongs here.
 * Nothing in this file or below it allocates, locks, prints or asks for the time.
 */
#ifndef TG_ENV_H
#define TG_ENV_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX		UINT32_MAX
#define U64_MAX		UINT64_MAX
#define S64_MAX		INT64_MAX
#define S64_MIN		INT64_MIN

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define noinline	__attribute__((__noinline__))
#define __packed	__attribute__((__packed__))
#define __aligned(n)	__attribute__((__aligned__(n)))

#define container_of(ptr, type, member) \
	((type *)((char *)(1 ? (ptr) : &((type *)0)->member) - offsetof(type, member)))

#define min(a, b) ({ __typeof__(a) min_a = (a); __typeof__(b) min_b = (b); \
		     min_a < min_b ? min_a : min_b; })
#define max(a, b) ({ __typeof__(a) max_a = (a); __typeof__(b) max_b = (b); \
		     max_a > max_b ? max_a : max_b; })

static inline s64 div64_s64(s64 n, s64 d)
{
	return n / d;
}

static inline u64 div64_u64(u64 n, u64 d)
{
	return n / d;
}

#include "tg_list.h"
#include "tg_rbtree.h"

#endif /* TG_ENV_H */
