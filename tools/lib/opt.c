// SPDX-License-Identifier: GPL-2.0
/*
 * Options on a command line: see opt.h. Called by the tools' command lines, before anything else
 * happens.
 */
#include "opt.h"
#include "version.h"

#include <string.h>

#define WIDTH	80	/* of a terminal that nobody has made wider */

const struct opt opt_standard[] = {
	{ "help", 'h', NULL, "print this and exit" },
	{ "version", 'V', NULL, "print the version and exit" },
	{ "list-options", 0, NULL, "print all options for scripts and exit" },
	{ 0 }
};

/*
 * The row of @table that @name of @len bytes names; NULL: none, or more than one by abbreviation.
 */
static const struct opt *find_name(const struct opt *table, const char *name, size_t len,
				   bool abbreviate)
{
	const struct opt *row, *found = NULL;
	unsigned int fits = 0;

	for (row = table; row->name; row++) {
		if (strncmp(row->name, name, len))
			continue;
		if (!row->name[len])
			return row;
		found = row;
		fits++;
	}
	return abbreviate && fits == 1 ? found : NULL;
}

static const struct opt *find_letter(const struct opt *table, char letter)
{
	for (; table->name; table++)
		if (table->letter == letter)
			return table;
	return NULL;
}

/* The option that the argument names, by two dashes or by one. */
static const struct opt *find(const struct opts *o, const char *arg, size_t len)
{
	const struct opt *found;

	if (arg[1] == '-') {
		found = find_name(o->table, arg + 2, len - 2, o->abbreviate);
		return found ? found : find_name(opt_standard, arg + 2, len - 2, o->abbreviate);
	}
	if (len != 2)
		return NULL;
	found = find_letter(o->table, arg[1]);
	return found ? found : find_letter(opt_standard, arg[1]);
}

enum opt_what opt_next(struct opts *o)
{
	const char *arg = *o->argv;
	size_t len;

	if (!arg)
		return OPT_END;
	o->argv++;
	o->word = arg;
	o->value = NULL;
	if (o->words_only || arg[0] != '-' || !arg[1])
		return OPT_WORD;
	if (!strcmp(arg, "--")) {
		o->words_only = true;
		return OPT_DASHES;
	}
	len = strcspn(arg, "=");
	o->opt = find(o, arg, len);
	if (!o->opt)
		return OPT_UNKNOWN;
	if (arg[len])
		o->value = arg + len + 1;
	if (!o->opt->arg && o->value)
		return OPT_STRAY_VALUE;
	if (o->opt == &opt_standard[0])
		return OPT_HELP;
	if (o->opt == &opt_standard[1])
		return OPT_VERSION;
	if (o->opt == &opt_standard[2])
		return OPT_LIST;
	if (!o->opt->arg)
		return OPT_GIVEN;
	if (!o->value && *o->argv)
		o->value = *o->argv++;
	return o->value ? OPT_GIVEN : OPT_NO_VALUE;
}

bool opt_is(const struct opts *o, const char *name)
{
	return !strcmp(o->opt->name, name);
}

void opt_complain(const char *program, const struct opts *o, enum opt_what what)
{
	if (what == OPT_UNKNOWN)
		fprintf(stderr, "%s: unrecognized option '%s'\n", program, o->word);
	else if (what == OPT_NO_VALUE)
		fprintf(stderr, "%s: option '--%s' requires an argument\n", program, o->opt->name);
	else if (what == OPT_STRAY_VALUE)
		fprintf(stderr, "%s: option '--%s' doesn't allow an argument\n", program, o->opt->name);
}

void opt_wrap(FILE *to, const char *text, int used, int column)
{
	bool begins = true;
	const char *end;
	int inside, len;

	while (*text) {
		for (end = text, inside = 0; *end && *end != '\n' && (*end != ' ' || inside); end++)
			inside += (*end == '[') - (*end == ']');
		len = end - text;
		if (!begins && used + 1 + len > WIDTH) {
			used = fprintf(to, "\n%*s", column, "") - 1;
			begins = true;
		}
		used += fprintf(to, "%s%.*s", begins ? "" : " ", len, text);
		begins = *end == '\n';
		if (begins)
			used = fprintf(to, "\n%*s", column, "") - 1;
		text = end + (*end != '\0');
	}
}

void opt_help(FILE *to, const struct opt *table, int column)
{
	int used;

	for (; table->name; table++) {
		used = table->letter ? fprintf(to, "  -%c, --%s", table->letter, table->name) :
				       fprintf(to, "  --%s", table->name);
		if (table->arg)
			used += fprintf(to, " %s", table->arg);
		used += fprintf(to, "%*s", used < column ? column - used : 1, "");
		opt_wrap(to, table->help ? table->help : "", used, column);
		fputc('\n', to);
	}
}

static void list_help(const char *at)
{
	for (; *at; at++)
		putchar(*at == '\n' ? ' ' : *at);
	putchar('\n');
}

void opt_list(const char *verb, const struct opt *table)
{
	for (; table->name; table++) {
		printf("option\t%s\t--%s\t", verb, table->name);
		if (table->letter)
			printf("-%c", table->letter);
		printf("\t%s\t", table->arg ? table->arg : "");
		list_help(table->help ? table->help : "");
	}
}

int opt_list_all(const struct opt *table)
{
	opt_list("", table);
	opt_list("", opt_standard);
	return 0;
}

void opt_list_verb(const char *name, const char *usage, const char *brief)
{
	printf("verb\t%s\t%s\t", name, usage);
	list_help(brief);
}

int opt_version(const char *program)
{
	printf("%s %s\n", program, TIMEGRAPH_VERSION);
	return 0;
}
