/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Specifications that nobody would write: good ones, and good ones with damage. For comparing
 * readers of the format with each other; what is good is for an oracle to say.
 */
#ifndef SPEC_MUTATE_H
#define SPEC_MUTATE_H

#include <stddef.h>

#define SPEC_MUTANT_MAX	(65536 + 64)	/* bytes of the longest mutant */

/**
 * spec_mutate() - make one mutant
 * @seed: which run
 * @index: which mutant of the run
 * @out: where to write it, SPEC_MUTANT_MAX bytes
 *
 * The same seed and index always give the same text. Two in five of a run are good; one in 500
 * has a length within some bytes of 64 KiB.
 *
 * Return: the text's length in bytes; the text may hold any byte and is not terminated.
 */
size_t spec_mutate(unsigned long long seed, unsigned long long index, char *out);

#endif /* SPEC_MUTATE_H */
