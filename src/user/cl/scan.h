/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * scan.c, tokens.c: a program's source, read as far as launching its kernels in parts needs it.
 */
#ifndef TGCL_SCAN_H
#define TGCL_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * enum uses - what a piece of source uses: bits
 * @USES_GRID: it asks for something that a part answers otherwise than the whole, or may do so by
 *	names that the preprocessor makes
 * @USES_GROUPS: it depends on which work-items are one work-group
 * @USES_PRINTF: the parts' output could come in another order
 * @USES_PIPES: work-groups pass each other packets
 * @USES_ATOMICS: work-groups may wait for each other
 * @USES_VOLATILE: the same
 * @USES_ENQUEUE: it launches kernels itself
 * @USES_VENDOR: assembler, or functions of one vendor's compiler
 * @USES_INCLUDE: there is more source, which is not seen
 * @USES_SPELLING: it hides one of the names that matter, or its functions cannot be told apart
 */
enum uses {
	USES_GRID = 1, USES_GROUPS = 2, USES_PRINTF = 4, USES_PIPES = 8, USES_ATOMICS = 16,
	USES_VOLATILE = 32, USES_ENQUEUE = 64, USES_VENDOR = 128, USES_INCLUDE = 256,
	USES_SPELLING = 512,
};

/** enum token_kind - @TOKEN_HASH begins a directive, and @TOKEN_END, which is empty, ends it */
enum token_kind { TOKEN_NAME, TOKEN_MARK, TOKEN_VALUE, TOKEN_HASH, TOKEN_END };

/**
 * struct token - a bit of text; blanks and comments are in none. A mark is one character
 * @piece: the number of the piece that has it, from 1; 0: it is outside of all
 */
struct token {
	const char *at;
	uint32_t length, piece;
	enum token_kind kind;
};

/**
 * struct piece - a function with its body, or a macro
 * @name: its token
 * @first: the token behind its name
 * @end: behind its last token
 * @uses: enum uses, by its own tokens
 * @macro: it is one
 * @seen: by the walk under way
 * @next: in its bucket
 */
struct piece {
	uint32_t name, first, end, uses;
	bool macro, seen;
	struct piece *next;
};

#define SCAN_BUCKETS	256

/**
 * struct scan - a source, read
 * @text: without continued lines
 * @tokens, @nr: all
 * @pieces, @nr_pieces: of it
 * @bucket: pieces by name
 * @outside: what all else uses: declarations, build options
 * @all: what the whole source uses
 * @mixed: which piece uses what cannot be told: each may use all
 * @fixed: rewrite.c cannot change it: brackets do not match, as it seems; functions may share a name, or kernels a
 *	variable of the program
 */
struct scan {
	char *text;
	struct token *tokens;
	uint32_t nr;
	struct piece *pieces;
	uint32_t nr_pieces;
	struct piece *bucket[SCAN_BUCKETS];
	uint32_t outside, all;
	bool mixed, fixed;
};

char *scan_spliced(const char *text);
bool scan_tokenize(struct scan *s);
bool scan(struct scan *s, const char *text, const char *options);
uint32_t scan_uses(struct scan *s, const char *kernel);
struct piece *scan_find(const struct scan *s, const struct token *name, bool macro);
bool scan_is(const struct scan *s, uint32_t token, const char *text);
void scan_free(struct scan *s);

#endif /* TGCL_SCAN_H */
