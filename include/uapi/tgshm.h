/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/tgshm: device memory that processes share by key, as shmget() has it for main memory (Gdev,
 * section 4.2). timegraph/shm.h has the functions that programs call; src/kmod/shm.c answers.
 *
 * Root and the group render may open it, as a GPU's render node (mode 0660).
 *
 * A segment is a dma-buf that the driver has exported, with an owner, a group, a mode and an id.
 * Keys and ids are those of the caller's IPC namespace. The device holds a reference to the dma-buf
 * as long as the segment lives.
 *
 * An attachment is a mapping: mmap() one page of the device at tgshm_offset(id), PROT_NONE,
 * MAP_SHARED. Nothing can be read there. The kernel counts such mappings as it does for shmat():
 * a child has its parent's, and they go by munmap(), by exec and with the process. mmap() fails as
 * shmat() does.
 *
 * Numbers of users and groups are those of the caller's user namespace. What is not named is 0;
 * unknown flags, and numbers other than 0 where none is named, give EINVAL.
 */
#ifndef UAPI_TGSHM_H
#define UAPI_TGSHM_H

#include <linux/types.h>

#define TGSHM_DEVICE	"/dev/tgshm"

/* Flags of GET, beside the 9 bits of the mode; CREAT and EXCL as IPC_CREAT and IPC_EXCL */
#define TGSHM_CREAT	01000
#define TGSHM_EXCL	02000
#define TGSHM_VOLATILE	0x10000	/* the segment goes with its last attachment */

/* In a mode: RMID has come, the segment goes with its last attachment */
#define TGSHM_DEST	01000

/*
 * Of segments, and of IPC namespaces with segments: in all; that one user has made. As many as one
 * user's are left to root. Of a GPU's VRAM one user's segments take at most a half, those of all
 * users but root three quarters. One more gives ENOSPC.
 */
#define TGSHM_SEGMENTS	1024
#define TGSHM_PER_USER	128

/**
 * struct tgshm_get - GET: find a segment, or make one
 * @key: 0 (IPC_PRIVATE): always a new one
 * @flags: mode, and TGSHM_*
 * @size: bytes; at most those of the segment that is there, or of the buffer
 * @buf: file descriptor of a dma-buf to make it of; -1: none
 * @id: out
 *
 * As shmget(). Where a segment would be made and @buf is -1: ENODATA; the caller comes again with a
 * buffer. It may find then that another process has been faster: its buffer is not used.
 * EBADF, EINVAL: no dma-buf; EOPNOTSUPP: none of a GPU that is scheduled; EPERM: not VRAM that the
 * caller itself has got from the driver; ENOSPC: this user has too many segments, or too much VRAM
 * in them (TGSHM_SEGMENTS).
 */
struct tgshm_get {
	__s32 key;
	__u32 flags;
	__u64 size;
	__s32 buf, id;
};

/**
 * struct tgshm_buf - BUF: the dma-buf of a segment
 * @id: its id
 * @buf: out: a new file descriptor, close-on-exec
 * @size: out: bytes
 *
 * EACCES without the permission to read and write; ENODEV: its GPU has gone.
 */
struct tgshm_buf {
	__s32 id, buf;
	__u64 size;
};

/**
 * struct tgshm_stat - STAT, SET, NEXT
 * @id: its id. NEXT: in: from which slot on, at first 0; out: the segment's; a slot is what is left
 *	of an id modulo TGSHM_SLOTS
 * @key: 0: private, or RMID has come
 * @size: bytes
 * @uid: its owner, as @gid, @cuid, @cgid; the latter two: who made it
 * @gid: see @uid
 * @cuid: see @uid
 * @cgid: see @uid
 * @mode: 9 bits, TGSHM_DEST, TGSHM_VOLATILE
 * @nattch: attachments; U32_MAX: that many, or more
 * @atime: seconds of the last attachment; 0: none yet
 * @dtime: likewise of the last that went
 * @ctime: when it was made, or SET
 * @cpid: process that made it
 * @lpid: that last attached it or let go of it
 *
 * SET takes @id, @uid, @gid and 9 bits of @mode, and looks at nothing else. NEXT answers with the
 * segments that the caller owns or has made, all of them for root (CAP_SYS_ADMIN); ENOENT: no more.
 */
struct tgshm_stat {
	__s32 id, key;
	__u64 size;
	__u32 uid, gid, cuid, cgid, mode, nattch;
	__s64 atime, dtime, ctime;
	__s32 cpid, lpid;
};

#define TGSHM_SLOTS	32768

#define TGSHM_IOC_GET	_IOWR('g', 0x70, struct tgshm_get)
#define TGSHM_IOC_BUF	_IOWR('g', 0x71, struct tgshm_buf)
#define TGSHM_IOC_STAT	_IOWR('g', 0x72, struct tgshm_stat)
#define TGSHM_IOC_SET	_IOW('g', 0x73, struct tgshm_stat)
#define TGSHM_IOC_RMID	_IOW('g', 0x74, __s32)
#define TGSHM_IOC_NEXT	_IOWR('g', 0x75, struct tgshm_stat)

/* Where an attachment is mapped. Ids lie two pages apart, so no two mappings are one. */
static inline __u64 tgshm_offset(__s32 id, __u64 page)
{
	return 2 * (__u64)(__u32)id * page;
}

#endif /* UAPI_TGSHM_H */
