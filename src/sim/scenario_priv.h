/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What scenario.c and scenario_keys.c know of each other. For these two only.
 */
#ifndef TGS_SCENARIO_PRIV_H
#define TGS_SCENARIO_PRIV_H

#include "scenario.h"

#define WORDS_MAX	(TGS_DIST_VALUES + 1)
#define KEYS_MAX	32
#define CLIENTS_MAX	1000000		/* in all */

enum section { TOP, GPU, CLIENT, SPEC, SECTIONS };

/**
 * struct text - lines of the spec, and where they come from
 * @text: the lines
 * @len: bytes
 * @from: for each line, its number in the scenario
 * @nr: how many lines
 */
struct text {
	char *text;
	u32 len, *from, nr;
};

/**
 * struct parser - where the parser stands
 * @s: the result
 * @dir: where files that it names are looked for
 * @error: room for TGS_MESSAGE bytes
 * @line: number of the line, from 1
 * @section: that the line is in
 * @head: number of the line with which the section begins
 * @given: on which line of the section each key stands; 0: on none
 * @gpu: of a [gpu] section
 * @client: of a [client] section
 * @arrival: the client's section has this key; so @cost, @depth, @deadline
 * @clients: how many clients there are before this section's
 * @spec: lines of [spec] so far
 * @own: the clients' own spec lines so far
 * @word: the words behind the line's `=`
 * @words: how many
 */
struct parser {
	struct tgs_scenario *s;
	const char *dir;
	char *error;
	u32 line, head, clients;
	enum section section;
	u32 given[KEYS_MAX];
	struct tgs_gpu_conf *gpu;
	struct tgs_client_conf *client;
	bool arrival, cost, depth, deadline;
	struct text spec, own;
	char *word[WORDS_MAX + 1];
	u32 words;
};

/** tgs_fail() - write "line N: " and the message to @p->error; returns -EINVAL */
int tgs_fail(struct parser *p, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * tgs_scenario_key() - read the value of a key, once in its section unless it may stand several times
 * @p: has the words of the value
 * @name: of the key
 *
 * Return: 0, or -EINVAL with @p->error filled in.
 */
int tgs_scenario_key(struct parser *p, const char *name);

#endif /* TGS_SCENARIO_PRIV_H */
