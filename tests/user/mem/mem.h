/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of libtimegraph-mem share. The test itself never begins: it starts programs,
 * children that do, and tells them by a pipe what to do.
 */
#ifndef TESTS_MEM_H
#define TESTS_MEM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <timegraph/mem.h>

#include "../../lib/slow.h"

#define SIZE	(100 << 20)
#define MIB	*(1 << 20)
#define NOTHING	1		/* not said yet */

/**
 * struct program - a child
 * @pid: its process
 * @to: it does what comes there: struct order; and ends with it
 * @from: it says there what became of that: int
 */
struct program {
	pid_t pid;
	int to, from;
};

/* main.c */
extern const char *kind;	/* which books */
extern char card[];		/* a device of this run alone; TG_MEM_DEVICES has it */
extern char dir[];		/* for all files */

__attribute__((format(printf, 3, 4)))
void row(const char *name, bool ok, const char *why, ...);
void row_is(const char *name, int got, int want);
double seconds(void);
/* Comes @condition true within 10 s of an idle machine? */
#define comes(condition) __extension__ ({				\
	double end_ = seconds() + patient(10);				\
	while (!(condition) && seconds() < end_)			\
		usleep(2000);						\
	(condition);							\
})
bool tgd_start(const char *spec);
void tgd_stop(int signal);
pid_t tgd_pid(void);
long tgd_counter(const char *file);
bool set_order(int order);

/* prog.c */
struct program program(const char *name, int nice);
void order_alloc(struct program *p, uint64_t bytes, int timeout_ms);
int said(struct program *p, int ms);
int alloc(struct program *p, uint64_t bytes, int timeout_ms);
int release(struct program *p, uint64_t bytes);
int finish(struct program *p);
int killed(struct program *p);
int run(int (*fn)(void));
bool probe(uint64_t bytes, int timeout_ms, int want);

/* The parts. Each ends with nothing held. */
void basics(void);
void processes(void);
void crowds(void);
void orders(void);
void kills(int how_many);
void daemons(void);
void files(void);
void variables(void);
void sizes(void);
int by_nvml(void);

#endif /* TESTS_MEM_H */
