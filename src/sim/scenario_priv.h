/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What scenario.c and scenario_keys.c know of each other. For these two only.
 */
#ifndef TGS_SCENARIO_PRIV_H
#define TGS_SCENARIO_PRIV_H

#include "scenario.h"

#define WORDS_MAX	(TGS_DIST_VALUES + 1)

enum section { TOP, GPU, CLIENT, SPEC, SECTIONS };

/**
 * struct parser - where the parser stands
 * @s: the result
 * @dir: where files that it names are looked for
 * @error: room for TGS_MESSAGE bytes
 * @line: number of the line, from 1
 * @section: that the line is in
 * @gpu: of a [gpu] section
 * @client: of a [client] section
 * @arrival: the client's section has this key; so @cost, @depth, @deadline
 * @lines: the clients' own spec lines so far, or NULL
 * @word: the words behind the line's `=`
 * @words: how many
 */
struct parser {
	struct tgs_scenario *s;
	const char *dir;
	char *error;
	u32 line;
	enum section section;
	struct tgs_gpu_conf *gpu;
	struct tgs_client_conf *client;
	bool arrival, cost, depth, deadline;
	char *lines;
	char *word[WORDS_MAX + 1];
	u32 words;
};

/** tgs_fail() - write "line N: " and the message to @p->error; returns -EINVAL */
int tgs_fail(struct parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * tgs_scenario_key() - what reads the value of the key @name in @section; NULL: there is no such
 * key
 */
int (*tgs_scenario_key(enum section section, const char *name))(struct parser *p);

#endif /* TGS_SCENARIO_PRIV_H */
