// SPDX-License-Identifier: GPL-2.0
/*
 * tgctl why (of a trace), record, plot: what a full trace shows, the host's or one in a file. It is
 * replayed with the module's own core (src/trace), so that causes are the scheduler's and not
 * guesses.
 */
#include "trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tg/types.h>
#include <uapi/timegraph.h>

#include "perfetto.h"
#include "picture.h"
#include "replay.h"
#include "host.h"
#include "lib/file.h"
#include "sysfs.h"
#include "tgctl.h"
#include "why.h"

#define TGCTL_LAST	100	/* waits that `why` tells at most */

/* Where the host has the trace of GPU 0: in debugfs, or a name that tgd knows. */
static const char *trace_base(void)
{
	const char *base = getenv("TG_TRACE");

	return host_is_user() ? "trace" : base && *base ? base : TIMEGRAPH_TRACE;
}

static char *read_file(const char *path, u64 *len)
{
	const char *base = trace_base();
	const bool kept = !host_is_user() && !strncmp(path, base, strlen(base));
	char *data = file_read(path, len);

	if (!data && errno == ENOENT && kept && host_is_neither())
		sysfs_explain("read", path, ENOENT);
	else if (!data && errno == ENOENT && kept)
		tgctl_error("there is no trace at %s: load the module with trace_kib=16384, and mount debugfs",
			    path);
	else if (!data)
		tgctl_error("cannot read %s: %s%s", path, strerror(errno), errno == EACCES ? "; try as root" : "");
	return data;
}

/* The trace that the host keeps of GPU number @gpu. */
static char *read_kept(u64 gpu, u64 *len)
{
	char path[300], *data;
	size_t size;

	snprintf(path, sizeof(path), gpu ? "%s%llu" : "%s", trace_base(), (unsigned long long)gpu);
	if (gpu && !host_is_user() && access(path, F_OK) && !access(trace_base(), F_OK)) {
		tgctl_error("record: there is no GPU %llu; `tgctl stats` has the numbers of all",
			    (unsigned long long)gpu);
		return NULL;
	}
	if (!host_is_user())
		return read_file(path, len);
	data = host_read(path, false, &size);
	if (!data && errno == ENOENT)
		tgctl_error("this tgd records no trace: start it with --trace-kib");
	else if (!data && errno == ENODEV)
		tgctl_error("tgd has no GPU %llu yet: a GPU comes with the first program on it",
			    (unsigned long long)gpu);
	else if (!data)
		sysfs_explain("read", path, errno);
	*len = size;
	return data;
}

/* The trace in @file, or (NULL) the host's. */
static bool load(const char *file, struct tgs_trace *trace)
{
	char error[TGS_MESSAGE];
	char *data;
	u64 len;
	int err;

	data = file ? read_file(file, &len) : read_kept(0, &len);
	if (!data)
		return false;
	err = tgs_trace_read(trace, data, len, error);
	free(data);
	if (err)
		tgctl_error("%s is no trace: %s", file ? file : trace_base(), error);
	return !err;
}

/* ---- why -------------------------------------------------------------------------------- */

struct waits {
	u32 client;
	u64 jobs, waited;	/* its jobs; those that waited */
	u64 *last;		/* ring of those */
	u64 nr;
	bool cut;		/* the trace ends in the midst, and the reason has been written */
};

/* Does @wanted name the client of this JOIN? */
static bool is_client(const struct tg_record *r, const char *wanted)
{
	struct tg_identity id;
	struct tg_event ev;

	tg_record_read_event(r, &ev, &id);
	return tgs_is_client(wanted, ev.client, id.pid, id.comm);
}

/* @job has come (0: none has), and was not freed inside its own SUBMIT: it waited. */
static void add_wait(struct waits *w, u64 job)
{
	if (!job)
		return;
	w->waited++;
	w->last[w->nr++ % TGCTL_LAST] = job;
}

/*
 * Walk the trace: find the newest client that @wanted names, and its last jobs that were not freed
 * inside their own SUBMIT.
 */
static bool collect(const struct tgs_trace *trace, const char *wanted, struct waits *w)
{
	const struct tg_record *r;
	char error[TGS_MESSAGE];
	u64 pos = 0, submit = 0;
	bool found = false;

	while ((r = tgs_trace_next(trace, &pos, error))) {
		if (r->type == TG_REC_EVENT) {
			add_wait(w, submit);
			submit = 0;
			if (r->result)
				continue;
			if (r->kind == TG_EV_JOIN && is_client(r, wanted) && r->client != w->client) {
				found = true;
				*w = (struct waits){ .client = r->client, .last = w->last };
			}
			if (found && r->kind == TG_EV_SUBMIT && r->client == w->client) {
				w->jobs++;
				submit = r->job;
			}
		} else if (r->type == TG_REC_ACTION && r->kind == TG_ACT_FREE && r->job == submit) {
			submit = 0;
		} else if (r->type == TG_REC_GAP) {
			printf("the trace is full: what came after it is not told (%llu records); "
			       "a larger trace_kib holds more\n", (unsigned long long)r->arg);
			break;
		}
	}
	add_wait(w, submit);
	w->cut = *error;
	if (w->cut)
		tgctl_error("%s", error);
	return found;
}

bool tgctl_has_trace(void)
{
	return host_is_user() || !access(trace_base(), R_OK);
}

enum tgctl_status tgctl_why_trace(const struct tgctl_args *args)
{
	const char *file = args->option[WHY_TRACE];
	u64 jobs[TGCTL_LAST], last = 3, i;
	struct waits w = { .last = jobs };
	struct tgs_trace trace = { };
	bool ok;

	if (args->option[WHY_LAST] && (!tgctl_number(args->option[WHY_LAST], &last) || !last ||
				       last > TGCTL_LAST)) {
		tgctl_error("why: '%s' is no number from 1 to %d", args->option[WHY_LAST],
			    TGCTL_LAST);
		return TGCTL_USAGE;
	}
	ok = load(file, &trace);
	if (ok) {
		ok = collect(&trace, args->names[0], &w);
		if (!ok)
			tgctl_error("no client '%s' in %s; `tgctl clients` shows those that there are",
				    args->names[0], file ? file : trace_base());
	}
	if (ok)
		printf("client %u: %llu command groups in the trace, %llu of them waited\n", w.client,
		       (unsigned long long)w.jobs, (unsigned long long)w.waited);
	for (i = w.nr > last ? w.nr - last : 0; ok && i < w.nr; i++)
		ok = !tgs_why(&trace, jobs[i % TGCTL_LAST], stdout);
	tgs_trace_deinit(&trace);
	return ok && !w.cut ? TGCTL_OK : TGCTL_FAILED;
}

/* ---- record ----------------------------------------------------------------------------- */

enum tgctl_status tgctl_record(const struct tgctl_args *args)
{
	const char *to = args->names[0], *gpu = args->option[RECORD_GPU];
	struct file_place place;
	const char *why;
	u64 len, nr = 0;
	char *data;
	s64 t = 0;

	if (args->option[RECORD_FOR] && !tgctl_time(args->option[RECORD_FOR], &t)) {
		tgctl_error("record: '%s' is no time; 10s, 500ms", args->option[RECORD_FOR]);
		return TGCTL_USAGE;
	}
	if (gpu && !tgctl_number(gpu, &nr)) {
		tgctl_error("record: '%s' is no GPU; a number from 0", gpu);
		return TGCTL_USAGE;
	}
	why = file_find(to, &place);
	if (!why) {
		if (t)
			nanosleep(&(struct timespec){ t / TG_SEC, t % TG_SEC }, NULL);
		data = read_kept(nr, &len);
		if (!data)
			return TGCTL_FAILED;
		why = file_put(&place, data, len, NULL);
		free(data);
	}
	if (why)
		tgctl_error("cannot write %s: %s",
			    place.kind == FILE_STDOUT ? "to standard output" : to, why);
	else if (place.kind != FILE_STDOUT)
		printf("%s: %llu bytes\n", to, (unsigned long long)len);
	return why ? TGCTL_FAILED : TGCTL_OK;
}

/* ---- plot ------------------------------------------------------------------------------- */

/* What the options want to see; false: one of them is wrong, and the reason has been written. */
static bool window(const struct tgctl_args *args, struct tgs_window *w)
{
	const char *from = args->option[PLOT_FROM], *to = args->option[PLOT_TO];

	*w = (struct tgs_window){ .to = TG_NEVER, .client = args->option[PLOT_CLIENT] };
	if (from && !tgctl_time(from, &w->from)) {
		tgctl_error("plot: '%s' is no time; 10s, 500ms", from);
		return false;
	}
	if (to && !tgctl_time(to, &w->to)) {
		tgctl_error("plot: '%s' is no time; 10s, 500ms", to);
		return false;
	}
	if (w->from >= w->to) {
		tgctl_error("plot: nothing is between --from %s and --to %s", from ? from : "0", to);
		return false;
	}
	return true;
}

enum tgctl_status tgctl_plot(const struct tgctl_args *args)
{
	char error[TGS_MESSAGE];
	struct tgs_trace trace = { };
	struct tgs_spans spans = { };
	struct tgs_window w;
	s64 end = TG_NEVER;
	int err;

	if (!window(args, &w))
		return TGCTL_USAGE;
	if (!load(args->names[0], &trace)) {
		tgs_trace_deinit(&trace);
		return TGCTL_FAILED;
	}
	err = tgs_spans_read(&spans, &trace, &w, error);
	if (!err)
		err = args->option[PLOT_PERFETTO] ? tgs_perfetto(&spans, args->names[1], error) :
						    tgs_trace_plot(&spans, args->names[1], &end, error);
	if (err)
		tgctl_error("plot: %s", error);
	else if (spans.cut != TG_NEVER)
		tgctl_error("plot: %s does not replay from %.6f s on: no cause is known there",
			    args->names[0], (spans.cut - spans.start) / 1e9);
	if (!err && end != TG_NEVER)
		tgctl_error("plot: %s ends at %.6f s: a picture shows %u runs and waits; --from, --to "
			    "and --client choose others, --perfetto shows all",
			    args->names[1], (end - spans.start) / 1e9, TGS_STRETCHES);
	tgs_spans_deinit(&spans);
	tgs_trace_deinit(&trace);
	return err ? TGCTL_FAILED : TGCTL_OK;
}
