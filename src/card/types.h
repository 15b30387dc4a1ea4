/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's short integer names and two of its macros, for user space: src/card may include libc
 * only. Every header of src/card includes this.
 */
#ifndef CARD_TYPES_H
#define CARD_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
typedef unsigned __int128 u128;

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define BIT(n)		(1u << (n))

#endif
