// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl load, tgctl check, tgctl admit: specifications. The text is parsed here first, by the
 * parser that the module has too, so that a wrong specification never reaches the module.
 */
#include "spec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <tg/policy.h>
#include <tg/types.h>

#include "config.h"
#include "host.h"
#include "lib/file.h"
#include "lines.h"
#include "sysfs.h"
#include "table.h"
#include "tgctl.h"
#include "tgd/takes.h"

/* A specification's text. One byte more than the limit, so that a text that is too long is seen. */
struct text {
	const char *file;
	u32 len;
	char bytes[TG_SPEC_TEXT_MAX + 1];
};

static bool read_text(struct text *text, const char *file)
{
	bool is_stdin = !strcmp(file, "-");
	int fd = is_stdin ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = 1;

	text->file = file;
	text->len = 0;
	while (fd >= 0 && n && text->len < sizeof(text->bytes)) {
		n = read(fd, text->bytes + text->len, sizeof(text->bytes) - text->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		text->len += n;
	}
	if (fd < 0 || n < 0)
		tgctl_error("cannot read %s: %s", is_stdin ? "standard input" : file,
			    strerror(errno));
	if (fd >= 0 && !is_stdin)
		close(fd);
	return fd >= 0 && n >= 0;
}

static bool refuse_text(const char *name, const struct tg_spec_error *err)
{
	tgctl_flush();
	fprintf(stderr, "%s:%u:%u: %s; %s\n", name, err->line, err->column, err->what, err->want);
	return false;
}

bool spec_parse_bytes(struct tg_spec *spec, size_t len, const char *name)
{
	struct tg_spec_error err;

	spec->entries = tgctl_alloc(NULL, tg_spec_room(spec->text, len) * sizeof(*spec->entries));
	if (!tg_spec_parse(spec, len, &err))
		return true;
	return refuse_text(name, &err);
}

static void report(const struct text *text, const struct tg_spec *spec, const char *verdict)
{
	printf("%s: %s, %u %s", text->file, verdict, spec->nr, spec->nr == 1 ? "entry" : "entries");
	if (spec->policy >= 0)
		printf(", policy %s", tg_policy_get(spec->policy)->name);
	if (spec->nr_knobs)
		printf(", %u knob%s", spec->nr_knobs, spec->nr_knobs == 1 ? "" : "s");
	putchar('\n');
}

/* A GPU's address, as the kernel writes it; overwritten by the next call. */
static const char *address_of(u64 gpu)
{
	static char text[24];

	snprintf(text, sizeof(text), "%04x:%02x:%02x.%x", (u32)(gpu >> 16), (u32)gpu >> 8 & 0xff,
		 (u32)gpu >> 3 & 0x1f, (u32)gpu & 7);
	return text;
}

/* Is @e the first entry of this GPU, and of this kind of them, that names it? */
static bool first_of_gpu(const struct tg_spec *spec, const struct tg_spec_entry *e, bool guaranteed)
{
	const struct tg_spec_entry *old;

	if (!e->gpu || (guaranteed && e->resv != TG_CBS))
		return false;
	for (old = spec->entries; old < e; old++)
		if (old->gpu == e->gpu && (!guaranteed || old->resv == TG_CBS))
			return false;
	return true;
}

/* @gpu: 0: one that no entry names */
static bool counts_on(const struct tg_spec_entry *e, u64 gpu)
{
	return !e->gpu || e->gpu == gpu;
}

/* Is @e the first entry of a reserve on a GPU? Without reserve=, each entry has its own. */
static bool reserves(const struct tg_spec *spec, const struct tg_spec_entry *e, u64 gpu)
{
	const struct tg_spec_entry *old;

	if (!counts_on(e, gpu))
		return false;
	for (old = spec->entries; old < e && e->reserve.len; old++)
		if (counts_on(old, gpu) && old->reserve.len == e->reserve.len &&
		    !memcmp(spec->text + old->reserve.off, spec->text + e->reserve.off,
			    e->reserve.len))
			return false;
	return e->resv != TG_BG;
}

/* C/T in millionths, rounded up */
static s64 share_of(const struct tg_spec_entry *e)
{
	s64 period = e->period / TG_USEC;

	return (e->capacity / TG_USEC * 1000000 + period - 1) / period;
}

static s64 sum_on(const struct tg_spec *spec, u64 gpu)
{
	const struct tg_spec_entry *e;
	s64 sum = 0;

	for (e = spec->entries; e < spec->entries + spec->nr; e++)
		sum += reserves(spec, e, gpu) ? share_of(e) : 0;
	return sum;
}

/* Warn of more than there is: @gpu as in counts_on(). Return: is it? */
static bool warn_of_sum(const struct text *text, const struct tg_spec *spec, u64 gpu)
{
	const s64 sum = sum_on(spec, gpu);

	if (sum > 1000000)
		fprintf(stderr, "%s: warning: all reserves together are %lld.%02lld %% of the GPU%s%s: "
			"their clients cannot all have C of every T\n", text->file,
			(long long)sum / 10000, (long long)sum / 100 % 100, gpu ? " " : "",
			gpu ? address_of(gpu) : "");
	return sum > 1000000;
}

/* Warn of what the text cannot mean: more than there is, and names that no line defines. */
static void warn(const struct text *text, const struct tg_spec *spec)
{
	const struct tg_spec_entry *e;
	char *name;
	u32 i;

	tgctl_flush();
	for (e = spec->entries; e < spec->entries + spec->nr; e++) {
		for (i = 0; i < spec->nr_vgpus && e->vgpu.len; i++)
			if (spec->vgpus[i].name.len == e->vgpu.len &&
			    !memcmp(spec->text + spec->vgpus[i].name.off,
				    spec->text + e->vgpu.off, e->vgpu.len))
				break;
		if (!e->vgpu.len || i < spec->nr_vgpus)
			continue;
		name = table_text(spec->text + e->vgpu.off, e->vgpu.len);
		fprintf(stderr, "%s:%u: warning: no line [vgpu %s] here: its clients belong to the rest\n",
			text->file, e->line, name);
		free(name);
	}
	if (warn_of_sum(text, spec, 0))
		return;
	for (e = spec->entries; e < spec->entries + spec->nr; e++)
		if (first_of_gpu(spec, e, false))
			warn_of_sum(text, spec, e->gpu);
}

/*
 * Which reserves are guaranteed on a GPU (as in counts_on()), and the longest group that leaves the
 * guarantees whole: T_min (1 - sum(C/T)).
 */
static void report_guarantees_on(const struct text *text, const struct tg_spec *spec, u64 gpu)
{
	const struct tg_spec_entry *e;
	s64 sum = 0, shortest = TG_NEVER;

	for (e = spec->entries; e < spec->entries + spec->nr; e++) {
		if (e->resv != TG_CBS || !reserves(spec, e, gpu))
			continue;
		if (sum)
			printf(" +");
		else if (gpu)
			printf("%s: guaranteed on %s:", text->file, address_of(gpu));
		else
			printf("%s: guaranteed:", text->file);
		printf(" %lld/%lld us (line %u)", (long long)(e->capacity / TG_USEC),
		       (long long)(e->period / TG_USEC), e->line);
		sum += share_of(e);
		shortest = min(shortest, e->period);
	}
	if (!sum)
		return;
	printf(" = %lld.%02lld %%", (long long)sum / 10000, (long long)sum / 100 % 100);
	if (sum > 1000000)
		printf(", more than 100 %%: not all of them are admitted at once\n");
	else if (shortest / TG_USEC * (1000000 - sum) < 1000000)
		printf(", which leaves no time for a group: not all of them are admitted at once\n");
	else
		printf("; whole while no group is longer than %lld us (max_group_us)\n",
		       (long long)(shortest / TG_USEC * (1000000 - sum) / 1000000));
}

static void report_guarantees(const struct text *text, const struct tg_spec *spec)
{
	const struct tg_spec_entry *e;

	report_guarantees_on(text, spec, 0);
	for (e = spec->entries; e < spec->entries + spec->nr; e++)
		if (first_of_gpu(spec, e, true))
			report_guarantees_on(text, spec, e->gpu);
}

/*
 * Writes the text to the module's file `spec`; @fd is spec_commit, where "0" first discards what an
 * earlier writer has left.
 */
static int send_text(const char *file, const char *bytes, size_t len, int fd)
{
	int spec = sysfs_open("spec", O_WRONLY | O_TRUNC);
	const char *name = "spec_commit";
	int err;

	if (spec < 0)
		return -1;
	err = file_write_fd(fd, "0\n", 2);
	if (!err) {
		name = "spec";
		err = file_write_fd(spec, bytes, len);
	}
	close(spec);
	if (err)
		tgctl_error("%s: cannot write %s: %s; the old specification stays in force", file,
			    sysfs_path(name), strerror(-err));
	return err;
}

/* @fd: of spec_commit; -1: of tgd. */
static bool commit(const char *file, int fd, const char *how)
{
	int err = fd < 0 ? host_write("spec_commit", how, strlen(how)) :
			   file_write_fd(fd, how, strlen(how));
	char *result = sysfs_read_value("spec_result");
	bool ok;

	if (!result)
		return false;
	ok = !strncmp(result, "ok", 2);
	if (ok && err)
		tgctl_error("%s: cannot write %s: %s; the old specification stays in force", file,
			    sysfs_path("spec_commit"), strerror(-err));
	else if (!ok)
		fprintf(stderr, "%s:%s%s\n", file,
			result[0] >= '0' && result[0] <= '9' ? "" : " ", result);
	free(result);
	return ok && !err;
}

/* To tgd, which keeps the texts of several tools apart. */
static bool load_host(const struct text *text, const char *how)
{
	int err = host_write("spec", text->bytes, text->len);

	if (err) {
		sysfs_explain("write", "spec", -err);
		return false;
	}
	return commit(text->file, -1, how);
}

/* A process that may not write the file cannot lock it either. */
int spec_lock(void)
{
	int fd = sysfs_open("spec_commit", O_WRONLY);

	if (fd < 0 || !flock(fd, LOCK_EX))
		return fd;
	tgctl_error("cannot lock %s: %s", sysfs_path("spec_commit"), strerror(errno));
	close(fd);
	return -1;
}

bool spec_put(int fd, const char *name, const char *bytes, size_t len, const char *how)
{
	return !send_text(name, bytes, len, fd) && commit(name, fd, how);
}

/* To the module, with the lines of `tgctl run` whose programs run. */
static bool load_module(const struct text *text, const char *how)
{
	int fd = spec_lock();
	char *whole;
	size_t len;
	bool ok;

	if (fd < 0)
		return false;
	whole = lines_carry(text->file, text->bytes, text->len, &len);
	ok = whole && spec_put(fd, text->file, whole, len, how);
	free(whole);
	close(fd);
	return ok;
}

enum tgctl_status tgctl_load(const struct tgctl_args *args)
{
	const char *how = args->flag ? "new-only\n" : "1\n";
	static struct text text;
	struct tg_spec spec = { .text = text.bytes };
	const char *why;

	if (!read_text(&text, args->names[0]) || !spec_parse_bytes(&spec, text.len, text.file))
		return TGCTL_FAILED;
	if (!(host_is_user() ? load_host(&text, how) : load_module(&text, how)))
		return TGCTL_FAILED;
	report(&text, &spec, "in force");
	warn(&text, &spec);
	why = spec.nr ? tgctl_no_effect() : NULL;
	if (why)
		tgctl_error("%s", why);
	return TGCTL_OK;
}

/* What `load` would find; the kernel module takes all that is a specification. */
static bool check_host(const struct tg_spec *spec, const char *name)
{
	struct tg_spec_error err;

	return !host_is_user() || tgd_takes(spec, &err) || refuse_text(name, &err);
}

enum tgctl_status tgctl_check(const struct tgctl_args *args)
{
	enum tgctl_status status = TGCTL_OK;
	static struct text text;
	struct tg_spec spec = { .text = text.bytes };
	bool seen_stdin = false;
	int i;

	for (i = 0; i < args->nr; i++) {
		if (!strcmp(args->names[i], "-")) {
			if (seen_stdin) {
				tgctl_error("check: - is given twice; standard input is read once");
				return TGCTL_USAGE;
			}
			seen_stdin = true;
		}
	}
	for (i = 0; i < args->nr; i++) {
		if (!read_text(&text, args->names[i]) ||
		    !spec_parse_bytes(&spec, text.len, text.file) ||
		    !check_host(&spec, text.file)) {
			status = TGCTL_FAILED;
			continue;
		}
		report(&text, &spec, "ok");
		report_guarantees(&text, &spec);
		warn(&text, &spec);
	}
	return status;
}

/*
 * The one number of an admission file, 0 to 100, or -1 after a message. Blanks, empty lines and
 * comments from # to the line's end are passed over.
 */
static int parse_percent(const struct text *text)
{
	const char *what = "the number is missing";
	u32 i, line = 1, start = 0;
	int percent = -1;

	for (i = 0; i < text->len; i++) {
		char ch = text->bytes[i];

		if (ch == '#')
			while (i < text->len && text->bytes[i] != '\n')
				i++;
		if (i == text->len || ch == ' ' || ch == '\t' || ch == '\r')
			continue;
		if (text->bytes[i] == '\n') {
			line++;
			start = i + 1;
			continue;
		}
		what = percent >= 0 ? "one thing too many" : "not a number from 0 to 100";
		if (percent >= 0)
			break;
		for (percent = 0; i < text->len && percent <= 100; i++) {
			ch = text->bytes[i];
			if (ch < '0' || ch > '9')
				break;
			percent = percent * 10 + ch - '0';
		}
		if (percent > 100 || (i < text->len && !strchr(" \t\r\n#", ch)))
			break;
		i--;
		what = NULL;
	}
	if (!what)
		return percent;
	fprintf(stderr, "%s:%u:%u: %s; percent of the GPU, such as 80\n", text->file, line,
		i - start + 1, what);
	return -1;
}

enum tgctl_status tgctl_admit(const struct tgctl_args *args)
{
	static struct text text;
	char value[16];
	int err, percent;

	if (!read_text(&text, args->names[0]))
		return TGCTL_FAILED;
	percent = parse_percent(&text);
	if (percent < 0)
		return TGCTL_FAILED;
	snprintf(value, sizeof(value), "%d", percent);
	err = sysfs_write_value("knobs/admission_percent", value);
	if (err) {
		sysfs_explain("write", "knobs/admission_percent", -err);
		return TGCTL_FAILED;
	}
	printf("%s: reserves may add up to %d %% of the GPU\n", text.file, percent);
	return TGCTL_OK;
}
