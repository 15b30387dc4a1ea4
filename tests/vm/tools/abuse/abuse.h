/* SPDX-License-Identifier: GPL-2.0 */
/*
 * abuse - what its files share. See main.c.
 */
#ifndef ABUSE_H
#define ABUSE_H

#include <stdbool.h>
#include <stdint.h>

#include <nouveau_drm.h>

#include <uapi/timegraph.h>
#include "work.h"

#define PAGE		4096u
#define SLOTS		8u		/* groups of a channel that may be in flight */
#define SLOT_BYTES	1024u
#define RESULTS		(SLOTS * SLOT_BYTES)	/* where groups leave their number, 4 bytes each */
#define PROGRAM		(RESULTS + PAGE)
#define BUFFER_BYTES	(PROGRAM + PAGE)

#define HANDLE_VRAM	0xbeef0201	/* DMA object: the whole address space */
#define HANDLE_GART	0xbeef0202
#define HANDLE_COMPUTE	0xbeef50c0
#define CLASS_COMPUTE	0x50c0
#define SUBCHANNEL	6

#define MS		1000000ll	/* ns */

/**
 * struct chan - a channel and the one buffer that its groups use
 * @fd: the device
 * @id: nouveau's number
 * @handle: of the buffer: push buffers, results, the program
 * @address: where the GPU finds it
 * @map: the buffer, mapped
 * @words: length of each push buffer
 * @patch: index of the word that holds the group's number
 */
struct chan {
	int fd, id;
	uint32_t handle;
	uint64_t address;
	uint8_t *map;
	uint32_t words, patch;
};

/**
 * struct call - the arguments of one submission, to be spoilt before it is made
 * @req: what the ioctl takes
 * @push: the array behind @req.push
 * @bo: the array behind @req.buffers
 */
struct call {
	struct drm_nouveau_gem_pushbuf req;
	struct drm_nouveau_gem_pushbuf_push push[NOUVEAU_GEM_MAX_PUSH + 1];
	struct drm_nouveau_gem_pushbuf_bo bo[2];
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define PUSHBUF	DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_PUSHBUF, struct drm_nouveau_gem_pushbuf)

/* ---- driver.c ---- */

extern bool counted;	/* -m */
extern const char *node;	/* -d */

/* Writes one line and ends with status 1. */
__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);
/* Fails unless @ret is 0; @ret is 0 or a negative errno. */
void must(const char *what, int ret);
long long now_ns(void);
void sleep_ms(long long ms);
/* A number from 0 to 100000000, else fails. */
unsigned int number(const char *text);

int open_node(void);
/* An ioctl, begun anew after signals. Return: 0 or a negative errno. */
int talk(int fd, unsigned long request, void *args);
/* A channel without objects. Return: nouveau's number. */
int channel_alloc(int fd);
/* Every group of the channel takes @cost_us of GPU time. */
void chan_new(struct chan *ch, int fd, unsigned int cost_us);
int chan_free(const struct chan *ch);
/* Until everything submitted with this channel's buffer has completed. */
int chan_wait(const struct chan *ch);
/* Which of the channel's push buffers a group has. */
uint32_t slot_of(uint32_t seq);
/* The right arguments for group number @seq, which is not 0. */
void call_init(struct call *call, const struct chan *ch, uint32_t seq);
int submit(const struct chan *ch, uint32_t seq);
/* The number that the group in slot @seq left behind. */
uint32_t result(const struct chan *ch, uint32_t seq);
/* One whole group, which must do what it has to. */
void run_group(const struct chan *ch, uint32_t seq);

struct drm_nouveau_gem_info buffer_new(int fd, uint32_t domain, uint32_t size);
void *buffer_map(int fd, const struct drm_nouveau_gem_info *info);
/* The push buffer of @call is in another buffer, which is added to the call. */
void call_from(struct call *call, uint32_t handle, uint32_t domain, uint64_t offset, uint32_t words);

/* This process's own row, the newest one, and the sum of all others. Return: the row is there. */
bool snapshot(struct tg_snap_client *mine, uint64_t *others_completed);
/*
 * Waits for this process's jobs to be over; then its counters must be these. Without -m: nothing.
 */
void counters_must_be(uint64_t submitted, uint64_t completed, uint64_t failed);
/* A file of stats/. Without -m: 0. */
long long stat_value(const char *name);

/* ---- commands: @args are those of the command line, as many as the table in main.c says ---- */

void do_errors(char **args);		/* submit.c */
void do_busy(char **args);
void do_flood(char **args);
void do_stuck(char **args);		/* stuck.c */
void do_slow(char **args);
void do_free(char **args);		/* threads.c */
void do_race(char **args);
void do_threads(char **args);
void do_signals(char **args);
void do_exit(char **args);		/* process.c */
void do_burst(char **args);
void do_full(char **args);
void do_fork(char **args);
void do_become(char **args);
void do_became(char **args);
void do_until_gone(char **args);
void do_swap(char **args);		/* buffers.c */
void do_vram(char **args);
void do_evict(char **args);
void do_ioctl(char **args);		/* cost.c */
void do_crowd(char **args);		/* many.c */
void do_channels(char **args);
void do_line(char **args);
void do_forge(char **args);		/* forge.c */
void do_lie(char **args);
void do_snapshots(char **args);

#endif
