// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Reads a program's source: what does each kernel use that matters if it is launched in parts?
 *
 * This is no compiler. The source is cut into tokens (tokens.c); names that matter are looked for among these.
 * Functions are what has a body at file scope; macros are pieces too, whose names stand for their
 * tokens. A kernel uses what its own tokens use, what is outside of all pieces, and what the pieces use
 * that it names, and so on. What is outside may name macros that make functions, so each kernel uses what
 * these use. What is taken out by #if counts as if it were there.
 *
 * It errs to one side. Where names can come from elsewhere (##, a macro that names a function or follows its
 * parameters, build options that name a piece) or braces do not match, each kernel uses all that the source uses.
 *
 * kernels.c calls it, once for each source, under its lock. It keeps nothing.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

#define PREFIX	(1u << 31)	/* all names that begin so */

static const struct { const char *text; uint32_t uses; } words[] = {
	{ "get_group_id", USES_GRID | USES_GROUPS },
	{ "get_num_groups", USES_GRID | USES_GROUPS },
	{ "get_global_size", USES_GRID },
	{ "get_global_offset", USES_GRID },
	{ "get_global_linear_id", USES_GRID },
	{ "get_local_", USES_GROUPS | PREFIX },
	{ "get_enqueued_", USES_GROUPS | PREFIX },
	{ "get_sub_group", USES_GROUPS | PREFIX },
	{ "get_num_sub_group", USES_GROUPS | PREFIX },
	{ "get_max_sub_group", USES_GROUPS | PREFIX },
	{ "get_kernel_", USES_ENQUEUE | PREFIX },
	{ "sub_group_", USES_GROUPS | PREFIX },
	{ "intel_sub_group_", USES_GROUPS | PREFIX },
	{ "work_group_", USES_GROUPS | PREFIX },
	{ "async_work_group_", USES_GROUPS | PREFIX },
	{ "wait_group_events", USES_GROUPS },
	{ "barrier", USES_GROUPS },
	{ "local", USES_GROUPS },
	{ "__local", USES_GROUPS },
	{ "printf", USES_PRINTF },
	{ "pipe", USES_PIPES },
	{ "__pipe", USES_PIPES },
	{ "atom", USES_ATOMICS },
	{ "atom_", USES_ATOMICS | PREFIX },
	{ "atomic", USES_ATOMICS },
	{ "atomic_", USES_ATOMICS | PREFIX },
	{ "__opencl_atomic", USES_ATOMICS | PREFIX },
	{ "__sync_", USES_ATOMICS | PREFIX },
	{ "__atomic_", USES_ATOMICS | PREFIX },
	{ "volatile", USES_VOLATILE },
	{ "__volatile", USES_VOLATILE | PREFIX },
	{ "enqueue_", USES_ENQUEUE | PREFIX },
	{ "get_default_queue", USES_ENQUEUE },
	{ "asm", USES_VENDOR },
	{ "__asm", USES_VENDOR | PREFIX },
	{ "__builtin_amdgcn", USES_VENDOR | PREFIX },
	{ "__builtin_r600", USES_VENDOR | PREFIX },
	{ "__builtin_nvvm", USES_VENDOR | PREFIX },
	{ "__builtin_IB", USES_VENDOR | PREFIX },
	{ "__nvvm", USES_VENDOR | PREFIX },
	{ "__nv_", USES_VENDOR | PREFIX },
	{ "__spirv", USES_VENDOR | PREFIX },
	{ "__ockl", USES_VENDOR | PREFIX },
	{ "_Z", USES_VENDOR | PREFIX },		/* what the compiler calls one of the above */
};

/* --- what a name uses --- */

static uint32_t word_uses(const struct token *t)
{
	const char *text;
	size_t i, length;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		text = words[i].text;
		length = strlen(text);
		if (t->length >= length && !strncmp(t->at, text, length) &&
		    (t->length == length || words[i].uses & PREFIX))
			return words[i].uses & ~PREFIX;
	}
	return 0;
}

/* Of one token in its place. A name that matters has to be called, in clear. */
static uint32_t token_uses(const struct scan *s, uint32_t i)
{
	const struct token *t = &s->tokens[i];
	uint32_t uses;

	if (t->kind == TOKEN_HASH && (scan_is(s, i + 1, "include") || scan_is(s, i + 1, "include_next") ||
				      scan_is(s, i + 1, "import")))
		return USES_INCLUDE | USES_GRID | USES_GROUPS;
	if (t->kind != TOKEN_NAME)
		return 0;
	uses = word_uses(t);
	if (uses & USES_GRID &&
	    (!scan_is(s, i + 1, "(") || (i && (scan_is(s, i - 1, "define") || scan_is(s, i - 1, "undef")))))
		uses |= USES_SPELLING;
	return uses;
}

/* --- pieces --- */

static struct piece **bucket_of(const struct scan *s, const struct token *name)
{
	uint32_t i, hash = 5381;

	for (i = 0; i < name->length; i++)
		hash = hash * 33 + (unsigned char)name->at[i];
	return (struct piece **)&s->bucket[hash % SCAN_BUCKETS];
}

static bool same(const struct scan *s, const struct piece *p, const struct token *name)
{
	const struct token *t = &s->tokens[p->name];

	return t->length == name->length && !strncmp(t->at, name->at, t->length);
}

/** scan_find() - the last piece of that kind and name, or NULL */
struct piece *scan_find(const struct scan *s, const struct token *name, bool macro)
{
	struct piece *p;

	for (p = *bucket_of(s, name); p; p = p->next)
		if (p->macro == macro && same(s, p, name))
			return p;
	return NULL;
}

static bool add_piece(struct scan *s, uint32_t name, uint32_t end, bool macro)
{
	struct piece *more;
	uint32_t i;

	if (s->nr_pieces % 64 == 0) {
		more = realloc(s->pieces, (s->nr_pieces + 64) * sizeof(*more));
		if (!more)
			return false;
		s->pieces = more;
	}
	s->pieces[s->nr_pieces] = (struct piece){ .name = name, .first = name + 1, .end = end, .macro = macro };
	for (i = name + 1; i < end; i++)
		s->pieces[s->nr_pieces].uses |= token_uses(s, i);
	s->nr_pieces++;
	for (i = name; i < end; i++)
		if (!s->tokens[i].piece)	/* a macro in a function stays one */
			s->tokens[i].piece = s->nr_pieces;
	return true;
}

/* Return: behind the directive that begins at @i; a macro is a piece, all else is outside */
static uint32_t directive(struct scan *s, uint32_t i, bool *room)
{
	const bool define = scan_is(s, i + 1, "define");
	const uint32_t from = i;

	for (; i < s->nr && s->tokens[i].kind != TOKEN_END; i++) {
		if (!define || i < from + 3)
			s->outside |= token_uses(s, i);
		/* Names are made here: which, is not seen. */
		if (s->tokens[i].at[0] == '#' && i > from && i + 1 < s->nr && s->tokens[i + 1].at[0] == '#') {
			s->outside |= USES_GRID;
			s->mixed = true;
		}
	}
	if (define && i > from + 2)
		*room = *room && add_piece(s, from + 2, i, true);
	return i + 1;
}

/* Return: 1 where a directive begins an #if, -1 where it ends one */
static int condition(const struct scan *s, uint32_t i)
{
	return scan_is(s, i + 1, "if") + scan_is(s, i + 1, "ifdef") + scan_is(s, i + 1, "ifndef") - scan_is(s, i + 1, "endif");
}

/* Return: behind the brackets that open at @i, directives between them included */
static uint32_t brackets(struct scan *s, uint32_t i, const char *open, const char *close, bool *room)
{
	int depth = 0, conditions = 0;

	while (i < s->nr) {
		if (s->tokens[i].kind == TOKEN_HASH) {
			conditions += condition(s, i);
			i = directive(s, i, room);
			continue;
		}
		depth += scan_is(s, i, open) - scan_is(s, i, close);
		i++;
		if (depth)
			continue;
		s->mixed |= conditions;		/* where it ends depends on an #if */
		return i;
	}
	s->mixed = s->fixed = true;
	return i;
}

/* Compilers know the word with and without the underscores behind it. */
static bool is_attribute(const struct scan *s, uint32_t i)
{
	return (scan_is(s, i, "__attribute__") || scan_is(s, i, "__attribute")) && scan_is(s, i + 1, "(");
}

static bool is_aggregate(const struct scan *s, uint32_t i)
{
	return scan_is(s, i, "struct") || scan_is(s, i, "union") || scan_is(s, i, "enum");
}

/*
 * Find the pieces. At file scope a function is a name, parameters and a body; its name is the last one
 * before brackets that are not an attribute's.
 */
static bool divide(struct scan *s)
{
	uint32_t i = 0, name = 0, end;
	bool room = true;

	while (i < s->nr && room) {
		if (s->tokens[i].kind == TOKEN_HASH) {
			i = directive(s, i, &room);
		} else if (is_attribute(s, i)) {
			i = brackets(s, i + 1, "(", ")", &room);
		} else if (s->tokens[i].kind == TOKEN_NAME && scan_is(s, i + 1, "(")) {
			s->outside |= token_uses(s, i);
			name = is_aggregate(s, i - 1) ? 0 : i;	/* struct ALIGNED(8) name {} */
			i = brackets(s, i + 1, "(", ")", &room);
		} else if (name && scan_is(s, i, "{")) {
			end = brackets(s, i, "{", "}", &room);
			room = room && add_piece(s, name, end, false);
			i = end;
			name = 0;
		} else {
			if (s->tokens[i].kind == TOKEN_MARK)
				name = 0;	/* it has ended, or is no plain function: its body is outside */
			if (scan_is(s, i, "}"))
				s->mixed = s->fixed = true;
			s->outside |= token_uses(s, i);
			if (scan_is(s, i, "{")) {
				end = brackets(s, i, "{", "}", &room);
				for (; i < end; i++)
					s->outside |= token_uses(s, i);
			} else {
				i++;
			}
		}
	}
	return room;
}

static void index_pieces(struct scan *s)
{
	struct piece *p, **bucket;
	uint32_t i;

	for (i = 0; i < s->nr_pieces; i++) {
		p = &s->pieces[i];
		bucket = bucket_of(s, &s->tokens[p->name]);
		p->next = *bucket;
		*bucket = p;
	}
}

/* May something stand between the parameters of function @p and its body? A macro could make another head of it. */
static bool bare_body(const struct scan *s, const struct piece *p)
{
	uint32_t i = p->first;
	int depth = 0;

	for (; i < p->end && (depth || !scan_is(s, i, "{")); i++) {
		depth += scan_is(s, i, "(") - scan_is(s, i, ")");
		if (!depth && s->tokens[i].kind == TOKEN_NAME && !is_attribute(s, i))
			return false;
	}
	return true;
}

/* Return: the token that begins the directive which ends at @i */
static uint32_t directive_begin(const struct scan *s, uint32_t i)
{
	while (i && s->tokens[i].kind != TOKEN_HASH)
		i--;
	return i;
}

/* Is the name of function @p its own, as far as can be seen? Else a macro makes it, or stands behind its parameters. */
static bool own_name(const struct scan *s, const struct piece *p)
{
	uint32_t i = p->name;
	int depth = 0;

	if (scan_find(s, &s->tokens[i], true) || !bare_body(s, p))
		return false;
	/*
	 * Back to what ends the declaration before it, over directives. Nothing but a macro and its arguments may stand
	 * between.
	 */
	while (i-- && !scan_is(s, i, ";") && !scan_is(s, i, "}")) {
		while (s->tokens[i].kind == TOKEN_END)
			i = directive_begin(s, i);
		if (s->tokens[i].piece && !s->pieces[s->tokens[i].piece - 1].macro)
			break;
		depth += scan_is(s, i + 1, ")") - scan_is(s, i + 1, "(");
		if (!depth && s->tokens[i].kind == TOKEN_NAME && !s->tokens[i].piece && scan_is(s, i + 1, "(") &&
		    !is_attribute(s, i) && !scan_find(s, &s->tokens[i], true))
			return false;
	}
	return true;
}

/* Does each bracket of macro @p have its other half in it? Else it may end a function's head, and begin another one's. */
static bool whole_brackets(const struct scan *s, const struct piece *p)
{
	int round = 0, curly = 0;
	uint32_t i;

	for (i = p->first; i < p->end && round >= 0 && curly >= 0; i++) {
		round += scan_is(s, i, "(") - scan_is(s, i, ")");
		curly += scan_is(s, i, "{") - scan_is(s, i, "}");
	}
	return !round && !curly;
}

/* Are names of functions seen for what they are? And what macros are given outside may be a function's. */
static void read_names(struct scan *s)
{
	bool macro = false;
	int depth = 0;
	uint32_t i;

	for (i = 0; i < s->nr; i++) {
		if (s->tokens[i].piece)
			continue;
		if (!depth && s->tokens[i].kind == TOKEN_NAME)
			macro = scan_find(s, &s->tokens[i], true);
		depth += scan_is(s, i, "(") - scan_is(s, i, ")");
		if (depth && macro)
			s->outside |= token_uses(s, i);
	}
	for (i = 0; i < s->nr_pieces; i++)
		if (s->pieces[i].macro ? !whole_brackets(s, &s->pieces[i]) : !own_name(s, &s->pieces[i]))
			s->mixed = true;
}

static bool is_unchanging(const struct scan *s, uint32_t i)
{
	return scan_is(s, i, "typedef") || scan_is(s, i, "constant") || scan_is(s, i, "__constant") ||
	       scan_is(s, i, "sampler_t");
}

/*
 * Does the declaration at file scope make a variable? @end: the semicolon behind it. Constants are none, nor is what
 * looks like a prototype, but for a macro's.
 */
static bool is_variable(const struct scan *s, uint32_t from, uint32_t end)
{
	bool constant = false, pointer = false, value = false;
	const struct piece *macro;
	int depth = 0, names = 0;
	uint32_t i;

	for (i = from; i < end; i++) {
		depth += scan_is(s, i, "(") + scan_is(s, i, "{") - scan_is(s, i, ")") - scan_is(s, i, "}");
		if (depth || s->tokens[i].piece)
			continue;
		macro = scan_find(s, &s->tokens[i], true);
		if (is_unchanging(s, i) || (macro && is_unchanging(s, macro->first)))
			return false;
		constant |= scan_is(s, i, "const");
		pointer |= scan_is(s, i, "*");
		value |= scan_is(s, i, "=");
		if (s->tokens[i].kind != TOKEN_NAME || is_attribute(s, i))
			continue;
		if (macro && (scan_is(s, i + 1, "(") || end - from == 1))
			return true;
		if (scan_is(s, i + 1, "(") && !value)
			return false;
		names++;
	}
	if (constant && !pointer)
		return false;
	return value || (names > 1 && !scan_is(s, end - 1, "}") && !(is_aggregate(s, from) && end - from == 2));
}

/*
 * May kernels leave each other something in the program's own variables? A rewritten program would have others. Those of
 * functions are static.
 */
static bool has_variables(const struct scan *s)
{
	uint32_t i, from = 0;
	int depth = 0;

	for (i = 0; i < s->nr; i++) {
		if (s->tokens[i].piece) {
			from = i + 1;
			if (scan_is(s, i, "static") && !s->pieces[s->tokens[i].piece - 1].macro &&
			    !scan_is(s, i + 1, "const") && !scan_is(s, i + 1, "constant") && !scan_is(s, i + 1, "__constant"))
				return true;
			continue;
		}
		depth += scan_is(s, i, "{") - scan_is(s, i, "}");
		if (s->tokens[i].kind == TOKEN_END)
			from = i + 1;
		if (depth || !scan_is(s, i, ";"))
			continue;
		if (is_variable(s, from, i))
			return true;
		from = i + 1;
	}
	return false;
}

/* Does the text have this word? A name of several functions would have the compiler choose, and it could choose wrong. */
static bool has_word(const struct scan *s, const char *word)
{
	uint32_t i;

	for (i = 0; i < s->nr; i++)
		if (scan_is(s, i, word))
			return true;
	return false;
}

static bool has_overloads(const struct scan *s)
{
	return has_word(s, "overloadable") || has_word(s, "__overloadable__");
}

/*
 * Macros may come with the build options: what these use is outside; if they name a piece, all is mixed.
 * Options are no C: what stands between quotes may be a macro, and a path may have two slashes.
 */
static char *option_text(const char *options)
{
	char *text = scan_spliced(options), *at = text;

	while (at && *(at += strcspn(at, "\"'/")))
		*at = ' ';
	for (at = text; at && (at = strstr(at, "-D")); at++)
		if (at == text || isspace((unsigned char)at[-1]))
			at[1] = ' ';
	return text;
}

static bool read_options(struct scan *s, const char *options)
{
	struct scan o = { .text = option_text(options) };
	bool room = o.text && scan_tokenize(&o), function;
	uint32_t i;

	s->fixed |= has_overloads(&o);
	for (i = 0; room && i < o.nr; i++) {
		s->outside |= token_uses(&o, i);
		if (scan_is(&o, i, "#")) {
			s->outside |= USES_GRID;
			s->mixed = true;
		}
		if (o.tokens[i].kind != TOKEN_NAME)
			continue;
		function = scan_find(s, &o.tokens[i], false);
		if (!i || !scan_is(&o, i - 1, "-")) {
			s->mixed |= function || scan_find(s, &o.tokens[i], true);
			continue;
		}
		/* The name that is defined, or an option's; a macro with arguments may name any. */
		s->mixed |= function || scan_is(&o, i + 1, "(");
		if (scan_is(&o, i, "cl") && (scan_is(&o, i + 4, "CLC") || scan_is(&o, i + 4, "clc")))
			s->outside |= USES_SPELLING;	/* C++: -cl-std=CLC++ */
		if (scan_is(&o, i, "include"))
			s->outside |= USES_INCLUDE | USES_GRID | USES_GROUPS;
		if (word_uses(&o.tokens[i]) & USES_GRID)
			s->outside |= USES_SPELLING;
	}
	scan_free(&o);
	return room;
}

/*
 * A trigraph or digraph may stand for a mark that begins a directive. And a comment that begins in the text of a #warning is
 * none; that line itself may be taken out by #if.
 */
static bool odd_marks(const char *text)
{
	const char *at, *word, *comment;

	for (at = strchr(text, '#'); at; at = strchr(at + 1, '#')) {
		word = at + 1 + strspn(at + 1, " \t");
		comment = strncmp(word, "warning", 7) ? NULL : strstr(word, "/*");
		if (comment && comment < word + strcspn(word, "\n"))
			return true;
	}
	for (at = strstr(text, "??"); at; at = strstr(at + 1, "??"))
		if (at[2] && strchr("=/'()!<>-", at[2]))
			return true;
	return strstr(text, "%:");
}

static uint32_t all_uses(const struct scan *s)
{
	uint32_t i, uses = s->outside;

	for (i = 0; i < s->nr; i++)
		uses |= token_uses(s, i);
	return uses;
}

/** scan() - read a source that is built with these options. Return: false: out of memory */
bool scan(struct scan *s, const char *text, const char *options)
{
	memset(s, 0, sizeof(*s));
	s->text = scan_spliced(text);
	if (!s->text || !scan_tokenize(s) || !divide(s))
		return false;
	index_pieces(s);
	read_names(s);
	s->fixed |= has_variables(s) || has_overloads(s);
	if (!read_options(s, options))
		return false;
	if (odd_marks(s->text))
		s->outside |= USES_SPELLING;
	s->all = all_uses(s);
	return true;
}

void scan_free(struct scan *s)
{
	free(s->text);
	free(s->tokens);
	free(s->pieces);
	memset(s, 0, sizeof(*s));
}

/* --- a kernel --- */

/* Add the pieces of that name to the walk; of @macros alone, if so. */
static void follow(const struct scan *s, struct piece **queue, uint32_t *nr, uint32_t name, bool macros)
{
	struct piece *p;

	if (s->tokens[name].kind != TOKEN_NAME)
		return;
	for (p = *bucket_of(s, &s->tokens[name]); p; p = p->next)
		if (!p->seen && (p->macro || !macros) && same(s, p, &s->tokens[name])) {
			p->seen = true;
			queue[(*nr)++] = p;
		}
}

/* What is outside may call macros. It names functions to declare them; those in brackets it may call. */
static void follow_outside(const struct scan *s, struct piece **queue, uint32_t *nr)
{
	int depth = 0;
	uint32_t i;

	for (i = 0; i < s->nr; i++) {
		if (s->tokens[i].piece)
			continue;
		depth += scan_is(s, i, "(") + scan_is(s, i, "{") - scan_is(s, i, ")") - scan_is(s, i, "}");
		follow(s, queue, nr, i, !depth);
	}
}

/** scan_uses() - what that kernel uses: enum uses. A kernel whose body is not found uses all */
uint32_t scan_uses(struct scan *s, const char *kernel)
{
	const struct token name = { .at = kernel, .length = (uint32_t)strlen(kernel), .kind = TOKEN_NAME };
	struct piece **queue = malloc((s->nr_pieces + 1) * sizeof(*queue));
	uint32_t i, at = 0, nr = 0, uses = s->outside;

	if (s->mixed || !queue || !scan_find(s, &name, false)) {
		free(queue);
		return s->all;
	}
	for (i = 0; i < s->nr_pieces; i++) {
		s->pieces[i].seen = !s->pieces[i].macro && same(s, &s->pieces[i], &name);
		if (s->pieces[i].seen)
			queue[nr++] = &s->pieces[i];
	}
	follow_outside(s, queue, &nr);
	for (; at < nr; at++) {
		uses |= queue[at]->uses;
		for (i = queue[at]->first; i < queue[at]->end; i++)
			follow(s, queue, &nr, i, false);
	}
	free(queue);
	return uses;
}
