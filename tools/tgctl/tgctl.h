/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tgctl: what its files share. The program is single-threaded and ends after one verb, so
 * nothing here locks, and memory that lives until the end is not given back.
 */
#ifndef TGCTL_H
#define TGCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

#include "lib/json.h"

struct opt;

/* Exit statuses, and what a verb returns. */
enum tgctl_status {
	TGCTL_OK,	/* done */
	TGCTL_FAILED,	/* not done, or not all; the reason was written */
	TGCTL_USAGE,	/* the command line is wrong, whatever the module says */
};

#define TGCTL_OPTIONS	6	/* that a verb may have */

/* Of verbs with several options: which is which in struct tgctl_args. */
enum { TOP_ONCE, TOP_JSON, TOP_EVERY, TOP_SORT, TOP_FILTER };
enum { WHY_LAST, WHY_TRACE };
enum { RECORD_FOR, RECORD_GPU };

#define TGCTL_LAST	100	/* waits that `why` tells at most */

/**
 * struct tgctl_args - a verb's arguments, checked against its struct tgctl_verb
 * @names: what is no option, in order
 * @nr: how many
 * @flag: the first of the verb's options was given
 * @option: for each of the verb's options: NULL: not given; its value; "" where it takes none
 */
struct tgctl_args {
	char **names;
	int nr;
	bool flag;
	const char *option[TGCTL_OPTIONS];
};

/**
 * struct tgctl_verb - one row of the table in main.c
 * @name: the word
 * @options: the options that it takes, at most TGCTL_OPTIONS
 * @min: fewest names
 * @max: most names, or -1: any number
 * @run: does it
 * @usage: what follows the word in a usage line
 * @brief: one line for --help
 * @text: the rest of what `tgctl help VERB` says
 */
struct tgctl_verb {
	const char *name;
	const struct opt *options;
	int min, max;
	enum tgctl_status (*run)(const struct tgctl_args *args);
	const char *usage, *brief, *text;
};

enum tgctl_status tgctl_load(const struct tgctl_args *args);	/* spec.c */
enum tgctl_status tgctl_check(const struct tgctl_args *args);
enum tgctl_status tgctl_admit(const struct tgctl_args *args);
enum tgctl_status tgctl_clients(const struct tgctl_args *args);	/* clients.c */
enum tgctl_status tgctl_top(const struct tgctl_args *args);	/* top.c */
enum tgctl_status tgctl_metrics(const struct tgctl_args *args);	/* metrics.c */
enum tgctl_status tgctl_why(const struct tgctl_args *args);	/* trace.c */
enum tgctl_status tgctl_record(const struct tgctl_args *args);
enum tgctl_status tgctl_plot(const struct tgctl_args *args);
enum tgctl_status tgctl_prio(const struct tgctl_args *args);	/* prio.c */
enum tgctl_status tgctl_stats(const struct tgctl_args *args);	/* stats.c */
enum tgctl_status tgctl_knob(const struct tgctl_args *args);	/* settings.c */
enum tgctl_status tgctl_policy(const struct tgctl_args *args);
enum tgctl_status tgctl_version(const struct tgctl_args *args);

/**
 * tgctl_error() - write "tgctl: " and one line to stderr
 * @format: as printf's, without a line end
 */
void tgctl_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/**
 * tgctl_time() - read a time: 500ms, 1.5s
 * @text: a number and ns, us, ms or s; what is finer than a nanosecond is cut off
 * @ns: the time
 *
 * Return: false: it is none.
 */
bool tgctl_time(const char *text, s64 *ns);

/** tgctl_number() - read a whole number that fits; false: it is none */
bool tgctl_number(const char *text, u64 *n);

/**
 * tgctl_alloc() - memory, or the end of the program
 * @old: what to grow, or NULL
 * @size: bytes
 *
 * Return: never NULL.
 */
void *tgctl_alloc(void *old, size_t size);

/*
 * sysfs.c: files of the module, named relative to its directory. A function that fails has written
 * the reason to stderr, unless its comment says that it is silent.
 */

/**
 * sysfs_loaded() - is the module there?
 *
 * Return: whether its directory exists. Silent.
 */
bool sysfs_loaded(void);

/**
 * sysfs_path() - full name of a file, for messages
 * @name: relative name
 *
 * Return: a string that the next call overwrites.
 */
const char *sysfs_path(const char *name);

/**
 * sysfs_explain() - say why a file could not be used
 * @verb: "read" or "write"
 * @name: relative name
 * @err: an errno
 */
void sysfs_explain(const char *verb, const char *name, int err);

/**
 * sysfs_open() - open a file of the module
 * @name: relative name
 * @flags: as open()'s
 *
 * Return: a descriptor, or -1.
 */
int sysfs_open(const char *name, int flags);

/**
 * sysfs_read() - read a whole file
 * @name: relative name
 * @len: bytes read; may be NULL
 *
 * Return: its bytes and a NUL behind them, or NULL.
 */
char *sysfs_read(const char *name, size_t *len);

/**
 * sysfs_read_value() - read a file that holds one value
 * @name: relative name
 *
 * Return: the value without its line end, or NULL.
 */
char *sysfs_read_value(const char *name);

/**
 * sysfs_write_fd() - write all bytes, in as many calls as the kernel wants
 * @fd: from sysfs_open()
 * @data: the bytes
 * @len: how many
 *
 * Return: 0, or the negative errno. Silent.
 */
int sysfs_write_fd(int fd, const char *data, size_t len);

/**
 * sysfs_write_value() - write one value and a line end in one call
 * @name: relative name
 * @value: the value
 *
 * Return: 0, or the negative errno. Silent.
 */
int sysfs_write_value(const char *name, const char *value);

/**
 * sysfs_list() - the entries of a directory, sorted by their bytes
 * @name: relative name
 * @names: filled in, NULL-terminated
 *
 * Return: how many, or -1.
 */
int sysfs_list(const char *name, char ***names);

/**
 * sysfs_is_dir() - what kind of entry is it?
 * @name: relative name
 *
 * Return: whether it is a directory. Silent.
 */
bool sysfs_is_dir(const char *name);

/*
 * snapshot.c: all clients at one moment.
 */

/**
 * struct snapshot - one reading of the file `snapshot`
 * @head: its head
 * @clients: @head.nr_clients times @head.client_size bytes, the caller's to free with @data
 * @data: all of it
 */
struct snapshot {
	struct tg_snap_head head;
	const char *clients;
	char *data;
};

/* Words for numbers in it, NULL-terminated. */
extern const char *const snapshot_scheds[], *const snapshot_resvs[], *const snapshot_states[];

/**
 * snapshot_word() - a word for a number
 * @words: one of the lists above
 * @nr: the number
 *
 * Return: the word, or "unknown".
 */
const char *snapshot_word(const char *const *words, unsigned int nr);

/**
 * snapshot_read() - read it
 * @snap: the result
 *
 * Return: false when it cannot be read or is none; then the reason has been written.
 */
bool snapshot_read(struct snapshot *snap);

/**
 * snapshot_client() - one of its clients
 * @snap: the snapshot
 * @nr: from 0 to nr_clients - 1
 *
 * Return: the client, overwritten by the next call.
 */
const struct tg_snap_client *snapshot_client(const struct snapshot *snap, unsigned int nr);

/*
 * table.c: tables. Names of processes hold any bytes: what is printed is always valid UTF-8 and
 * never moves the cursor.
 */

/**
 * struct table - cells in columns, all in memory until printed
 * @align: 'l' or 'r' for each column
 * @cells: printable text
 * @widths: how many columns of a terminal each takes, each character counted as one
 * @nr: cells
 */
struct table {
	const char *align;
	char **cells;
	size_t *widths;
	size_t nr;
};

/**
 * table_add() - append a cell
 * @t: the table; all but @align zero at first
 * @s: the bytes; what is not printable UTF-8 becomes \xHH, a backslash is doubled,
 *	nothing becomes '-'
 * @len: how many
 */
void table_add(struct table *t, const char *s, size_t len);

/**
 * table_lines() - the rows as text, and forget the cells
 * @t: the table, with whole rows
 * @nr: how many rows
 *
 * Return: the rows; each, and the array, are the caller's to free.
 */
char **table_lines(struct table *t, size_t *nr);

/**
 * table_print() - print and forget the cells
 * @t: the table, with whole rows
 */
void table_print(struct table *t);

#endif /* TGCTL_H */
