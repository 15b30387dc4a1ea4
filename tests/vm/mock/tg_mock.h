/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The test card's one ioctl. tg_mock.c and tests/vm/tools/mock.c include this.
 */
#ifndef TG_MOCK_H
#define TG_MOCK_H

#include <linux/types.h>

#define TGMOCK_RINGS		5		/* at most; 4 but as v3d */
#define TGMOCK_INS		32		/* at most */
#define TGMOCK_NS		1000000000	/* at most */

/**
 * struct tgmock_submit - one job
 * @ring: the ring that executes it
 * @flags: 0
 * @ns: for so long
 * @ins: so many syncobjs stand at @in: the job waits for the fence of each
 * @out: this syncobj gets the job's fence; 0: none does
 * @in: address of an array of handles
 */
struct tgmock_submit {
	__u32 ring, flags;
	__u64 ns;
	__u32 ins, out;
	__u64 in;
};

#define TGMOCK_SUBMIT		0x00

#endif /* TG_MOCK_H */
