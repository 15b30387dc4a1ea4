/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Options on a command line: a table tells which there are, opt_next() goes from argument to
 * argument, opt_help() prints the table for people, and opt_list() for scripts/completions. What a
 * wrong one is answered with is the caller's, or opt_complain()'s. No global state; arguments are
 * neither changed nor moved.
 */
#ifndef TOOLS_OPT_H
#define TOOLS_OPT_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct opt - one option, a row of a table that ends with a row of zeroes
 * @name: without the dashes
 * @letter: the same by one dash and a letter, or 0
 * @arg: its value in the help; NULL: it takes none
 * @help: what the help says, a line break where it goes on in the next line; NULL: nothing, which
 *	tests/options does not let pass. Where the value is one of a few words, it begins with them:
 *	`pushbuf or exec`; completions offer these.
 */
struct opt {
	const char *name;
	char letter;
	const char *arg;
	const char *help;
};

/** opt_standard - what every program takes beside its own table: --help, --version, --list-options */
extern const struct opt opt_standard[];

/**
 * enum opt_what - what opt_next() has found
 * @OPT_END: no further argument
 * @OPT_GIVEN: the option @opt, with @value if it takes one
 * @OPT_HELP: --help or -h
 * @OPT_VERSION: --version or -V
 * @OPT_LIST: --list-options
 * @OPT_WORD: no option: @word
 * @OPT_DASHES: `--` alone: only words follow
 * @OPT_UNKNOWN: @word is no option of the table
 * @OPT_NO_VALUE: the value of @opt is missing
 * @OPT_STRAY_VALUE: @opt takes no value, and one was given
 */
enum opt_what {
	OPT_END, OPT_GIVEN, OPT_HELP, OPT_VERSION, OPT_LIST, OPT_WORD, OPT_DASHES,
	OPT_UNKNOWN, OPT_NO_VALUE, OPT_STRAY_VALUE
};

/**
 * struct opts - a walk over arguments
 * @table: which options there are, beside opt_standard
 * @argv: next argument to look at; the list ends with NULL. Moved on by opt_next().
 * @abbreviate: a part of a name is as good as the name when it fits no other
 * @opt: the latest option
 * @value: what stands behind its `=` or in the next argument; NULL: it takes none, or none is there
 * @word: the latest argument, as it was given
 * @words_only: `--` has come
 */
struct opts {
	const struct opt *table;
	char **argv;
	bool abbreviate;
	const struct opt *opt;
	const char *value;
	const char *word;
	bool words_only;
};

/** opt_next() - look at the next argument */
enum opt_what opt_next(struct opts *o);

/** opt_is() - was the latest option @name? */
bool opt_is(const struct opts *o, const char *name);

/** opt_complain() - tell on stderr why @what is wrong; nothing for what is not */
void opt_complain(const char *program, const struct opts *o, enum opt_what what);

/**
 * opt_wrap() - print a text in lines of at most 80 columns
 * @to: where
 * @text: '\n' begins a line, too; what is between [ and ] stays together
 * @used: columns of the first line that are printed already
 * @column: where the other lines begin
 */
void opt_wrap(FILE *to, const char *text, int used, int column);

/** opt_help() - print the table, the help from @column on, in such lines */
void opt_help(FILE *to, const struct opt *table, int column);

/**
 * opt_list() - print the table on standard output, a line for each option, its fields apart by tabs:
 * "option", verb, --name, -letter, value, help; a field is empty where there is nothing of its kind
 * @verb: the verb that takes them; "": the program
 * @table: the options
 */
void opt_list(const char *verb, const struct opt *table);

/** opt_list_all() - the same for a program without verbs, and opt_standard. Return: 0 */
int opt_list_all(const struct opt *table);

/**
 * opt_list_verb() - print a verb in the same way: "verb", its name, its usage, what it does
 */
void opt_list_verb(const char *name, const char *usage, const char *brief);

/** opt_version() - print "PROGRAM VERSION" on standard output; the same of all tools. Return: 0 */
int opt_version(const char *program);

#endif
